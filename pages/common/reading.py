"""Reading a prompt: its tokens, and of a long one how far the model is, and a way to stop it."""

from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache

import streamlit as st

from core.errors import InputError
from core.lm import EmbeddedModel, embedded

LONG = 384  # tokens that take more than a moment
STOPPED = "text whose reading was stopped"  # session: its tokens
UNREAD = "text is not read"  # session: whether the run ended before the parts that show what is drawn


def prompt_ids(prompt: str, room: int) -> list[int]:
    """The tokens that the embedded model reads of a prompt before it generates up to `room` more.

    Errors: `InputError` if they leave no room in the context, or the text has no bytes.
    """
    model = embedded()
    token_ids = model.start(_encoded(prompt))
    beyond = len(token_ids) + room - model.context_length
    if beyond > 0:
        raise InputError(
            f"The prompt has {len(token_ids):,} tokens and {model.name} reads at most "
            f"{model.context_length:,}, what it generates included: shorten it by {beyond:,} tokens."
        )
    return token_ids


@lru_cache(maxsize=64)
def _encoded(prompt: str) -> tuple[int, ...]:
    # A long prompt takes milliseconds, and every token asks several times.
    return tuple(embedded().tokenizer.encode(prompt))


def leave_to_page(model: EmbeddedModel, token_ids: Sequence[int]) -> None:
    """In a part of a page that reruns on its own: let the whole page run, and `read`, what takes long.

    Nothing that is pressed interrupts such a part, so that a reading there could not be stopped.
    """
    if model.unread(token_ids) >= LONG:
        st.rerun()


def read(model: EmbeddedModel, token_ids: Sequence[int]) -> None:
    """Have the model read the text, if that takes long, so that what follows has its numbers at once.

    Ends the run of the script where the reader has stopped it. Any other act stops it as well.
    """
    unread = model.unread(token_ids)
    st.session_state[UNREAD] = unread >= LONG
    if unread < LONG:
        return
    if st.session_state.get(STOPPED) == tuple(token_ids):
        st.warning(f"Stopped: {unread:,} of {len(token_ids):,} tokens are not read yet.")
        st.button("Read on", shortcut="enter", on_click=_forget)
        st.stop()
    place = st.empty()
    with (
        place.container(horizontal=True, vertical_alignment="center"),
        closing(model.read(token_ids)) as positions,
    ):
        bar = st.progress(0.0, _said(len(token_ids) - unread, len(token_ids)))
        st.button("Stop", on_click=_stop, args=(tuple(token_ids),))
        for position in positions:
            share = 1 - (len(token_ids) - position) / unread
            bar.progress(max(0.0, share), _said(position, len(token_ids)))
    place.empty()
    st.session_state[UNREAD] = False


def _said(position: int, length: int) -> str:
    return f"Reading the text: {position:,} of {length:,} tokens"


def _stop(token_ids: tuple[int, ...]) -> None:
    st.session_state[STOPPED] = token_ids


def _forget() -> None:
    del st.session_state[STOPPED]
