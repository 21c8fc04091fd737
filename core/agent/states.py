"""The state of the loop after each step of a trace, as screens show it beside the pseudocode.

The symbols are those of the lecture: the context is c_k = (c0, o1, t1, a1, o2, ...), the prefix c0,
observations o (the first is the user's input), thoughts t and actions a. A turn with several calls has an
action for each, `a1.1` and `a1.2`, and as many observations, `o2.1` and `o2.2`. An answer ends the run and
has no symbol.
"""

from core.errors import InputError
from core.messages.types import AssistantMessage, ToolResultMessage, UserMessage
from core.trace import Step, StepKind, Trace
from core.values import Value


class LoopState(Value):
    """What holds after a step.

    `turn` is the variable `step` of line 2, 0 before the loop. `history` is the number of messages, without
    the system prompt; `pending` the ids of the calls that have no result yet. `context` is c_k as symbols,
    `added` the indices of those that this step appended, and `about` the index of the one that the step deals
    with.
    """

    turn: int
    history: int
    pending: tuple[str, ...]
    context: tuple[str, ...]
    added: tuple[int, ...]
    about: int | None


def states(trace: Trace) -> tuple[LoopState, ...]:
    """One state for each step of the trace.

    Raises:
        InputError: what was given is no trace.
    """
    if not isinstance(trace, Trace):
        raise InputError(f"States are those of a Trace, not of {type(trace).__name__}.")
    reader = _Reader(len(trace.history))
    return tuple(reader.after(step) for step in trace.steps)


class _Reader:
    """Follows the steps and keeps what they have built up."""

    def __init__(self, history: int) -> None:
        self._history = history
        self._context = ["c0"]
        self._k = 0  # counts observations; the results of one turn are one observation
        self._thought = ""
        self._symbols: dict[str, tuple[str, str]] = {}  # id of a call: its action and its observation
        self._pending: list[str] = []

    def after(self, step: Step) -> LoopState:
        before = len(self._context)
        if step.appended is not None:
            self._history += 1
        about = self._read(step)
        return LoopState(
            turn=step.turn,
            history=self._history,
            pending=tuple(self._pending),
            context=tuple(self._context),
            added=tuple(range(before, len(self._context))),
            about=self._place(about),
        )

    def _place(self, symbol: str | None) -> int | None:
        """The latest one: two thoughts without an observation between them have the same name."""
        places = [place for place, other in enumerate(self._context) if other == symbol]
        return places[-1] if places else None

    def _read(self, step: Step) -> str | None:
        """Append what the step appended; return the symbol that the step is about."""
        if isinstance(step.appended, UserMessage):
            self._k += 1
            self._context.append(f"o{self._k}")
            return self._context[-1]
        if isinstance(step.appended, AssistantMessage):
            # A reply that its format cannot read is text in the context that acted on nothing: a thought.
            unread = step.kind is StepKind.VALIDATION
            self._open(step.appended, has_thought=unread or step.kind is StepKind.THOUGHT)
            if unread:
                return self._thought
        if step.kind is StepKind.THOUGHT:
            return self._thought
        if step.tool_call is None or step.tool_call.id not in self._symbols:
            return None
        action, observation = self._symbols[step.tool_call.id]
        if not isinstance(step.appended, ToolResultMessage):
            return action
        if step.tool_call.id in self._pending:
            self._pending.remove(step.tool_call.id)
            self._context.append(observation)
        return observation

    def _open(self, message: AssistantMessage, has_thought: bool) -> None:
        if has_thought:
            self._thought = f"t{self._k}"
            self._context.append(self._thought)
        several = len(message.tool_calls) > 1
        for number, call in enumerate(message.tool_calls, start=1):
            suffix = f".{number}" if several else ""
            self._symbols[call.id] = (f"a{self._k}{suffix}", f"o{self._k + 1}{suffix}")
            self._pending.append(call.id)
            self._context.append(self._symbols[call.id][0])
        if message.tool_calls:
            self._k += 1
