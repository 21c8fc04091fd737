"""Presses of a key that a component counts: Streamlit makes one of two that come while it runs."""

import streamlit as st

HEARD = "presses heard"  # session: component -> (visit, how many of its presses count already)
MOST = 20  # that count at once: more were made by something that lies on the key


def fresh(component: str) -> int:
    """How many presses the component has told of since this was asked last."""
    match st.session_state[component]["presses"]:
        case {"by": str() as visit, "count": int() as count}:
            heard = st.session_state.setdefault(HEARD, {})
            known, before = heard.get(component, ("", 0))
            heard[component] = visit, count
            return max(0, min(count - (before if known == visit else 0), MOST))
    return 0
