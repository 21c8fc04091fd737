"""A free text beside a masked one, and many of both counted: an instruction against a mask."""

from collections.abc import Sequence

from core.decoding.constrained_check import Check
from core.decoding.constrained_trial import Arm, Pair, Progress
from core.decoding.counts import Share, wilson
from core.figures.constrained_view import token_name, verdict
from core.figures.generation_view import percent
from core.lm import Tokenizer, visible
from core.values import Value


class Beside(Value):
    """A free and a masked text of one seed, and where they part: the number of tokens in common."""

    free: tuple[str, ...]
    masked: tuple[str, ...]
    common: int
    parting: str
    free_verdict: str
    masked_verdict: str


class ShareRow(Value):
    """A share with its interval, for a bar from 0 to 1."""

    name: str
    free: tuple[float, float, float]
    masked: tuple[float, float, float]
    free_label: str
    masked_label: str


class PairRow(Value):
    """Both texts of one seed, each with what a check says of it."""

    seed: str
    free: str
    free_verdict: str
    masked: str
    masked_verdict: str


class TrialView(Value):
    """The count of both arms so far."""

    rows: tuple[ShareRow, ...]
    summary: str


def beside_view(
    tokenizer: Tokenizer,
    free: Sequence[int],
    masked: Sequence[int],
    free_check: Check | None,
    masked_check: Check | None,
) -> Beside:
    """Both texts as chips. They are drawn with the same numbers u, so that only the mask makes them part."""
    common = next(
        (place for place, (one, other) in enumerate(zip(free, masked, strict=False)) if one != other),
        min(len(free), len(masked)),
    )
    parts = common < min(len(free), len(masked))
    return Beside(
        free=tuple(token_name(tokenizer, token) for token in free),
        masked=tuple(token_name(tokenizer, token) for token in masked),
        common=common,
        parting=f"They part at token {common + 1}." if parts else "",
        free_verdict=verdict(free_check) if free_check else "",
        masked_verdict=verdict(masked_check) if masked_check else "",
    )


def trial_view(progress: Progress, planned: int) -> TrialView:
    """The comparison so far, of `planned` pairs."""
    total = progress.free.parses.total
    return TrialView(
        rows=(
            _shares("comes to an end", progress, "complete"),
            _shares("parses", progress, "parses"),
            _shares("conforms", progress, "conforms"),
        ),
        summary=f"{total} of {planned} pairs. Lines: 95 % intervals (Wilson).",
    )


def fact_row(pairs: Sequence[Pair], fact: str) -> ShareRow:
    """How many texts hold what a true answer holds: of form a mask takes care, of this it does not."""
    free, masked = (
        wilson(sum(fact in attempt.text for attempt in attempts), len(pairs))
        for attempts in ([pair.free for pair in pairs], [pair.masked for pair in pairs])
    )
    return ShareRow(
        name=f"says {fact}",
        free=_interval(free),
        masked=_interval(masked),
        free_label=_label(free),
        masked_label=_label(masked),
    )


def pair_rows(pairs: Sequence[Pair]) -> tuple[PairRow, ...]:
    """The texts themselves, the newest first."""
    return tuple(
        PairRow(
            seed=f"seed {pair.seed}",
            free=visible(pair.free.text.encode()),
            free_verdict=_word(pair.free.check),
            masked=visible(pair.masked.text.encode()),
            masked_verdict=_word(pair.masked.check),
        )
        for pair in reversed(pairs)
    )


def _word(checked: Check) -> str:
    return "conforms" if checked.conforms else "parses" if checked.parses else "does not parse"


def _shares(name: str, progress: Progress, field: str) -> ShareRow:
    free, masked = _share(progress.free, field), _share(progress.masked, field)
    return ShareRow(
        name=name,
        free=_interval(free),
        masked=_interval(masked),
        free_label=_label(free),
        masked_label=_label(masked),
    )


def _share(arm: Arm, field: str) -> Share:
    share: Share = getattr(arm, field)
    return share


def _interval(share: Share) -> tuple[float, float, float]:
    return share.low, share.count / share.total if share.total else 0.0, share.high


def _label(share: Share) -> str:
    return f"{share.count} of {share.total} ({percent(share.low)} to {percent(share.high)})"
