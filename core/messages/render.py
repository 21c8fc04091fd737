"""From messages to the one text that the model continues, with an owner for every character.

The template is run twice: once plainly, and once with marks (characters that occur nowhere in the
conversation) around every content, tool schema and tool call. Where taking the marks out of the second text
gives the first, the places of the marks say which characters came from where. What remains is the template's
own text.
"""

import re
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import chain, count
from typing import Any, Literal

from core.errors import InputError
from core.messages import strict_json
from core.messages.chat_dialect import MessageLike, ToolLike, as_messages, as_tool_schema
from core.messages.json_text import RawArguments, dumps
from core.messages.parts import Part
from core.messages.templates import run_template, template_text
from core.messages.types import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)
from core.values import Value

GENERATION_PROMPT = "generation prompt"
PREAMBLE = "preamble"


class Owner(Value):
    """Whom a stretch of text belongs to.

    `message` is the index of the owning message; `None` for tool schemas, and for template text that belongs
    to no message. `label` is the name of the tool, the id of the call, `thinking`, or, of template text that
    belongs to no message, `preamble` or `generation prompt`.
    """

    part: Part
    message: int | None = None
    label: str = ""


class Span(Owner):
    """`text[start:end]` and its owner."""

    start: int
    end: int


class Rendered(Value):
    """The text that the model continues.

    `spans` are in order, touch each other and cover the whole text. `exact` is false where a template
    transforms some content so that it could not be followed; that content is then counted as the template's.
    `omitted` names what the template does not write at all (some templates know no tools).
    """

    text: str
    spans: tuple[Span, ...]
    exact: bool = True
    omitted: tuple[Owner, ...] = ()


def render(
    messages: Iterable[MessageLike],
    tools: Iterable[ToolLike] | None,
    template: str,
    add_generation_prompt: bool = True,
) -> Rendered:
    """The conversation as the single text that a chat template makes of it.

    Args:
        messages: typed messages, or dicts of the OpenAI chat dialect, including the system prompt.
        tools: the tools that are advertised.
        template: the name of a template (`core.messages.TEMPLATES`) or the text of a Jinja template.
        add_generation_prompt: whether to end with the opening of the assistant's turn.

    Raises:
        InputError: a message or template that cannot be read, or a conversation that the template refuses.
    """
    typed = as_messages(messages)
    schemas = tuple(as_tool_schema(tool) for tool in tools or ())
    conversation = _Conversation(typed, schemas, template_text(template))
    text = conversation.plain(len(typed), add_generation_prompt)
    owned, exact = conversation.owned(text, add_generation_prompt)
    seen = {slot for _, _, slot in owned}
    return Rendered(
        text=text,
        spans=_covering(text, owned, conversation, add_generation_prompt),
        exact=exact,
        omitted=tuple(slot for slot in conversation.slots if slot not in seen) if exact else (),
    )


Placement = Literal["outer", "inner", "none"]
"""Where the marks of a content stand: around it, inside its leading and trailing white space (so that a
template that trims still trims), or nowhere."""

Run = tuple[int, int, Owner]


@dataclass(frozen=True)
class _Conversation:
    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...]
    template: str
    now: datetime = field(default_factory=datetime.now)  # one moment for all runs of the template

    @property
    def slots(self) -> tuple[Owner, ...]:
        """Everything that is handed to the template and is not empty."""
        return tuple(chain.from_iterable(map(_slots, count(), self.messages))) + tuple(
            Owner(part=Part.TOOLS, label=tool.name) for tool in self.tools
        )

    def plain(self, length: int, add_generation_prompt: bool) -> str:
        """The text of the first `length` messages."""
        messages, tools, marks = self._plain_objects
        return self._run(messages[:length], tools, marks, add_generation_prompt)

    def owned(self, text: str, add_generation_prompt: bool) -> tuple[list[Run], bool]:
        """The stretches that are not the template's, in order, and whether all content could be followed."""
        slots = self.slots

        def attempt(placements: dict[Owner, Placement]) -> list[Run] | None:
            marks = _Marks(placements, text)
            try:
                return marks.read(self._run(*self._objects(marks), marks, add_generation_prompt), text)
            except ValueError:  # also InputError: the template tests content and took another way
                return None

        placement: Placement
        for placement in ("outer", "inner"):
            runs = attempt(dict.fromkeys(slots, placement))
            if runs is not None:
                return runs, True
        chosen: dict[Owner, Placement] = dict.fromkeys(slots, "none")
        followed: list[Run] = []
        for slot in slots:
            for placement in ("outer", "inner"):
                runs = attempt(chosen | {slot: placement})
                if runs is not None:
                    chosen[slot] = placement
                    followed = runs
                    break
        return followed, "none" not in chosen.values()

    @cached_property
    def _plain_objects(self) -> tuple[list[Any], list[Any], "_Marks"]:
        marks = _Marks({}, "")
        return (*self._objects(marks), marks)

    def _objects(self, marks: "_Marks") -> tuple[list[Any], list[Any]]:
        """Messages and tools as templates read them."""
        messages = [_message_object(index, message, marks) for index, message in enumerate(self.messages)]
        return messages, [_tool_object(tool, marks) for tool in self.tools]

    def _run(
        self, messages: list[Any], tools: list[Any], marks: "_Marks", add_generation_prompt: bool
    ) -> str:
        return run_template(
            self.template,
            lambda value, **options: dumps(value, mark=marks.around_json, **options),
            {
                "messages": messages,
                "tools": tools or None,
                "add_generation_prompt": add_generation_prompt,
                "strftime_now": self.now.strftime,
            },
        )


