"""The home screen: from one token to an agent in one picture, with a door into each screen."""

import streamlit as st

from core.figures.home_view import HomeView, home_view
from core.lm import load_examples, load_tokenizer
from pages.common import finding, lessons, short_links
from pages.common.components import declare
from pages.common.page import configure, heading
from pages.common.run import st_trace

PICTURE = declare("home")
SCENARIO = "berlin"


@st.cache_resource(show_spinner=False)
def st_home_view() -> HomeView:
    """Compute the picture, once for all sessions."""
    return home_view(load_examples()[0], load_tokenizer(), SCENARIO, st_trace(SCENARIO))


configure("home")
short_links.follow()
title, about, search = st.columns([5, 3, 3], vertical_alignment="bottom")
with title:
    heading("How does a language model become an agent?")
about.caption("The logits are those of SmolLM2-135M; the run is a scripted model in the real loop.")
with search:
    finding.door("find")
lessons.offer()
view = st_home_view()
door = PICTURE(key="picture", data=view.model_dump(), on_door_change=lambda: None).door
for known in view.doors:
    if door == known.screen:
        st.switch_page(f"pages/{known.screen}.py", query_params=known.address)
