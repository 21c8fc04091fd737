"""Claude Code's sessions: JSON lines `{type, uuid, parentUuid, isSidechain, message}`.

One reply of the model is split over lines with the same `message.id`, each with the usage of the whole: the
last one counts. Lines of a rewound branch are left out. A sidechain is the conversation of a subagent, and a
run of its own. System prompt and tool schemas are not in these files.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from core.messages.types import AssistantMessage
from core.traces.conversation import read_message
from core.traces.run import Notices, Run, Said
from core.traces.shape import first_text, mapping, objects

NAME = "Claude Code"
KINDS = ("user", "assistant")


def matches(value: Any) -> bool:
    """Whether the value is a list of such lines."""
    return isinstance(value, list) and any(_is_message(line) for line in objects(value))


def read(value: Any) -> Iterator[Run]:
    """The session, and after it a run for each subagent."""
    lines = objects(value)
    messages = _once([line for line in lines if _is_message(line)])
    kept, dropped = _without_abandoned(messages)
    notices = Notices()
    if dropped:
        notices.add(f"The session was rewound: {dropped:,} lines of abandoned branches are left out.")
    if any(line.get("subtype") == "compact_boundary" for line in lines):
        notices.add("The conversation was compacted: after that the model saw its summary instead.")
    titles = [first_text(line, "summary", "customTitle", "aiTitle") for line in lines]
    title = next(filter(None, titles), "")
    main = [line for line in kept if line.get("isSidechain") is not True]
    if main:
        yield _run(main, title, notices)
    for number, side in enumerate(_sidechains(kept), 1):
        about = Notices()
        about.add("This is the conversation of a subagent.")
        yield _run(side, f"Subagent {number}" if main else "", about)


def _is_message(line: dict[str, Any]) -> bool:
    known = "uuid" in line or "sessionId" in line or "session_id" in line
    return line.get("type") in KINDS and known and mapping(line.get("message")).get("role") in KINDS


def _once(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each line once: a session that was resumed may hold its beginning again."""
    seen: set[str] = set()
    kept = []
    for line in lines:
        uuid = first_text(line, "uuid")
        if not uuid or uuid not in seen:
            kept.append(line)
        seen.add(uuid)
    return kept


def _without_abandoned(lines: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """The lines but those below a prompt that the user took back to write another in its place.

    Parents may form a cycle in a damaged file, so every line is visited once.
    """
    children: dict[str, list[int]] = {}
    prompts: dict[str, int] = {}
    abandoned: list[int] = []
    for index, line in enumerate(lines):
        parent = first_text(line, "parentUuid")
        if not parent:
            continue
        children.setdefault(parent, []).append(index)
        if _is_prompt(line):
            if parent in prompts:
                abandoned.append(prompts[parent])
            prompts[parent] = index
    gone: set[int] = set()
    while abandoned:
        index = abandoned.pop()
        if index not in gone:
            gone.add(index)
            abandoned += children.get(first_text(lines[index], "uuid"), ())
    if len(lines) - 1 in gone:  # the latest line cannot be abandoned: the parents form a circle
        return list(lines), 0
    return [line for index, line in enumerate(lines) if index not in gone], len(gone)


def _is_prompt(line: dict[str, Any]) -> bool:
    """What the user typed: neither a result of a tool nor what the program added."""
    if line.get("type") != "user" or line.get("isMeta") is True or line.get("isSidechain") is True:
        return False
    content = mapping(line.get("message")).get("content")
    return not any(block.get("type") == "tool_result" for block in objects(content))


def _sidechains(lines: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The lines of each subagent. A chain begins where the parent is none of the subagents' lines."""
    chain_of: dict[str, int] = {}
    chains: list[list[dict[str, Any]]] = []
    agents: dict[str, int] = {}
    for line in lines:
        if line.get("isSidechain") is not True:
            continue
        agent, parent = first_text(line, "agentId"), first_text(line, "parentUuid")
        number = agents.get(agent) if agent else chain_of.get(parent)
        if number is None:
            number = len(chains)
            chains.append([])
        chains[number].append(line)
        chain_of[first_text(line, "uuid")] = number
        if agent:
            agents[agent] = number
    return chains


def _run(lines: Sequence[dict[str, Any]], title: str, notices: Notices) -> Run:
    said: list[Said] = []
    replies: dict[str, int] = {}  # id of a reply: its place
    model = None
    for number, line in enumerate(lines, 1):
        told = mapping(line.get("message"))
        for one in read_message(told, notices, number):
            reply_id = first_text(told, "id")
            if not isinstance(one.message, AssistantMessage) or not reply_id:
                said.append(one)
            elif reply_id in replies:
                place = replies[reply_id]
                said[place] = _joined(said[place], one)
            else:
                replies[reply_id] = len(said)
                said.append(one)
        if told.get("role") == "assistant" and first_text(told, "model") not in ("", "<synthetic>"):
            model = first_text(told, "model")
    return Run(said, title=title, model=model, notices=tuple(notices))


def _joined(first: Said, second: Said) -> Said:
    """One reply of two of its lines."""
    one, other = first.message, second.message
    assert isinstance(one, AssistantMessage)
    assert isinstance(other, AssistantMessage)
    known = {call.id for call in one.tool_calls}
    message = AssistantMessage(
        content=one.content + other.content,
        thinking="\n\n".join(filter(None, (one.thinking, other.thinking))) or None,
        # One signs one thought: of two in a row neither is right.
        signature=None if one.thinking and other.thinking else one.signature or other.signature,
        tool_calls=one.tool_calls + tuple(call for call in other.tool_calls if call.id not in known),
    )
    return replace(second, message=message, finish_reason=second.finish_reason or first.finish_reason)
