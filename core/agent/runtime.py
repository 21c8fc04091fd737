"""Prompt-ToolLoop at work: what stays the same while it goes round, and the context that grows.

`core.agent.loop` starts it.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.agent.asking import Watch, ask
from core.agent.execution import CUT_OFF, ERROR, Executor
from core.agent.formats import Format, Turn
from core.agent.goal import Goal, goal_steps
from core.agent.react_format import OBSERVATION
from core.agent.replies import open_calls, thought_of, well_formed_message, with_distinct_ids
from core.context.assemble import TokenCounter, assemble
from core.errors import InputError
from core.lm.chat import ChatModel
from core.messages.parts import Part
from core.messages.types import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)
from core.trace import Counting, ModelCall, Segment, Step, StepKind, Trace, Validation


@dataclass(frozen=True)
class Runtime:
    """All that stays the same while the loop goes round; the context grows."""

    model: ChatModel
    schemas: tuple[ToolSchema, ...]
    max_steps: int
    counter: TokenCounter | None
    format: Format
    executor: Executor
    watch: Watch | None
    goal: Goal | None = None

    def prompted(self, context: list[Message], user_input: str) -> Iterator[Step]:
        message = UserMessage(content=user_input)
        context.append(message)
        yield Step(kind=StepKind.USER_INPUT, turn=0, line=1, appended=message, text=user_input)
        yield from self._loop(context, 1)

    def resumed(self, trace: Trace) -> Iterator[Step]:
        context, turn = context_of(trace.system, trace.messages), trace.steps[-1].turn
        taken_up = any(step.turn == turn and step.kind is StepKind.TOOL_CALL for step in trace.steps)
        cut_off = bool(trace.calls) and trace.calls[-1].finish_reason == "length"
        steps = self.executor.steps(
            open_calls(trace.messages),
            turn,
            CUT_OFF if cut_off else "",
            passed=() if taken_up else (5,),
        )
        yield from _observing(steps, context)
        yield from self._loop(context, turn + 1)

    def _loop(self, context: list[Message], first: int) -> Iterator[Step]:
        for turn in range(first, self.max_steps + 1):
            over = yield from self._turn(context, turn)
            if over:
                return
        yield Step(
            kind=StepKind.STOP,
            turn=self.max_steps,
            line=9,
            passed=(2,),
            guard="step cap",
            text=self.executor.guards.fallback,
        )

    def _turn(self, context: list[Message], turn: int) -> Generator[Step, None, bool]:
        """Lines 3 to 8; returns whether the run is over."""
        sent, schemas = self.format.sent(context, self.schemas)
        try:
            segments = self._segments(context, sent, schemas)
        except InputError as error:  # the chat template refuses the conversation
            yield Step(kind=StepKind.STOP, turn=turn, line=3, passed=(2,), text=str(error))
            return True
        reply, failure = ask(self.model, sent, schemas, watch=self.watch, is_complete=self.format.is_complete)
        written = well_formed_message(reply.message)
        read = Turn(message=written) if failure else self.format.read(written, self.schemas)
        yield Step(
            kind=StepKind.MODEL_CALL,
            turn=turn,
            line=3,
            passed=(2,),
            model_call=ModelCall(
                segments=segments,
                counting=self.counter.counting if self.counter else Counting(method="unknown"),
                window=self.model.window,
                reply=written,
                finish_reason=reply.finish_reason,
                usage=reply.usage,
                tokens=reply.tokens,
                failure=failure,
                ignored=read.ignored,
                notes=reply.notes,
            ),
        )
        if failure:
            yield Step(kind=StepKind.STOP, turn=turn, line=3, text=failure)
            return True
        response = with_distinct_ids(read.message, context)
        context.append(response)
        if read.problem:
            yield from _observing(_refused(response, read.problem, turn), context)
            return False
        # What was cut at the token limit may be incomplete, unless the format says that it says all.
        cut_off = reply.finish_reason == "length" and not self.format.is_complete(written.content)
        steps = self._answered(response, turn, CUT_OFF if cut_off else "", context)
        over = False
        for step in _observing(steps, context):
            over = step.kind is StepKind.ANSWER
            yield step
        return over

    def _answered(
        self, response: AssistantMessage, turn: int, refused: str, context: Sequence[Message]
    ) -> Iterator[Step]:
        """Lines 4 to 8: the first step appends the response; it answers, or its calls are executed."""
        appended: Message | None = response
        thought = thought_of(response)
        if thought:
            yield Step(kind=StepKind.THOUGHT, turn=turn, line=4, appended=appended, text=thought)
            appended = None
        before: tuple[int, ...] = () if thought else (4,)
        if not response.tool_calls:
            if self.goal is not None:
                reached = yield from goal_steps(self.goal, tuple(context), turn, before, appended)
                if not reached:
                    return
                before, appended = (), None
            yield Step(
                kind=StepKind.ANSWER,
                turn=turn,
                line=5,
                passed=before,
                appended=appended,
                text=response.content,
            )
            return
        yield from self.executor.steps(
            response.tool_calls, turn, refused, passed=(*before, 5), appended=appended
        )

    def _segments(
        self, context: Sequence[Message], sent: Sequence[Message], schemas: Sequence[ToolSchema]
    ) -> tuple[Segment, ...] | None:
        """The context as it is sent; a result stays one where the format sends it as words of the user."""
        if self.counter is None:
            return None
        results = {n for n, message in enumerate(context) if isinstance(message, ToolResultMessage)}
        return tuple(
            segment.model_copy(update={"part": Part.TOOL_RESULT})
            if segment.message in results and segment.part is Part.USER
            else segment
            for segment in assemble(sent, schemas, self.counter)
        )


def context_of(system: str | None, history: Sequence[Message]) -> list[Message]:
    return [*([SystemMessage(content=system)] if system else []), *history]


def _observing(steps: Iterable[Step], context: list[Message]) -> Iterator[Step]:
    """The steps, while what they observe is appended to the context."""
    for step in steps:
        yield step
        if isinstance(step.appended, ToolResultMessage | UserMessage):
            context.append(step.appended)


def _refused(response: AssistantMessage, problem: str, turn: int) -> Iterator[Step]:
    """A reply that its format cannot read: it is told so, in place of an observation."""
    verdict = Validation(ok=False, message=problem)
    yield Step(
        kind=StepKind.VALIDATION,
        turn=turn,
        line=5,
        passed=(4,),
        appended=response,
        validation=verdict,
        text=problem,
    )
    told = f"{OBSERVATION}{ERROR}{problem}"
    yield Step(kind=StepKind.OBSERVATION, turn=turn, line=8, appended=UserMessage(content=told), text=told)
