"""Prompt-ToolLoop: the loop of the lecture, as a generator of the steps that it executes.

Each step carries its line of the pseudocode (`core.agent.pseudocode`), so that a screen can follow a run that
is still going on.
"""

from collections.abc import Iterator, Sequence

import pydantic

from core.agent.tools import Tool, well_formed
from core.agent.validation import schema_problems, validate_call
from core.context.assemble import TokenCounter, assemble
from core.errors import InputError
from core.lm.chat import ChatModel, Reply
from core.messages.pairing import check_pairing
from core.messages.types import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from core.trace import Counting, ModelCall, Step, StepKind, Validation

MAX_STEPS = 8
EXHAUSTED = "stopped: step budget exhausted"
CUT_OFF = (
    "the reply was cut off at the token limit, so this call may be incomplete and was not executed; "
    "send it again, shorter"
)


def run(
    model: ChatModel,
    user_input: str,
    tools: Sequence[Tool] = (),
    *,
    system: str | None = None,
    max_steps: int = MAX_STEPS,
    counter: TokenCounter | None = None,
    history: Sequence[Message] = (),
) -> Iterator[Step]:
    """Run the loop on one user input, step by step; nothing runs until the next step is asked for.

    Every tool call gets exactly one result with its id, whatever happens: what fails validation, what raises
    and what was cut off gets an error as its result.

    Args:
        model: the model that is called with the whole context in every step.
        user_input: what the user says.
        tools: the tools that are advertised and may be executed.
        system: the system prompt, the first message of every call.
        max_steps: the largest number of model calls.
        counter: how the context of each call is written and counted; without it, calls have no segments.
        history: the messages of earlier turns, without the system prompt.

    Raises:
        InputError: at once on a bad argument; later where the model cannot be reached or the chat template
            refuses the conversation.
    """
    if max_steps < 1:
        raise InputError("The step budget must be at least 1.")
    names = [tool.name for tool in tools]
    if len(set(names)) < len(names):
        raise InputError(f"Two tools have the same name: {', '.join(sorted(names))}.")
    for tool in tools:
        schema_problems({}, tool.schema)
    if problems := check_pairing(history):
        raise InputError(f"The history cannot be sent. {problems[0]}")
    return _loop(model, user_input, tools, system, max_steps, counter, history)


def _loop(
    model: ChatModel,
    user_input: str,
    tools: Sequence[Tool],
    system: str | None,
    max_steps: int,
    counter: TokenCounter | None,
    history: Sequence[Message],
) -> Iterator[Step]:
    schemas = tuple(tool.schema for tool in tools)
    context: list[Message] = [SystemMessage(content=system)] if system else []
    context += history

    user_message = UserMessage(content=user_input)
    context.append(user_message)
    yield Step(kind=StepKind.USER_INPUT, turn=0, line=1, appended=user_message, text=user_input)

    for turn in range(1, max_steps + 1):
        segments = assemble(context, schemas, counter) if counter else None
        reply = model.reply(tuple(context), schemas)
        yield Step(
            kind=StepKind.MODEL_CALL,
            turn=turn,
            line=3,
            passed=(2,),
            model_call=ModelCall(
                segments=segments,
                counting=counter.counting if counter else Counting(method="unknown"),
                window=model.window,
                reply=reply.message,
                finish_reason=reply.finish_reason,
                usage=reply.usage,
                tokens=reply.tokens,
            ),
        )

        response = with_distinct_ids(reply.message, turn)
        context.append(response)
        appended: Message | None = response  # carried by the first step that follows line 4
        thought = _thought(response)
        if thought:
            yield Step(kind=StepKind.THOUGHT, turn=turn, line=4, appended=appended, text=thought)
            appended = None

        if not response.tool_calls:
            yield Step(
                kind=StepKind.ANSWER,
                turn=turn,
                line=5,
                passed=(4,) if appended else (),
                appended=appended,
                text=response.content,
            )
            return

        for number, call in enumerate(response.tool_calls):
            passed = () if number else (4, 5) if appended else (5,)
            yield Step(
                kind=StepKind.TOOL_CALL,
                turn=turn,
                line=6,
                passed=passed,
                appended=None if number else appended,
                tool_call=call,
            )
            for step in _executed(call, tools, reply, turn):
                yield step
                if isinstance(step.appended, ToolResultMessage):
                    context.append(step.appended)

    yield Step(kind=StepKind.STOP, turn=max_steps, line=9, passed=(2,), text=EXHAUSTED)


def _executed(call: ToolCall, tools: Sequence[Tool], reply: Reply, turn: int) -> Iterator[Step]:
    """Lines 7 and 8 for one call: validation, execution if it passed, and the observation."""
    if reply.finish_reason == "length":
        # Complete JSON may still be shorter than what the model meant to write: only the finish reason tells.
        verdict = Validation(ok=False, message=CUT_OFF)
    else:
        verdict = validate_call(call, tools)
    yield Step(
        kind=StepKind.VALIDATION, turn=turn, line=7, tool_call=call, validation=verdict, text=verdict.message
    )
    failed = not verdict.ok
    result = verdict.message
    if verdict.ok:
        tool = next(tool for tool in tools if tool.name == call.name)
        try:
            result = tool.execute(verdict.arguments or {})
        except (Exception, SystemExit) as error:  # every exception of a tool is the result of its call
            failed = True
            result = well_formed(_message(error))
        yield Step(
            kind=StepKind.EXECUTION,
            turn=turn,
            line=7,
            tool_call=call,
            text=f"ERROR: {result}" if failed else result,
        )
    observation = ToolResultMessage(
        tool_call_id=call.id,
        name=call.name,
        content=f"ERROR: {result}" if failed else result,
        is_error=failed,
    )
    yield Step(
        kind=StepKind.OBSERVATION,
        turn=turn,
        line=8,
        tool_call=call,
        appended=observation,
        text=observation.content,
    )


def with_distinct_ids(message: AssistantMessage, turn: int) -> AssistantMessage:
    """The message as it enters the history: each call with an id that no other call of the message has.

    Without that, a result could not be paired with its call. The first holder keeps an id; a call that
    repeats it, or has none, gets `call_<turn>_<position>`, both counted from 1.
    """
    given = {call.id for call in message.tool_calls}
    seen: set[str] = set()
    calls = []
    for position, call in enumerate(message.tool_calls, start=1):
        if not call.id or call.id in seen:
            fresh = f"call_{turn}_{position}"
            while fresh in given | seen:
                fresh += "_"
            call = call.model_copy(update={"id": fresh})
        seen.add(call.id)
        calls.append(call)
    return message.model_copy(update={"tool_calls": tuple(calls)})


def _thought(response: AssistantMessage) -> str:
    """Text that neither acts nor answers: a thinking span, and text beside tool calls."""
    beside = response.content if response.tool_calls else ""
    return "\n\n".join(text for text in (response.thinking, beside) if text and text.strip())


def _message(error: BaseException) -> str:
    """What the model is told of an exception. Its type is named, for a bare `KeyError` says only the key."""
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, pydantic.ValidationError):
        return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