class _Marks:
    """The marks of one run of the template: a pair of characters for each owner.

    They are private-use characters that the plain text does not contain, so no content can forge one.
    """

    def __init__(self, placements: dict[Owner, Placement], plain: str) -> None:
        used = set(plain)
        free = (
            mark
            for code in chain(range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))
            if (mark := chr(code)) not in used
        )
        self._placements = placements
        self._pairs = {
            owner: (next(free), next(free)) for owner, placement in placements.items() if placement != "none"
        }
        self._owned: dict[int, tuple[object, Owner]] = {}

    def around(self, owner: Owner, text: str) -> str:
        """The text between the marks of its owner; empty text stays empty, for templates test that."""
        if owner not in self._pairs or not text:
            return text
        opening, closing = self._pairs[owner]
        if self._placements[owner] == "outer":
            return opening + text + closing
        core = text.strip()
        if not core:
            return text
        start = text.index(core)
        return text[:start] + opening + core + closing + text[start + len(core) :]

    def claim(self, owner: Owner, value: Any) -> Any:
        """Have every object and list in a value enclosed in the owner's marks where it is written as JSON."""
        self._owned[id(value)] = (value, owner)  # holding the value keeps its id from being used again
        members = value.values() if isinstance(value, dict) else value
        for member in members:
            if isinstance(member, dict | list):
                self.claim(owner, member)
        return value

    def around_json(self, value: object, text: str) -> str:
        claimed = self._owned.get(id(value))
        if claimed is None or claimed[1] not in self._pairs:
            return text
        opening, closing = self._pairs[claimed[1]]
        return opening + text + closing

    def read(self, marked: str, plain: str) -> list[Run] | None:
        """The owned stretches of the plain text, or `None` where the marks changed or lost something."""
        opening = {pair[0]: owner for owner, pair in self._pairs.items()}
        closing = {pair[1]: owner for owner, pair in self._pairs.items()}
        if not opening:
            return [] if marked == plain else None
        pieces = re.split("([" + "".join([*opening, *closing]) + "])", marked)
        if "".join(pieces[::2]) != plain:
            return None
        runs: list[Run] = []
        inside: list[Owner] = []
        position = 0
        for index, piece in enumerate(pieces):
            if index % 2 == 0:
                if inside and piece:
                    runs.append((position, position + len(piece), inside[0]))
                position += len(piece)
            elif piece in opening:
                inside.append(opening[piece])
            elif not inside or inside.pop() != closing[piece]:
                return None
        return None if inside else _joined(runs)


def _joined(runs: Sequence[Run]) -> list[Run]:
    """Neighbouring runs of one owner as one. A schema or call that is written piece by piece owns what lies
    between."""
    joined: list[Run] = []
    for start, end, owner in runs:
        if joined:
            first, last, previous = joined[-1]
            if previous == owner and (last == start or owner.part in (Part.TOOLS, Part.TOOL_CALL)):
                joined[-1] = (first, end, owner)
                continue
        joined.append((start, end, owner))
    return joined


def _slots(index: int, message: Message) -> list[Owner]:
    slots = []
    if isinstance(message, AssistantMessage) and message.thinking:
        slots.append(_thinking(index))
    if message.content:
        slots.append(_content(index, message))
    if isinstance(message, AssistantMessage):
        slots += [_call(index, call) for call in message.tool_calls]
    return slots


def _content(index: int, message: Message) -> Owner:
    match message:
        case SystemMessage():
            return Owner(part=Part.SYSTEM, message=index)
        case UserMessage():
            return Owner(part=Part.USER, message=index)
        case AssistantMessage():
            return Owner(part=Part.ASSISTANT, message=index)
        case _:
            return Owner(part=Part.TOOL_RESULT, message=index, label=message.tool_call_id)


def _thinking(index: int) -> Owner:
    return Owner(part=Part.ASSISTANT, message=index, label="thinking")


def _call(index: int, call: ToolCall) -> Owner:
    return Owner(part=Part.TOOL_CALL, message=index, label=call.id)


