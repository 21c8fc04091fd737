"""The ReAct screen: the loop of the lecture, step by step, with its messages and its context."""

import streamlit as st

from core.figures.loop_view import SOURCES, loop_view
from pages.common import run as running
from pages.common.components import declare
from pages.common.page import configure, heading

LOOP = declare("loop", "stepper")

configure("react")
title, choice = st.columns([5, 3], vertical_alignment="center")
with choice:
    run = running.choose()
with title, st.container(gap=None):
    heading(running.plain(run.trace.title), run.notice or SOURCES[run.trace.source])
running.mount(LOOP, run, {"view": loop_view(run.trace).model_dump()}, key="loop")
