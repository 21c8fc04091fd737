"""The state of the loop after each step of a trace, as screens show it beside the pseudocode.

The symbols are those of the lecture: the context is c_k = (c0, o1, t1, a1, o2, ...), the prefix c0,
observations o (the first is the user's input), thoughts t and actions a. A turn with several calls has an
action for each, `a1.1` and `a1.2`, and as many observations, `o2.1` and `o2.2`. The last answer ends
the run and has no symbol; one after which the user goes on is an action that stands in the context. A result
that belongs to no call is an observation of its own.
"""

from dataclasses import dataclass, replace

from core.errors import InputError
from core.messages.types import AssistantMessage, ToolResultMessage, UserMessage
from core.trace import Step, StepKind, Trace


@dataclass(frozen=True)
class LoopState:
    """What holds after a step.

    `turn` is the variable `step` of line 2, 0 before the loop. `history` is the number of messages, without
    the system prompt; `pending` the ids of the calls that have no result yet. `symbols` are those of the
    whole run, which all its states share: `size` of them are there already. `added` holds the indices of
    those that this step appended, and `about` the index of the one that the step deals with.
    """

    turn: int
    history: int
    pending: tuple[str, ...]
    symbols: tuple[str, ...]
    size: int
    added: tuple[int, ...]
    about: int | None

    @property
    def context(self) -> tuple[str, ...]:
        """c_k as symbols."""
        return self.symbols[: self.size]


def states(trace: Trace) -> tuple[LoopState, ...]:
    """One state for each step of the trace.

    Raises:
        InputError: what was given is no trace.
    """
    if not isinstance(trace, Trace):
        raise InputError(f"States are those of a Trace, not of {type(trace).__name__}.")
    goes_on = max(
        (at for at, step in enumerate(trace.steps) if isinstance(step.appended, UserMessage)), default=0
    )
    reader = _Reader(len(trace.history))
    after = [reader.after(step, has_next=at < goes_on) for at, step in enumerate(trace.steps)]
    symbols = tuple(reader.symbols)
    return tuple(replace(state, symbols=symbols) for state in after)


class _Reader:
    """Follows the steps and keeps what they have built up."""

    def __init__(self, history: int) -> None:
        self.symbols: list[str] = []
        self._places: dict[str, int] = {}  # the latest place of a symbol: two thoughts may have the same name
        self._history = history
        self._k = 0  # counts observations; the results of one turn are one observation
        self._thought = ""
        self._of_calls: dict[str, list[tuple[str, str]]] = {}  # id of calls: their actions and observations
        self._pending: tuple[str, ...] = ()
        self._put("c0")

    def after(self, step: Step, *, has_next: bool) -> LoopState:
        before = len(self.symbols)
        if step.appended is not None:
            self._history += 1
        about = self._read(step)
        if step.kind is StepKind.ANSWER and has_next:
            about = self._put(f"a{self._k}")
        return LoopState(
            turn=step.turn,
            history=self._history,
            pending=self._pending,
            symbols=(),
            size=len(self.symbols),
            added=tuple(range(before, len(self.symbols))),
            about=None if about is None else self._places.get(about),
        )

    def _put(self, symbol: str) -> str:
        self._places[symbol] = len(self.symbols)
        self.symbols.append(symbol)
        return symbol

    def _read(self, step: Step) -> str | None:
        """Append what the step appended; return the symbol that the step is about."""
        if isinstance(step.appended, UserMessage):
            self._k += 1
            return self._put(f"o{self._k}")
        if isinstance(step.appended, AssistantMessage):
            # A reply that its format cannot read is text in the context that acted on nothing: a thought.
            # So is an answer with which the goal is not reached.
            failed = step.guard == "goal test" and step.validation is not None and not step.validation.ok
            unread = step.kind is StepKind.VALIDATION or failed
            self._open(step.appended, has_thought=unread or step.kind is StepKind.THOUGHT)
            if unread:
                return self._thought
        if step.kind is StepKind.THOUGHT:
            return self._thought
        if step.tool_call is None and isinstance(step.appended, ToolResultMessage):
            self._k += 1
            return self._put(f"o{self._k}")
        if step.tool_call is None or step.tool_call.id not in self._of_calls:
            return None
        same_id = self._of_calls[step.tool_call.id]
        action, observation = same_id[0]
        if not isinstance(step.appended, ToolResultMessage):
            return action
        if step.tool_call.id in self._pending:
            at = self._pending.index(step.tool_call.id)
            self._pending = self._pending[:at] + self._pending[at + 1 :]
            self._put(observation)
            if len(same_id) > 1:
                del same_id[0]
        return observation

    def _open(self, message: AssistantMessage, has_thought: bool) -> None:
        if has_thought:
            self._thought = self._put(f"t{self._k}")
        several = len(message.tool_calls) > 1
        self._of_calls |= {call.id: [] for call in message.tool_calls}
        for number, call in enumerate(message.tool_calls, start=1):
            suffix = f".{number}" if several else ""
            self._of_calls[call.id].append((f"a{self._k}{suffix}", f"o{self._k + 1}{suffix}"))
            self._put(f"a{self._k}{suffix}")
        self._pending += tuple(call.id for call in message.tool_calls)
        if message.tool_calls:
            self._k += 1
