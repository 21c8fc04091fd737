"""Messages, calls and tools in the words of an exercise."""

import json
from collections.abc import Sequence

from core.agent import PROMPT_TOOL_LOOP
from core.messages import AssistantMessage, Message, SystemMessage, ToolCall, ToolResultMessage, ToolSchema
from core.teaching.exercises.base import Code, Table

PSEUDOCODE = Code(
    "\n".join(f"{line.number}: {'    ' * line.indent}{line.text}" for line in PROMPT_TOOL_LOOP),
    "Prompt-ToolLoop",
)


def call_text(call: ToolCall) -> str:
    """The call on one line, its arguments as the model wrote them."""
    return f"{call.name} {call.arguments}"


def asked(message: AssistantMessage) -> str:
    """A reply on one line: its text, then each call with its id."""
    told = [f"{call.id}: {call_text(call)}" for call in message.tool_calls]
    return " · ".join([*([message.content] if message.content else []), *told])


def listed(messages: Sequence[Message], first: int = 1) -> Table:
    """Messages with their numbers and roles, one a row."""
    rows = []
    for number, message in enumerate(messages, start=first):
        match message:
            case AssistantMessage():
                text = asked(message)
            case ToolResultMessage():
                text = f"result of {message.tool_call_id}: {message.content}"
            case _:
                text = message.content
        rows.append((str(number), message.role, text))
    return Table(("no.", "role", "message"), tuple(rows))


def history(system: str | None, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages behind the system prompt that is sent before them."""
    return (*([SystemMessage(content=system)] if system else []), *messages)


def signatures(schemas: Sequence[ToolSchema]) -> Code:
    """The tools, one a line, with what their arguments must be."""
    lines = []
    for schema in schemas:
        required = schema.parameters.get("required", [])
        arguments = [
            f"{name}{'' if name in required else '?'}: {_type(field)}"
            for name, field in schema.parameters["properties"].items()
        ]
        lines.append(f"{schema.name}({', '.join(arguments)})")
    optional = "; ? is optional" if any("?" in line for line in lines) else ""
    return Code("\n".join(lines), f"the tools{optional}")


def schema_text(schema: ToolSchema) -> str:
    """A tool as it is advertised, with one field of its arguments a line."""
    parameters = dict(schema.parameters)
    fields = parameters.pop("properties")
    rest = {key: value for key, value in parameters.items() if key != "type"}
    lines = [f"  {name}: {_json(field)}" for name, field in fields.items()]
    return "\n".join(
        [
            f"{schema.name}: {schema.description}",
            *lines,
            *(f"  {key}: {_json(value)}" for key, value in rest.items()),
        ]
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _type(field: dict[str, object]) -> str:
    values = field.get("enum")
    if isinstance(values, list):
        return " | ".join(map(str, values))
    low, high = field.get("minimum"), field.get("maximum")
    return str(field["type"]) + (f" {low} to {high}" if low is not None and high is not None else "")
