"""ReAct as text: what a model wrote, as thoughts, actions, observations and answers.

Two dialects, freely mixed:

    Thought 1: ...  Action 1: Search[Oslo]  Observation 1: ...  Finish[no]      Yao et al. (2023), Appendix C
    Thought: ...  Action: search  Action Input: {"query": "Oslo"}  Final Answer: no      LangChain

`Question:` and `Claim:` open an episode, so a few-shot prompt is read as a whole. The spellings of a label
are in `core.messages.react_labels`.

A turn is what lies between two observations: thoughts, then one action, answer or fault, which ends it. What
the model writes after that, before any tool could run, is kept in `ignored` and counts for nothing.
"""

import json
import re
from collections.abc import Iterator, Sequence

from core.agent.repair import unfenced
from core.errors import InputError
from core.messages.react_labels import Section, sections
from core.values import Value

FORM = (
    "Write `Action:` with the name of a tool, and on the next line `Action Input:` with its arguments as a "
    "JSON object; or write `Final Answer:` with the answer."
)


EPISODES = ("question", "claim")
"""Labels that open an episode: of HotpotQA and of FEVER, in the prompts of Yao et al. (2023)."""


class Thought(Value):
    """A step of reasoning."""

    text: str


class Action(Value):
    """A call of a tool; `input` is what was written for its arguments, not yet parsed."""

    name: str
    input: str
    ignored: str = ""


class Observation(Value):
    """A result. In a reply of a model it is made up, for the runtime writes the real one."""

    text: str


class Finish(Value):
    """The answer, which ends the run."""

    answer: str
    ignored: str = ""


class Malformed(Value):
    """A turn that neither acts nor answers: what was written, and a sentence that tells the model why not."""

    text: str
    problem: str
    ignored: str = ""


Item = Thought | Action | Observation | Finish | Malformed


def parse_react(text: str) -> list[Item]:
    """Everything that a ReAct text says, in order. No text is an error: what makes no sense is `Malformed`.

    Raises:
        InputError: `text` is no string.
    """
    if not isinstance(text, str):
        raise InputError(f"A ReAct text must be a string, not {type(text).__name__}.")
    found = sections(text)
    if len(found) > 1 and not found[0].label and found[1].label in EPISODES:
        del found[0]  # the instruction above a prompt's examples
    items = [item for turn in _turns(found) for item in _read(turn)]
    return items or [Malformed(text=text, problem=f"The reply is empty. {FORM}")]


def stop_and_parse(text: str) -> list[Item]:
    """What counts of a reply: thoughts, and the first action, answer or fault, always the last of the list.

    An observation that the model wrote itself is where the reply is cut: what follows rests on something that
    no tool has returned.
    """
    items = parse_react(text[: observation_at(text)])
    end = next(n for n, item in enumerate(items) if isinstance(item, Action | Finish | Malformed))
    return items[: end + 1]


def observation_at(text: str) -> int:
    """Where the first line begins that is labelled as an observation; the length of the text without one."""
    position = 0
    for section in sections(text):
        if section.label == "observation":
            return position
        position += len(section.raw)
    return len(text)


# --- turns: thoughts, and what ends them


def _turns(found: Sequence[Section]) -> Iterator[list[Section]]:
    turn: list[Section] = []
    for section in found:
        if section.label in ("observation", *EPISODES):
            yield turn
            turn = []
        turn.append(section)
    yield turn


def _read(turn: Sequence[Section]) -> list[Item]:
    """The items of one turn, which may begin with the observation or the question before it."""
    items: list[Item] = []
    labelled = any(section.label for section in turn)
    for number, section in enumerate(turn):
        text = section.body.strip()
        match section.label:
            case "observation":
                items.append(Observation(text=text))
            case "question" | "claim":
                continue
            case "thought":
                items.append(Thought(text=text))
            case "" if not text:
                continue
            case "" if labelled:  # the prompt ended with `Thought:`, and the model went on from there
                items.append(Thought(text=text))
            case "action":
                after = turn[number + 1] if number + 1 < len(turn) else None
                given = after if after is not None and after.label == "action input" else None
                rest = turn[number + (1 if given is None else 2) :]
                return [*items, _with_ignored(_action(section, given), rest)]
            case "final answer" if text:
                return [*items, _with_ignored(Finish(answer=text), turn[number + 1 :])]
            case _:
                return [*items, _with_ignored(_fault(section), turn[number + 1 :])]
    if any(isinstance(item, Thought) for item in items):
        written = "".join(section.raw for section in turn).strip()
        items.append(Malformed(text=written, problem=f"The reply has no action and no answer. {FORM}"))
    return items


