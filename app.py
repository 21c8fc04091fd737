"""Loopscope's entry: page configuration, navigation and sidebar."""

import streamlit as st

from pages.common import address, files, finding, lessons
from pages.common.classroom import classroom
from pages.common.page import configure, sidebar

configure()
page = st.navigation(
    {
        "": [st.Page("pages/home.py", title="Home", default=True)],
        "One token": [
            st.Page("pages/sampling.py", title="Sampling"),
            st.Page("pages/generation.py", title="Generation"),
            st.Page("pages/constrained.py", title="Constrained"),
            st.Page("pages/speculative.py", title="Speculative"),
        ],
        "The loop": [
            st.Page("pages/thought.py", title="Chain of thought"),
            st.Page("pages/react.py", title="ReAct"),
            st.Page("pages/compare.py", title="Compare"),
            st.Page("pages/tools.py", title="Tools"),
        ],
        "The context": [
            st.Page("pages/messages.py", title="Messages"),
            st.Page("pages/context.py", title="Context budget"),
        ],
        "Practice": [
            st.Page("pages/exercises.py", title="Exercises"),
            st.Page("pages/evidence.py", title="Evidence"),
        ],
    },
    expanded=True,
)
address.enter(page.url_path or "home")
with st.sidebar:
    if page.url_path:  # on Home it stands above the picture
        finding.door("find on every screen")
    lessons.menu(page.url_path)
files.controls(page.title)
sidebar()
classroom(page.url_path)
lessons.rail(page.url_path)
page.run()
lessons.come_back()
