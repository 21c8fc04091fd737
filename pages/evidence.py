"""The evidence that the lecture quotes: each figure as a small picture, and what it does not show."""

from dataclasses import asdict

import streamlit as st

from core.teaching.evidence import CARDS
from pages.common.components import declare
from pages.common.page import configure, heading

PICTURE = declare("evidence")

configure("evidence")
heading(
    "What has been measured, and what does it not show?",
    "Figures from the papers that the lecture quotes, named on each card. None was measured by Loopscope.",
)
cards = [asdict(card) for card in CARDS]
# A link can put one card first, and cover what came out: a class guesses before it sees.
chosen, covered = st.query_params.get("card", ""), st.query_params.get("figure") == "covered"
data = {"cards": cards, "chosen": chosen, "covered": covered}
door = PICTURE(key="evidence", data=data, on_door_change=lambda: None).door
for card in CARDS:
    if door == card.slug:
        st.switch_page(f"pages/{card.screen}.py", query_params=dict(card.address))
