"""What the runtime does next: the line of Prompt-ToolLoop that follows on a moment of a real run."""

from dataclasses import dataclass

import numpy as np

from core.messages import AssistantMessage
from core.teaching.exercises.base import ChoiceField, Kind, Made, Mistake, Step, Table
from core.teaching.exercises.loop_chance import pick
from core.teaching.exercises.loop_faulty_scripts import faulty_script
from core.teaching.exercises.loop_transcript import PSEUDOCODE
from core.trace import Trace

HEADS = (2, 6)
"""The heads of the two loops. They are left out: what they decide is what is asked."""

OVER = "the run is over"
OPTIONS = ("line 1", "line 3", "line 4", "line 5", "line 7", "line 8", "line 9", OVER)


@dataclass(frozen=True)
class Moment:
    """A line that was executed, in which step, at which call of how many; 0 where there is none."""

    line: int
    step: int
    calls: int
    call: int
    text: str

    @property
    def said(self) -> str:
        """What has happened."""
        has = {0: "no call", 1: "one call"}.get(self.calls, f"{self.calls} calls")
        of = f"call {self.call} of {self.calls}"
        return {
            1: "Line 1 has appended the user's input.",
            3: f"Line 3 has got a response; it has {has}.",
            4: f"Line 4 has appended the response; it has {has}.",
            5: f"Line 5 has found {has} in the response.",
            7: f"Line 7 has the result of {of}: {self.text}",
            8: f"Line 8 has appended the result of {of}.",
            9: "Line 9 has returned.",
        }[self.line]


def moments(trace: Trace) -> list[Moment]:
    """The lines that a run executed, in order, without the heads of the loops."""
    found: list[Moment] = []
    response = AssistantMessage()
    for step in trace.steps:
        if step.model_call is not None:
            response = step.model_call.reply
        ids = [call.id for call in response.tool_calls]
        call = ids.index(step.tool_call.id) + 1 if step.tool_call else 0
        for line in (*step.passed, step.line or 0):
            if line in HEADS:
                continue
            at = 0 if line < 7 else call
            if found and (found[-1].line, found[-1].step, found[-1].call) == (line, step.turn, at):
                found.pop()  # line 7 checks the call and runs it: one moment, with the latter's text
            text = step.text if line == 7 else ""
            if line == 7 and step.validation is not None:
                text = f"ERROR: {step.text}"
            found.append(Moment(line, step.turn, len(ids), at, text))
    return found


def next_line(rng: np.random.Generator) -> Made:
    """Name the line that comes next, in two moments of a run."""
    drawn = faulty_script(rng)
    passed = moments(drawn.ran.trace)
    after = [*(f"line {moment.line}" for moment in passed[1:]), OVER]
    places: dict[tuple[int, str], list[int]] = {}
    for place, (moment, following) in enumerate(zip(passed, after, strict=True)):
        if moment.line != 9:
            places.setdefault((moment.line, following), []).append(place)
    decides = pick(rng, [key for key in places if key[0] in (5, 8)])
    other = pick(rng, [key for key in places if key != decides])
    chosen = sorted(pick(rng, places[key]) for key in (decides, other))
    names = ("A", "B")
    rows = [
        (name, str(passed[place].step or "–"), passed[place].said)
        for name, place in zip(names, chosen, strict=True)
    ]
    answers = {name: after[place] for name, place in zip(names, chosen, strict=True)}
    return Made(
        task=f"Two moments of a run with MAX_STEPS = {drawn.max_steps}. Which line comes next? The heads of "
        "the loops, lines 2 and 6, are left out.",
        given=(Table(("moment", "step", "what has happened"), tuple(rows)), PSEUDOCODE),
        fields=tuple(ChoiceField(name, f"After {name}", OPTIONS) for name in names),
        answers=answers,
        hint="Look which loop the line stands in, and whether that loop has anything left to do.",
        mistakes=tuple(
            Mistake(sentence, {name: wrong})
            for name, place in zip(names, chosen, strict=True)
            for wrong, sentence in _wrong(passed[place], after[place], drawn.max_steps).items()
        ),
        steps=tuple(
            Step(f"{name}: {answers[name]}. {_why(passed[place], after[place], drawn.max_steps)}")
            for name, place in zip(names, chosen, strict=True)
        ),
    )


def _why(moment: Moment, following: str, most: int) -> str:
    return {
        (1, "line 3"): "The first step begins: the model is called with the context.",
        (3, "line 4"): "Every response is appended, with calls or without.",
        (4, "line 5"): "Now the runtime looks whether the response has calls.",
        (5, "line 7"): f"It has {moment.calls}, so line 5 does not return, and the first one is executed.",
        (5, OVER): "It has none, so its text is returned.",
        (7, "line 8"): "Whatever comes of a call, error or not, is appended as its result.",
        (8, "line 7"): f"Line 6 goes on with call {moment.call + 1} of {moment.calls}.",
        (8, "line 3"): f"No call is left. Step {moment.step + 1} of {most} begins.",
        (8, "line 9"): f"No call is left, and step {moment.step} of {most} was the last.",
    }[moment.line, following]


def _wrong(moment: Moment, following: str, most: int) -> dict[str, str]:
    """What to say of other lines."""
    failed = moment.text.startswith("ERROR")
    return {
        (1, "line 3"): {"line 4": "There is no response yet: the model has to be called first."},
        (3, "line 4"): {
            "line 5": "First the response is appended, whatever it holds.",
            "line 7": "First the response is appended, with its calls; else a result would have no call.",
            OVER: "First the response is appended, whatever it holds.",
        },
        (4, "line 5"): {
            "line 7": "First line 5 looks whether there are calls at all.",
            OVER: "Line 5 returns, and it comes next.",
            "line 3": "The model is called again only when the calls have their results.",
        },
        (5, "line 7"): {
            OVER: "The response has a call, so it is no answer: the run goes on.",
            "line 3": "The calls come first: the next call of the model reads their results.",
            "line 8": "There is no result yet: the call is executed first.",
            "line 9": "Line 9 comes only when the steps are used up.",
        },
        (5, OVER): {
            "line 9": "Line 5 has returned already. Line 9 is for runs without an answer.",
            "line 3": "A response without a call is the answer: the model is not called again.",
            "line 7": "There is no call to execute.",
        },
        (7, "line 8"): {
            OVER: "An error ends no run: it becomes the result of its call."
            if failed
            else "The model has not read this result yet.",
            "line 3": "First the result is appended, else the model could not read it.",
            "line 7": "First this result is appended; each call gets its own.",
            "line 9": "First the result is appended, also in the last step.",
        },
        (8, "line 7"): {
            "line 3": "Another call waits: all of them run before the model is called again.",
            "line 9": "Another call waits, and its step is not over.",
            OVER: "Another call waits for its result.",
            "line 8": "The next call is executed before its result can be appended.",
        },
        (8, "line 3"): {
            "line 7": "No call is left: this was the last of the response.",
            "line 5": "Line 5 looks at a new response, and for that the model is called first.",
            "line 9": f"Steps are left: this is step {moment.step} of {most}.",
            OVER: "The model has not read the result yet, and steps are left.",
        },
        (8, "line 9"): {
            "line 3": f"Step {moment.step} of {most} was the last: the model is not called again.",
            "line 7": "No call is left: this was the last of the response.",
            "line 5": "Line 5 looks at a new response, and no step is left for one.",
            OVER: "Line 9 still says what is returned.",
        },
    }[moment.line, following]


NEXT_LINE = (Kind("next-line", "What the runtime does next", "B", 2, next_line),)
