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
    "Figures that the lecture quotes, from the papers named on each card. None was measured by Loopscope.",
)
cards = [asdict(card) for card in CARDS]
door = PICTURE(key="evidence", data={"cards": cards}, on_door_change=lambda: None).door
for card in CARDS:
    if door == card.slug:
        st.switch_page(f"pages/{card.screen}.py", query_params=dict(card.address))
