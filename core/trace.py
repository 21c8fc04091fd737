"""The spine: one `Trace`, written by everything that runs and replayed by every screen.

A trace is a header and a list of steps. A step holds what it added: the message that it appended to
the history, or the model call that it made. So the history and the calls are read off the steps, and
no fact is stored twice. What a source did not tell is `None`.
"""

from enum import StrEnum
from functools import cached_property
from typing import Literal

from core.messages.parts import Part as Part
from core.messages.reply import TokenChoice as TokenChoice
from core.messages.reply import Usage as Usage
from core.messages.types import AssistantMessage, Message, ToolCall, ToolSchema
from core.values import Value


class Segment(Value):
    """A stretch of the assembled context with one owner.

    The texts of a call's segments, joined, are the text that is sent. `message` is the index of the owning
    message among those sent. `tokens` is `len(token_ids)` where the ids are known, an estimate where
    the call's `Counting` says so, and `None` where the source does not tell.
    """

    part: Part
    text: str
    message: int | None = None
    label: str = ""
    token_ids: tuple[int, ...] | None = None
    tokens: int | None = None


class Counting(Value):
    """How the tokens of a context were counted."""

    method: Literal["exact", "estimate", "unknown"]
    tokenizer: str = ""
    template: str = ""


class ModelCall(Value):
    """One call of the model: the context that was sent, and the reply.

    `failure` is the sentence of a call that failed or was stopped; the reply is then what had come of it.
    `ignored` is text of the reply that counts for nothing, such as an observation that the model made up.
    `notes` are sentences on what happened on the way to the server.
    """

    segments: tuple[Segment, ...] | None = None
    counting: Counting = Counting(method="unknown")
    window: int | None = None
    reply: AssistantMessage
    finish_reason: str | None = None
    usage: Usage = Usage()
    tokens: tuple[TokenChoice, ...] | None = None
    failure: str = ""
    ignored: str = ""
    notes: tuple[str, ...] = ()


class Validation(Value):
    """The verdict of the runtime on one tool call, and the stage at which it failed.

    Stages, in the order in which they are tried: `json`, `tool`, `schema`, and `policy`. The first three ask
    whether the call is well-formed. Whether it is permitted, the policy, is a decision of its own with a
    verdict of its own, which names its stage also where it allows the call. What was refused before the first
    check, such as a call that was cut off, has no stage. `repaired` says in a sentence what was done to read
    arguments that were no JSON.
    """

    ok: bool
    stage: Literal["json", "tool", "schema", "policy"] | None = None
    message: str = ""
    arguments: dict[str, object] | None = None
    repaired: str = ""


class StepKind(StrEnum):
    """What happens in a step."""

    USER_INPUT = "user input"
    MODEL_CALL = "model call"
    THOUGHT = "thought"
    TOOL_CALL = "tool call"
    VALIDATION = "validation"
    EXECUTION = "execution"
    OBSERVATION = "observation"
    GUARD = "guard"
    ANSWER = "answer"
    STOP = "stop"


Guard = Literal["step cap", "repeat", "result size", "timeout", "goal test"]
"""What keeps a run from never ending, repeating itself, flooding its context, hanging or ending early."""


class Step(Value):
    """One event of a run.

    `line` is the line of Prompt-ToolLoop that it executes, `passed` the lines that were executed on the
    way to it. `turn` counts model calls from 1 and is 0 before the first. `appended` is the message that
    this step adds to the history. `guard` is the guard that fired in this step.
    """

    kind: StepKind
    turn: int
    line: int | None = None
    passed: tuple[int, ...] = ()
    appended: Message | None = None
    model_call: ModelCall | None = None
    tool_call: ToolCall | None = None
    validation: Validation | None = None
    guard: Guard | None = None
    text: str = ""


class Origin(Value):
    """The file of an imported run: its format, recognised by content, and what its reader should know of it.

    `notices` are sentences: what could not be read, and what was read otherwise than it stands there.
    """

    format: str
    file: str = ""
    notices: tuple[str, ...] = ()


class Parting(Value):
    """Where a run left another one: its step `step`, counted from 0, was put in the place of another.

    Up to there the steps are those of the other run. `instead_of` is the text that stood there.
    """

    step: int
    instead_of: str


class Trace(Value):
    """A whole run. `messages` and `calls` are read off the steps.

    `history` is what was there before the first step: the messages of earlier runs, without the system
    prompt.
    """

    title: str
    source: Literal["recorded", "scripted", "live", "imported"]
    model: str | None = None
    description: str = ""
    system: str | None = None
    tools: tuple[ToolSchema, ...] | None = None
    max_steps: int | None = None
    history: tuple[Message, ...] = ()
    steps: tuple[Step, ...] = ()
    stop_reason: str | None = None
    origin: Origin | None = None
    parting: Parting | None = None

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The history after the last step, in order, without the system prompt."""
        appended = (step.appended for step in self.steps)
        return (*self.history, *(message for message in appended if message is not None))

    @cached_property
    def calls(self) -> tuple[ModelCall, ...]:
        """The model calls in order."""
        return tuple(step.model_call for step in self.steps if step.model_call is not None)
