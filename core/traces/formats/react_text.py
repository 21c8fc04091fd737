"""ReAct as text, in its two dialects.

The paper's (Yao et al. 2023, appendix C): `Question:`, `Thought 1:`, `Action 1: Search[x]`,
`Observation 1:`, ending with `Finish[...]`. LangChain's: `Action:` and `Action Input:` on two lines, ending
with `Final Answer:`.
A file of few-shot prompts holds many episodes, each of which is a run; the text before the first one is the
instruction, and becomes the system prompt. Where a heading says so, all of it is one dialogue, and one run.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from core.messages.react_labels import Section, sections
from core.messages.types import AssistantMessage, ToolCall, ToolResultMessage, UserMessage
from core.traces.run import Notices, Run, Said
from core.traces.shape import mapping

NAME = "ReAct text"
QUESTIONS = ("question", "claim")
ANSWERS = ("final answer", "answer")
FINISH = "finish"
MOST_LABELS = 50_000
DIALOGUE = re.compile(r"\s*# One dialogue: [0-9]+ questions, one run\.[^\S\n]*\n")


def heading(questions: int) -> str:
    """The line above an exported dialogue, without which every question would begin a run."""
    return f"# One dialogue: {questions} questions, one run."


def matches(value: Any) -> bool:
    """Whether the value is such a text, or holds one for each run."""
    return any(_is_react(written) for _, written in _texts(value))


def read(value: Any) -> Iterator[Run]:
    """A run for each episode."""
    for title, written in _texts(value):
        if _is_react(written):
            episodes = list(_episodes(written))
            for number, (system, blocks) in enumerate(episodes, 1):
                which = f"{title} · {number} of {len(episodes)}" if title and len(episodes) > 1 else title
                yield _run(which, system, blocks)


# What LangChain's console writes around a run.
CONSOLE = re.compile(r"^\s*> (?:Entering new .* chain\.\.\.|Finished chain\.)[^\S\n]*$", re.MULTILINE)


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Texts with a name, or with the empty one: the value, its members, or those of its elements."""
    if isinstance(value, str):
        yield "", value
        return
    for holder in value if isinstance(value, list) else [value]:
        if isinstance(holder, str):
            yield "", holder
        for name, member in mapping(holder).items():
            if isinstance(member, str):
                yield (name if isinstance(value, dict) else ""), member


def _is_react(written: str) -> bool:
    """Whether a text has labels of a run, with their capitals: in prose, `action:` can begin a line."""
    capital = (found for found in _sections(written) if found.raw.lstrip(" \t#*")[:1].isupper())
    labels = {found.label for found in capital if found.label}
    return bool(labels & {"action", *ANSWERS}) and len(labels) > 1


def _sections(written: str) -> list[Section]:
    return sections(CONSOLE.sub("", written), also=("answer",))[:MOST_LABELS]


def _episodes(written: str) -> Iterator[tuple[str, list[Section]]]:
    """The instruction and the sections of each episode, which begins with a question."""
    one = DIALOGUE.match(written)
    found = _sections(written[one.end() :] if one else written)
    preface = found.pop(0).raw.strip() if found and not found[0].label else ""
    blocks: list[Section] = []
    for section in found:
        if section.label in QUESTIONS and blocks and not one:
            yield preface, blocks
            blocks = []
        blocks.append(section)
    if blocks:
        yield preface, blocks


def _run(title: str, system: str, blocks: Sequence[Section]) -> Run:
    notices = Notices()
    said: list[Said] = []
    thoughts: list[str] = []
    ids: set[str] = set()
    latest = stop = ""
    finished = False
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        text = block.body.strip()
        match block.label:
            case "question" | "claim":
                said.append(Said(UserMessage(content=text)))
            case "thought":
                thoughts.append(text)
            case "action":
                told = following.body.strip() if following and following.label == "action input" else None
                name, arguments = _action(block, told, notices)
                if name.lower() == FINISH:
                    said.append(_answer(arguments, thoughts))
                    finished = True
                else:
                    call = ToolCall(
                        id=f"call_{block.number}" if block.number else "", name=name, arguments=arguments
                    )
                    content, latest = "\n".join(thoughts), call.id
                    ids.add(latest)
                    said.append(Said(AssistantMessage(content=content, tool_calls=(call,))))
                thoughts = []
            case "observation" if finished:
                stop = text
            case "observation":
                # The result of the action with the same number; without one, of the action before.
                wanted = f"call_{block.number}"
                call_id = wanted if wanted in ids else latest
                said.append(Said(ToolResultMessage(tool_call_id=call_id, content=text)))
            case "final answer" | "answer":
                said.append(_answer(text, thoughts))
                thoughts = []
    if thoughts:
        notices.add("The text ends with a thought; no action or answer follows it.")
        said.append(Said(AssistantMessage(content="\n".join(thoughts))))
    if stop:
        notices.add(f"After the end stands: {' '.join(stop.split()):.200}")
    return Run(said, title=title, system=system or None, notices=tuple(notices))


def _action(block: Section, told: str | None, notices: Notices) -> tuple[str, str]:
    """Name and argument of an action. Brackets may nest: the last one closes."""
    text = block.body.strip()
    if told is not None:
        return text, told
    name, bracket, arguments = text.partition("[")
    if not bracket or "\n" in name or not arguments.endswith("]"):
        notices.add(f"Action {block.number}".strip() + " is not of the form Tool[argument].")
        return name.strip(), arguments
    return name.strip(), arguments.removesuffix("]")


def _answer(text: str, thoughts: Sequence[str]) -> Said:
    return Said(AssistantMessage(content=text, thinking="\n".join(thoughts) or None))
