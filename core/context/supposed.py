"""What becomes of a run under a supposition, as values: of each call, of each compaction, of all of it."""

from dataclasses import dataclass

from core.context.budget import RunBudget
from core.context.summary import Summary
from core.context.supposition import Supposition
from core.messages import Part, Problem, Refusal
from core.trace import ModelCall, Segment


@dataclass(frozen=True)
class SupposedCall:
    """What becomes of one call. Indices are those of the messages that the run itself would send.

    `whole` is the tokens before anything is left out, `total` those after it: `total = whole - lost + added`,
    with `lost` and `added` by part. `thoughts` are what a habit leaves out, not the strategy.
    `broken` are the pairs that were parted and `refusals` what a strict server answers to them. `fallen` is
    what was dropped, as text. `lost_question` says that the last user message is gone. `overflow` is by how
    many tokens context and reserve exceed the window all the same, and `cut_to` to how many tokens Ollama
    then cuts the text. `summary` stands for what a compaction took away, and `gave_way` is what it takes away
    in this very call, as the text to be summarised.
    """

    whole: int
    total: int
    lost: dict[Part, int]
    added: dict[Part, int]
    dropped: tuple[int, ...] = ()
    elided: tuple[int, ...] = ()
    fallen: tuple[Segment, ...] = ()
    lost_question: bool = False
    broken: tuple[Problem, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    overflow: int = 0
    cut_to: int | None = None
    summary: Summary | None = None
    gave_way: str = ""
    thoughts: int = 0

    @property
    def read(self) -> int:
        """The tokens that the model reads of those that are sent to it."""
        return self.total if self.cut_to is None else self.cut_to


@dataclass(frozen=True)
class Compaction:
    """A compaction: the number of its call, from 1, what gave way as text, and what stands for it."""

    call: int
    gave_way: str
    summary: Summary


@dataclass(frozen=True)
class Supposed:
    """A run as it would have been: its calls with what they send, what became of each, and the sums."""

    supposition: Supposition
    calls: tuple[ModelCall, ...]
    outcomes: tuple[SupposedCall, ...]
    budget: RunBudget

    @property
    def saved(self) -> int:
        """The tokens that are left out, over all calls."""
        return sum(outcome.whole - outcome.total for outcome in self.outcomes)

    @property
    def acts(self) -> bool:
        """Whether the strategy takes something from any call."""
        return any(one.dropped or one.elided or one.cut_to for one in self.outcomes)

    @property
    def compactions(self) -> tuple[Compaction, ...]:
        """Its compactions in order."""
        return tuple(
            Compaction(number, outcome.gave_way, outcome.summary)
            for number, outcome in enumerate(self.outcomes, start=1)
            if outcome.gave_way and outcome.summary
        )
