"""Several chains for one question on the screen on chains: those that are drawn, and what they come to."""

from collections.abc import Iterator
from typing import Any

from core.figures.votes_view import together, votes_view
from core.lm import embedded
from core.teaching.thought import captured, hint
from core.teaching.thought.votes import DRAWN, Vote, majority, vote
from pages.common import work
from pages.common.thinking import Thinking, change
from pages.common.thinking_known import keep, st_known

RULE = (
    "Self-consistency: draw several chains (T = 0.7, top-p 0.95, a seed each) and take the answer that comes "
    "most often. At T = 0 all would be the same one. A chain is cut off after "
    f"{hint.LONGEST} tokens; its answer is the most probable letter after “{hint.ANSWERS}”."
)


def votes(state: Thinking) -> tuple[Vote, ...]:
    """The chains of the question in view that are drawn: captured ones, then those drawn here."""
    known, bundled = st_known(), captured.load().votes
    found = bundled[state.question] if state.question < len(bundled) else ()
    while (done := known.get(_key(state, len(found)))) is not None:
        assert isinstance(done, Vote)
        found = (*found, done)
    return found


def voting(state: Thinking) -> Iterator[tuple[tuple[object, ...], str]]:
    """Draw the chains that are missing, telling after each token which one and what there is of it."""
    while (index := len(votes(state))) < state.asked:
        drawing, key = vote(embedded(), state.question, DRAWN, seed=index), _key(state, index)
        while True:
            try:
                yield key, next(drawing)
            except StopIteration as done:
                keep(key, done.value)
                break
    change()


def show_votes(state: Thinking) -> dict[str, Any]:
    """The chains of one question and their majority, and all bundled questions together."""
    asked, there, bundled = hint.QUESTIONS[state.question], votes(state), captured.load()
    chains = [(f"seed {seed}", one.text, one.answer) for seed, one in enumerate(there)]
    most = majority([one.answer for one in there])
    view = votes_view(hint.LETTERS, asked.asks, asked.options, asked.right, chains, most)
    rights = [question.right for question in hint.QUESTIONS]
    drawn = [(one.answer, right) for ones, right in zip(bundled.votes, rights, strict=True) for one in ones]
    return {
        "view": view.model_dump(),
        "coming": _coming(state),
        "rule": RULE,
        "together": together(
            questions=len(rights),
            majority=sum(
                majority([one.answer for one in ones]) == right
                for ones, right in zip(bundled.votes, rights, strict=True)
            ),
            greedy=sum(one.answer == right for one, right in zip(bundled.greedy, rights, strict=True)),
            drawn=sum(answer == right for answer, right in drawn),
            chains=len(drawn),
        ),
        "captured": bundled.model,
    }


def _coming(state: Thinking) -> str:
    """What there is so far of the chain that is being drawn."""
    told: Any = work.last_told("votes")
    return told[1] if told and told[0] == _key(state, len(votes(state))) else ""


def _key(state: Thinking, index: int) -> tuple[object, ...]:
    return ("vote", state.question, index)
