"""Write c_k: what the model receives in its k-th call, in the lecture's symbols."""

import re
from collections.abc import Callable

import numpy as np

from core.agent.states import states
from core.teaching.exercises.base import Kind, Made, Step, TextField
from core.teaching.exercises.loop_chance import between
from core.teaching.exercises.loop_scripts import Script, script
from core.teaching.exercises.loop_transcript import history, listed
from core.trace import StepKind

SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789", "_{}\\$")
SEPARATORS = re.compile(r"[\s,;()→\[\]…]*")
SYMBOL = re.compile(r"[cota]\d+")
WHAT = {
    "c": "the system prompt and the tool descriptions",
    "o": "an observation",
    "t": "a thought",
    "a": "an action",
}


def context_at(script: Script, k: int) -> tuple[str, ...]:
    """c_k of the run, as core's own states have it."""
    trace = script.ran.trace
    calls = [n for n, step in enumerate(trace.steps) if step.kind is StepKind.MODEL_CALL]
    return states(trace)[calls[k - 1]].context


def read_symbols(text: str) -> list[str] | None:
    """The symbols that were written, as c0, o1, t1, a1; `None` if something else stands among them."""
    plain = text.lower().rpartition("=")[2].translate(SUBSCRIPTS)
    return SYMBOL.findall(plain) if SEPARATORS.fullmatch(SYMBOL.sub("", plain)) else None


def write_context(rng: np.random.Generator) -> Made:
    """Write the context of the k-th call of a run in which some turns have no thought."""
    drawn = script(rng, together=0.0)
    while len(drawn.replies) < 3:
        drawn = script(rng, together=0.0)
    trace = drawn.ran.trace
    k = between(rng, 2, len(trace.calls))
    right = context_at(drawn, k)
    silent = [f"t{n}" for n, reply in enumerate(drawn.replies[: k - 1], start=1) if not reply.content]
    return Made(
        task=f"Write c{k}, the context of call {k} of the model, with the symbols c0, o1, t1, a1 and so on.",
        given=(listed(history(trace.system, trace.messages)),),
        fields=(TextField("context", f"c{k} ="),),
        answers={"context": ", ".join(right)},
        hint="Begin with what comes first in every call. k counts observations; the user's question is o1.",
        checks={"context": _checked(right, k)},
        steps=(
            Step(f"c{k} begins with c0, {WHAT['c']}, and the question o1."),
            *(_turn(right, turn) for turn in range(1, k)),
            Step(f"What the model writes in call {k} comes after c{k}: c{k} = ({', '.join(right)})."),
            *([Step(f"There is no {', '.join(silent)}: those turns have no thought.")] if silent else []),
        ),
    )


def _turn(right: tuple[str, ...], turn: int) -> Step:
    named = [symbol for symbol in (f"t{turn}", f"a{turn}", f"o{turn + 1}") if symbol in right]
    return Step(f"Turn {turn} adds {', '.join(f'{symbol} ({WHAT[symbol[0]]})' for symbol in named)}.")


def _checked(right: tuple[str, ...], k: int) -> Callable[[str], str]:
    def check(text: str) -> str:
        written = read_symbols(text)
        if written is None or not written:
            return "Write symbols only, with commas between them: c0, o1, t1, a1."
        if tuple(written) == right:
            return ""
        return _named(written, right, k)

    return check


def _named(written: list[str], right: tuple[str, ...], k: int) -> str:
    """What is wrong with a context that is not the right one; the gravest thing first."""
    extra = [symbol for symbol in written if symbol not in right]
    missing = [symbol for symbol in right if symbol not in written]
    twice = [symbol for symbol in written if written.count(symbol) > 1]
    if extra:
        kind, number = extra[0][0], int(extra[0][1:])
        if kind == "c":
            return f"{extra[0]} is no element: a context holds the prefix c0, and no earlier context."
        if kind == "t" and number < k:
            return f"There is no {extra[0]}: that turn has no thought, only a{number} and o{number + 1}."
        if number >= k:
            return f"{extra[0]} is not there yet: it comes after call {k} has been sent."
        return f"There is no {extra[0]} in this run."
    if missing:
        if missing[0] == "c0":
            return "c0 is missing: the system prompt and the tool descriptions are sent with every call."
        if f"o{k}" in missing:
            return f"o{k} is missing: the latest observation is what this call reads."
        if missing[0][0] == "t":
            return f"{missing[0]} is missing: a thought returns nothing, but it stays in the context."
        return f"{missing[0]} is missing: the model keeps nothing, so everything is sent again."
    if twice:
        return f"{twice[0]} stands there twice; it is sent once in a call."
    return "All are there, but not in the order in which they came: thought, action, then its observation."


CONTEXT = (
    Kind(
        "context-k",
        "Write the context c_k",
        "B",
        2,
        write_context,
        r"c_k=(c_0,\;o_1,t_1,a_1,\;\dots,\;o_{k-1},t_{k-1},a_{k-1},\;o_k)",
    ),
)
