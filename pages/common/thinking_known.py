"""What the model has written for the screen on chains, once for all sessions, by what it depends on."""

from collections.abc import Iterator

import streamlit as st

from core.lm import embedded
from core.teaching.thought import captured, hint
from core.teaching.thought.passes import written
from core.teaching.thought.tasks import LENGTHS, prompts
from core.teaching.thought.votes import DRAWN, GREEDY
from core.teaching.thought.ways import Outcome, answering
from pages.common import work
from pages.common.thinking import Thinking, change

MOST_KNOWN = 5_000


@st.cache_resource(show_spinner=False)
def st_known() -> dict[tuple[object, ...], object]:
    """Outcomes, texts and chains that are done."""
    return {}


def outcomes(state: Thinking, length: int) -> tuple[Outcome, ...]:
    """The first questions of a length that are answered: captured ones, then those answered here."""
    known = st_known()
    found = captured.load().of(state.task, length, state.seed)
    while outcome := known.get((state.task, length, state.seed, len(found))):
        assert isinstance(outcome, Outcome)
        found = (*found, outcome)
    return found


def all_outcomes(state: Thinking) -> dict[int, tuple[Outcome, ...]]:
    """Of each length that has some."""
    return {length: found for length in LENGTHS if (found := outcomes(state, length))}


def counting(state: Thinking) -> Iterator[int]:
    """Answer the questions that are missing, telling after each pass how many are answered."""
    while (index := len(outcomes(state, state.length))) < state.asked:
        working = answering(embedded(), prompts(state.task, state.length, state.seed, index))
        while True:
            try:
                next(working)
            except StopIteration as done:
                keep((state.task, state.length, state.seed, index), done.value)
                break
            yield index
    change()


def texts(state: Thinking) -> dict[str, tuple[int, ...]]:
    """The texts of the first question that are written, by the way."""
    known = st_known()
    found = {way: known.get(("text", prompt)) for way, (prompt, _) in ways(state).items()}
    return {way: tokens for way, tokens in found.items() if tokens is not None}


def told_texts(state: Thinking) -> dict[str, tuple[int, ...]]:
    """The same, with what there is so far of the one that is being written."""
    told = work.last_told("passes")
    so_far = {way: told[prompt] for way, (prompt, _) in ways(state).items() if told and prompt in told}
    return {**so_far, **texts(state)}


def ways(state: Thinking) -> dict[str, tuple[str, str]]:
    """The prompts of the first question, each with what its line with the answer begins with."""
    asked = prompts(state.task, state.length, state.seed)
    return {
        "at_once": (asked.at_once, ""),
        "in_steps": (asked.in_steps, asked.question.asks.split()[0].rstrip(":")),
        "given": (f"{asked.in_steps}{asked.chain}{asked.question.asks}", ""),
    }


def writing(state: Thinking) -> Iterator[dict[str, tuple[int, ...]]]:
    """Write the texts that are missing, telling after each token what there is of it, by its prompt."""
    for way, (prompt, last) in ways(state).items():
        if way not in texts(state):
            tokens: tuple[int, ...] = ()
            for tokens in written(embedded(), prompt, last):
                yield {prompt: tokens}
            keep(("text", prompt), tokens)


def chain_of(state: Thinking) -> hint.Chained | None:
    """The chain of the question under the hint, if it is written."""
    found = st_known().get(_chain_key(state))
    if found is None and not state.drawn:
        same = (one for one in captured.load().chains if (one.question, one.hinted) == _hint(state))
        return next(same, None)
    return found


def told_chain(state: Thinking) -> str:
    """What there is so far of the chain that is being written."""
    told = work.last_told("chain")
    return told[1] if told and told[0] == _chain_key(state) else ""


def chaining(state: Thinking) -> Iterator[tuple[tuple[object, ...], str]]:
    """Write the chain, telling after each token which and what there is; then read the answer after it."""
    text, settings = "", DRAWN if state.drawn else GREEDY
    for text in hint.chain(embedded(), *_hint(state), settings, state.seed):
        yield _chain_key(state), text
    after = hint.after_chain(embedded(), *_hint(state), text)
    made = hint.Chained(question=state.question, hinted=state.hinted, text=text, letters=after)
    keep(_chain_key(state), made)
    change()


@st.cache_resource(show_spinner="The model reads the question with and without the hint …", max_entries=64)
def st_moved(question: int, hinted: int) -> hint.Moved:
    """The options with and without a hint."""
    return hint.moved(embedded(), question, hinted)


def _hint(state: Thinking) -> tuple[int, int]:
    return state.question, state.hinted


def _chain_key(state: Thinking) -> tuple[object, ...]:
    return ("chain", *_hint(state), state.seed if state.drawn else None)


def keep(key: tuple[object, ...], value: object) -> None:
    """Keep what is done, for all sessions."""
    known = st_known()
    if len(known) >= MOST_KNOWN:
        known.clear()
    known[key] = value