def _tool_object(tool: ToolSchema, marks: _Marks) -> dict[str, Any]:
    owner = Owner(part=Part.TOOLS, label=tool.name)
    function: dict[str, Any] = {"name": marks.around(owner, tool.name)}
    if tool.description:
        function["description"] = marks.around(owner, tool.description)
    function["parameters"] = deepcopy(tool.parameters)
    claimed: dict[str, Any] = marks.claim(owner, {"type": "function", "function": function})
    return claimed


def _message_object(index: int, message: Message, marks: _Marks) -> dict[str, Any]:
    """The message as templates read it: the OpenAI chat dialect, with arguments as objects."""
    written: dict[str, Any] = {
        "role": message.role,
        "content": marks.around(_content(index, message), message.content),
    }
    if isinstance(message, AssistantMessage):
        if message.thinking:
            # Qwen's and DeepSeek's templates read the first name, gpt-oss's the second.
            written["reasoning_content"] = marks.around(_thinking(index), message.thinking)
            written["thinking"] = written["reasoning_content"]
        if message.tool_calls:
            written["tool_calls"] = [
                _call_object(_call(index, call), call, marks) for call in message.tool_calls
            ]
    elif isinstance(message, ToolResultMessage):
        written["tool_call_id"] = message.tool_call_id
        if message.name is not None:
            written["name"] = message.name
    return written


def _call_object(owner: Owner, call: ToolCall, marks: _Marks) -> dict[str, Any]:
    arguments = _arguments(call.arguments)
    if isinstance(arguments, RawArguments):
        arguments = RawArguments(marks.around(owner, arguments))
    function = {"name": marks.around(owner, call.name), "arguments": arguments}
    claimed: dict[str, Any] = marks.claim(owner, {"id": call.id, "type": "function", "function": function})
    return claimed


def _arguments(text: str) -> Any:
    """The decoded arguments; no arguments are `{}`; what is not a JSON object stays the text that it is."""
    if not text.strip():
        return {}
    try:
        decoded = strict_json.parse(text)
    except strict_json.JSONFault:
        return RawArguments(text)
    return decoded if isinstance(decoded, dict) else RawArguments(text)


def _covering(
    text: str, owned: Sequence[Run], conversation: _Conversation, add_generation_prompt: bool
) -> tuple[Span, ...]:
    """The owned stretches, and between them the template's text, cut where a message or the prompt begins."""
    starts = _starts(text, owned, conversation, add_generation_prompt)
    ends = [start for start, _ in starts[1:]] + [len(text)]

    def template(start: int, end: int) -> list[Span]:
        cuts = [
            (max(start, begin), min(end, stop), owner)
            for (begin, owner), stop in zip(starts, ends, strict=True)
        ]
        return [Span(start=first, end=last, **dict(owner)) for first, last, owner in cuts if first < last]

    spans: list[Span] = []
    position = 0
    for start, end, owner in owned:
        spans += [*template(position, start), Span(start=start, end=end, **dict(owner))]
        position = end
    return (*spans, *template(position, len(text)))


def _starts(
    text: str, owned: Sequence[Run], conversation: _Conversation, add_generation_prompt: bool
) -> list[tuple[int, Owner]]:
    """Where the template's text for each message begins, in order: preamble, messages, generation prompt.

    A message begins where the text of the messages before it stops being a prefix of the whole text, but
    never before the content of an earlier message nor after its own.
    """
    length = len(conversation.messages)
    of_messages = [run for run in owned if run[2].message is not None]

    def last_end(before: int) -> int:
        return max((end for _, end, owner in of_messages if (owner.message or 0) < before), default=0)

    def first_start(from_: int) -> int:
        return min(
            (start for start, _, owner in of_messages if (owner.message or 0) >= from_), default=len(text)
        )

    def alone(count: int) -> str:
        try:
            return conversation.plain(count, False)
        except InputError:  # many templates refuse a conversation that is cut short
            return ""

    preamble = alone(0)
    begin = len(preamble) if text.startswith(preamble) and len(preamble) <= first_start(0) else 0
    starts = [(0, Owner(part=Part.TEMPLATE, label=PREAMBLE))]
    for index in range(length):
        if index > 0:
            shared = _shared_prefix(alone(index), text)
            begin = max(begin, last_end(index), min(shared, first_start(index)))
        starts.append((begin, Owner(part=Part.TEMPLATE, message=index)))
    body = alone(length)
    prompt = len(body) if add_generation_prompt and body and text.startswith(body) else len(text)
    starts.append((max(prompt, begin), Owner(part=Part.TEMPLATE, label=GENERATION_PROMPT)))
    return starts


def _shared_prefix(first: str, second: str) -> int:
    """How many characters two texts have in common from the start."""
    if second.startswith(first):  # nearly always, and much faster than looking for a difference
        return len(first)
    pairs = enumerate(zip(first, second, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(first), len(second)))
