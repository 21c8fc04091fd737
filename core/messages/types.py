"""The typed messages of a conversation, and what travels inside them.

One type per role, because each role carries other fields. The role strings are those of the
chat APIs (system, user, assistant, tool).
"""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from core.values import Value


class ToolSchema(Value):
    """A tool as it is advertised to the model: name, description, and a JSON Schema of its arguments."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})


class ToolCall(Value):
    """A request of the model to run a tool.

    `arguments` is the string that the model sampled; it need not be valid JSON.
    """

    id: str
    name: str
    arguments: str


class SystemMessage(Value):
    """Standing instructions; the first message of every call."""

    role: Literal["system"] = "system"
    content: str


class UserMessage(Value):
    """What the user said."""

    role: Literal["user"] = "user"
    content: str


class AssistantMessage(Value):
    """A reply of the model: text, tool calls, or both.

    `thinking` is the separately marked reasoning span of a thinking model; `None` where there is none.
    `signature` is what Anthropic's server signed it with, and wants back beside it.
    Text beside tool calls is the thought of a ReAct turn; text without tool calls is the answer.
    """

    role: Literal["assistant"] = "assistant"
    content: str = ""
    thinking: str | None = None
    signature: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()

    @field_validator("thinking")
    @classmethod
    def _empty_thinking_is_none(cls, thinking: str | None) -> str | None:
        return thinking or None


class ToolResultMessage(Value):
    """The observation that answers the call with the same id."""

    role: Literal["tool"] = "tool"
    tool_call_id: str
    content: str
    name: str | None = None
    is_error: bool = False

    @field_validator("name")
    @classmethod
    def _empty_name_is_none(cls, name: str | None) -> str | None:
        return name or None


Message = Annotated[
    SystemMessage | UserMessage | AssistantMessage | ToolResultMessage, Field(discriminator="role")
]
