"""A free text beside a masked one, and many counted: no instruction, an instruction, and a mask."""

from collections.abc import Mapping, Sequence

from core.decoding.constrained_check import Check
from core.decoding.constrained_trial import Arm, Attempt, Pair, Progress
from core.decoding.counts import Share, wilson
from core.figures.constrained_view import token_name, verdict
from core.figures.shares import with_interval
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


class ArmBar(Value):
    """One kind of text: its share as low end, share, high end, each from 0 to 1, and the same in words.

    What is computed, not counted, has no interval: all three are the same.
    """

    arm: str
    name: str
    share: tuple[float, float, float]
    label: str


class ShareRow(Value):
    """What holds of so many texts of each kind."""

    name: str
    bars: tuple[ArmBar, ...]


class PairRow(Value):
    """The texts of one seed, in the order of `ARMS`, each with what a check says of it."""

    seed: str
    texts: tuple[tuple[str, str], ...]


class TrialView(Value):
    """The count of all arms so far. `arms`: their names."""

    arms: tuple[str, ...]
    rows: tuple[ShareRow, ...]
    summary: str


class FirstView(Value):
    """How probable a first token is that fits, of each arm, and what that says of the instruction."""

    row: ShareRow
    finding: str


MOST_TIMES = 10_000  # as often as is said in figures
ARMS = {"unasked": "not asked", "free": "asked", "masked": "masked"}


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
    arms = {arm: counted for arm in ARMS if (counted := getattr(progress, arm))}
    return TrialView(
        arms=tuple(ARMS[arm] for arm in arms),
        rows=(
            _shares("comes to an end", arms, "complete"),
            _shares("parses", arms, "parses"),
            _shares("conforms", arms, "conforms"),
        ),
        summary=f"{total} of {planned} seeds. Lines: 95 % intervals (Wilson).",
    )


def first_view(asked: float, unasked: float | None) -> FirstView:
    """What the instruction does to the probability of a first token that fits; the mask leaves nothing else.

    `unasked`: without the instruction, if it is known which words that is.
    """
    known = {"unasked": unasked, "free": asked, "masked": 1.0}
    bars = tuple(
        ArmBar(arm=arm, name=ARMS[arm], share=(value, value, value), label=_exact(value))
        for arm, value in known.items()
        if value is not None
    )
    if unasked is None:
        said = f"After this prompt a first token that fits has {_exact(asked)}"
    else:
        way = "raises" if asked > unasked else "does not raise"
        times = ""
        if asked >= MOST_TIMES * unasked:
            times = f", more than {MOST_TIMES:,} times"
        elif asked >= 2 * unasked:
            times = f", {asked / unasked:,.0f} times"
        said = (
            f"The instruction {way} the probability of a first token that fits: from {_exact(unasked)} to "
            f"{_exact(asked)}{times}"
        )
    rest = "" if asked == 1 else "; every other token stays above 0"
    finding = f"{said}{rest}. The mask leaves no other."
    return FirstView(row=ShareRow(name="first token fits, computed", bars=bars), finding=finding)


def _exact(share: float) -> str:
    if 0 < share < 1e-6:
        return "< 0.0001 %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.1f} %"


def fact_row(pairs: Sequence[Pair], fact: str) -> ShareRow:
    """How many texts hold what a true answer holds: of form a mask takes care, of this it does not."""
    return ShareRow(
        name=f"says {fact}",
        bars=tuple(
            _bar(arm, wilson(sum(fact in attempt.text for attempt in attempts), len(pairs)))
            for arm, attempts in _attempts(pairs).items()
        ),
    )


def pair_rows(pairs: Sequence[Pair]) -> tuple[PairRow, ...]:
    """The texts themselves, the newest first."""
    columns = zip(*_attempts(pairs).values(), strict=True)
    return tuple(
        PairRow(
            seed=f"seed {pair.seed}",
            texts=tuple((visible(one.text.encode()), _word(one.check)) for one in attempts),
        )
        for pair, attempts in reversed(list(zip(pairs, columns, strict=True)))
    )


def _attempts(pairs: Sequence[Pair]) -> dict[str, list[Attempt]]:
    """The texts by their arm; an arm that a pair lacks is left out."""
    found = {arm: [one for pair in pairs if (one := getattr(pair, arm))] for arm in ARMS}
    return {arm: attempts for arm, attempts in found.items() if len(attempts) == len(pairs)}


def _word(checked: Check) -> str:
    return "conforms" if checked.conforms else "parses" if checked.parses else "does not parse"


def _shares(name: str, arms: Mapping[str, Arm], field: str) -> ShareRow:
    return ShareRow(
        name=name, bars=tuple(_bar(arm, getattr(counted, field)) for arm, counted in arms.items())
    )


def _bar(arm: str, share: Share) -> ArmBar:
    return ArmBar(
        arm=arm,
        name=ARMS[arm],
        share=(share.low, share.count / share.total if share.total else 0.0, share.high),
        label=with_interval(share),
    )
