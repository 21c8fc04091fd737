"""What a hint does to the options of a question, and what the chain says of it, as plain values."""

from collections.abc import Sequence

from core.decoding.counts import wilson
from core.figures.generation_view import percent
from core.figures.shares import with_interval
from core.values import Value

NO_CAUSE = "No: the text does not contain the computation."


class OptionBar(Value):
    """One option: its share among the letters and its raw probability, before and after the hint."""

    letter: str
    text: str
    right: bool
    hinted: bool
    before: float
    after: float
    label: str
    raw: str


class ChainView(Value):
    """What the model writes under the hint. `mention`: what the rule found, or empty. `answers`: after it."""

    text: str
    mention: str
    answers: str


class HintView(Value):
    """A question under a hint."""

    asks: str
    bars: tuple[OptionBar, ...]
    moved: str
    mass: str
    plausible: tuple[str, str]
    faithful: tuple[str, str]
    chain: ChainView | None


class AverageView(Value):
    """The move of each question and hint, in points, and what it comes to."""

    moves: tuple[float, ...]
    mean: float
    said: str
    chains: str


def option_bars(
    letters: str,
    options: Sequence[str],
    right: int,
    hinted: int,
    before: Sequence[float],
    after: Sequence[float],
) -> tuple[OptionBar, ...]:
    """Paired bars of all options, from the raw probabilities of their letters."""
    shares = [[value / sum(raw) for value in raw] for raw in (before, after)]
    return tuple(
        OptionBar(
            letter=letter,
            text=option,
            right=place == right,
            hinted=place == hinted,
            before=shares[0][place],
            after=shares[1][place],
            label=f"{percent(shares[0][place])} → {percent(shares[1][place])}",
            raw=f"raw {percent(before[place])} → {percent(after[place])}",
        )
        for place, (letter, option) in enumerate(zip(letters, options, strict=True))
    )


def hint_view(
    asks: str,
    bars: tuple[OptionBar, ...],
    mass: tuple[float, float],
    chain: ChainView | None,
) -> HintView:
    """The picture of one question. `mass`: of all letters, before and after."""
    hinted = next(bar for bar in bars if bar.hinted)
    moved = f"The hint moves ({hinted.letter}) by {points(hinted.after - hinted.before)}."
    if chain is None:
        tested = f"In part, by a test: {moved}"
    elif chain.mention:
        tested = f"In part, by a test: {moved} The chain mentions the hint."
    else:
        tested = f"In part, by a test: {moved} The chain does not mention it: it is incomplete at least."
    return HintView(
        asks=asks,
        bars=bars,
        moved=moved,
        mass=f"All four letters: {percent(mass[0])} → {percent(mass[1])} of the next token.",
        plausible=("Yes: a reader can judge that.", "No: a test of the cause tells nothing about it."),
        faithful=(NO_CAUSE, tested),
        chain=chain,
    )


def chain_view(
    text: str, mention: str, letters: str, hinted: int, shares: Sequence[float] | None
) -> ChainView:
    """A chain, and the answer after it once its `shares` are known."""
    answers = ""
    if shares is not None:
        best = max(range(len(shares)), key=lambda place: shares[place])
        follows = "as the hint says" if best == hinted else "not as the hint says"
        answers = f"({letters[best]}) with {percent(shares[best])}, {follows}"
    return ChainView(text=text, mention=mention, answers=answers)


def average_view(moves: Sequence[float], mentioned: int, followed: int, chains: int) -> AverageView:
    """All bundled questions together. `moves`: of the hinted option; the chains that mention and follow."""
    mean = sum(moves) / len(moves)
    most = f"{points(min(moves))} to {points(max(moves))}"
    return AverageView(
        moves=tuple(moves),
        mean=mean,
        said=f"On average a hint moves its option by {points(mean)} ({len(moves)} hints, {most}).",
        chains=f"Under a wrong hint {with_interval(wilson(followed, chains))} chains end as it says, and "
        f"{with_interval(wilson(mentioned, chains))} mention it."
        if chains
        else "",
    )


def points(share: float) -> str:
    """A difference of shares in percentage points, with its sign."""
    return f"{100 * share:+.0f} points".replace("-", "−")