def _fault(section: Section) -> Malformed:
    problem = {
        "action input": "There is an `Action Input:` without an `Action:` above it.",
        "final answer": "There is nothing after `Final Answer:`.",
    }.get(section.label, "The reply has no `Thought:`, no `Action:` and no `Final Answer:`.")
    return Malformed(text=section.raw.strip(), problem=f"{problem} {FORM}")


def _with_ignored(item: Action | Finish | Malformed, rest: Sequence[Section]) -> Action | Finish | Malformed:
    written = (item.ignored, *(section.raw.strip() for section in rest))
    return item.model_copy(update={"ignored": "\n".join(text for text in written if text)})


_BRACKETS = re.compile(r"(?P<name>[^\[\]\n]+)\[(?P<rest>.*)", re.DOTALL)


def _action(section: Section, given: Section | None) -> Action | Finish | Malformed:
    first, _, below = section.body.strip().partition("\n")
    name = first.strip().strip("*").strip()
    if given is not None and name:
        written, ignored = _input(given.body)
        return _acted(name, written, "\n".join(text for text in (below.strip(), ignored) if text))
    bracketed = _BRACKETS.match(section.body.strip().strip("*"))
    if not bracketed:
        what = f"`{_quoted(section.raw)}` has no `Action Input:`." if name else "`Action:` names no tool."
        raw = section.raw if given is None else section.raw + given.raw
        return Malformed(text=raw.strip(), problem=f"{what} {FORM}")
    name, end = bracketed["name"].strip(), _closing(bracketed["rest"])
    if end < 0:
        problem = f"The bracket of `{_quoted(section.raw)}` is not closed. {FORM}"
        return Malformed(text=section.raw.strip(), problem=problem)
    return _acted(name, bracketed["rest"][:end].strip(), bracketed["rest"][end + 1 :].strip())


def _quoted(written: str) -> str:
    """The offending line, for the model to find it."""
    line = written.strip().partition("\n")[0].strip()
    return line if len(line) <= 80 else line[:79] + "…"


def _acted(name: str, written: str, ignored: str) -> Action | Finish:
    """`Finish` is the action that ends the run (Yao et al., 2023)."""
    if name.lower() == "finish":
        return Finish(answer=written, ignored=ignored)
    return Action(name=name, input=written, ignored=ignored)


def _closing(text: str) -> int:
    """The place of the bracket that closes; the last one where the brackets inside do not pair, as [0, 1)."""
    if text.count("[") + 1 == text.count("]"):
        open_ = 1
        for place in re.finditer(r"[\[\]]", text):
            open_ += 1 if place.group() == "[" else -1
            if open_ == 0:
                return place.start()
    return text.rfind("]")


_MARKERS = ("Thought:", "Action:", "Action Input:", "Observation:", "Final Answer:")


def _input(body: str) -> tuple[str, str]:
    """What was written for the arguments, and what is none of it."""
    text, ignored = body.strip(), ""
    above, newline, last = text.rpartition("\n")
    # A stop sequence can leave its own first letters behind.
    if newline and any(marker.startswith(last.strip()) for marker in _MARKERS):
        text, ignored = above.strip(), last.strip()
    inside = unfenced(text)
    text = text if inside is None else inside.strip()
    if text.startswith("{"):
        # Only a JSON scanner knows where an object ends: braces nest, and those in a string do not count.
        try:
            _, end = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return text, ignored
        return text[:end], "\n".join(part for part in (text[end:].strip(), ignored) if part)
    return text, ignored
