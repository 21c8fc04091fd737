"""A run in a thread of its own: it can be looked at while it goes, paused, and stopped within one token."""

import threading
from collections.abc import Callable, Iterator

from core.agent.asking import STOPPED, StopRun, Watch
from core.lm.chat import Piece
from core.trace import Step, StepKind

Start = Callable[[Watch], Iterator[Step]]
"""Begins a run with what watches it: `core.agent.run` or `resume`, with all other arguments given."""


class LiveRun:
    """A run that has begun. Whoever holds it may ask at any time how far it is."""

    def __init__(self, start: Start) -> None:
        self._steps: list[Step] = []
        self._coming = Piece()
        self._stopped = False
        self._moving = threading.Event()
        self._moving.set()
        self._thread = threading.Thread(target=self._go, args=(start,), daemon=True, name="live-run")
        self._thread.start()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that were made so far."""
        return tuple(self._steps)

    @property
    def coming(self) -> Piece:
        """What has come of a reply that streams in."""
        return self._coming

    @property
    def going(self) -> bool:
        """Whether steps may still come; also while it is paused."""
        return self._thread.is_alive()

    @property
    def paused(self) -> bool:
        """Whether it waits."""
        return not self._moving.is_set()

    def pause(self) -> None:
        """Wait before the next token or step."""
        self._moving.clear()

    def go_on(self) -> None:
        """Go on after a pause."""
        self._moving.set()

    def stop(self) -> None:
        """Stop before the next token or step; what had come of a reply stays in the steps."""
        self._stopped = True
        self._moving.set()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until no step will come any more."""
        self._thread.join(seconds)

    def _go(self, start: Start) -> None:
        try:
            for step in start(self._watch):
                self._steps.append(step)
                self._coming = Piece()
                self._moving.wait()
                if self._stopped and not _ends(step):
                    self._end(STOPPED)
                    return
        except Exception as error:  # the run's screen goes on, whatever a model or tool of the operator does
            self._end(f"The run broke off: {type(error).__name__}.")

    def _watch(self, piece: Piece) -> None:
        self._coming = Piece(
            text=self._coming.text + piece.text,
            thinking=self._coming.thinking + piece.thinking,
            note=piece.note or self._coming.note,
        )
        self._moving.wait()
        if self._stopped:
            raise StopRun

    def _end(self, why: str) -> None:
        turn = self._steps[-1].turn if self._steps else 0
        self._steps.append(Step(kind=StepKind.STOP, turn=turn, text=why))


def _ends(step: Step) -> bool:
    """Whether the run ends by itself with this step or the next."""
    failed = step.model_call is not None and bool(step.model_call.failure)
    return failed or step.kind in (StepKind.ANSWER, StepKind.STOP)
