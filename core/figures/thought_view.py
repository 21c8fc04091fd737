"""Passes before an answer, and the ways to answer a serial task: what the screen says, as plain values."""

from collections.abc import Mapping, Sequence
from itertools import pairwise, zip_longest

from core.decoding.counts import Share
from core.figures.generation_view import percent
from core.lm import visible
from core.values import Value

WAYS = {"at_once": "at once", "own": "in its own steps", "given": "after the right steps"}


class PassChip(Value):
    """A generated token and the pass that it came out of.

    `answer`: the first token of the answer; `wrong`: part of a step that is not the right one at its place.
    """

    text: str
    number: int
    answer: bool
    wrong: bool


class Exemplar(Value):
    """A solved example of the prompt in its parts, each with its name: input, chain of thought, output."""

    form: str
    parts: tuple[tuple[str, str], ...]


class Side(Value):
    """A text, token by token, and the steps that were `given` before it.

    `passes`: up to the first token of the answer, or so far.
    `right`: whether the answer is; `None` and without a `verdict` while it is not whole.
    """

    title: str
    given: str
    chips: tuple[PassChip, ...]
    passes: int
    found: bool
    said: str
    depth: str
    right: bool | None = None
    verdict: str = ""


class Arm(Value):
    """One way to answer: a share from 0 to 1 as low end, share, high end, and its count in words."""

    way: str
    name: str
    share: tuple[float, float, float]
    label: str


class Point(Value):
    """All ways at one length. `captured`: how many of `total` questions were captured beforehand."""

    length: int
    arms: tuple[Arm, ...]
    total: int
    captured: int


class ChainLine(Value):
    """A line of the model's own chain, and whether it is the right one at its place."""

    text: str
    right: bool


class Row(Value):
    """One question: what was given, the right answer, what each way got right, and the model's own chain."""

    given: str
    answer: str
    right: tuple[bool, bool, bool]
    lines: tuple[ChainLine, ...]


def exemplar_view(given: str, steps: Sequence[str], output: str) -> Exemplar:
    """A few-shot exemplar; with `steps` it holds a chain. After Wei et al. 2022, section 2."""
    parts = [("input", given.strip()), ("chain of thought", "\n".join(steps)), ("output", output.strip())]
    shown = tuple((name, text) for name, text in parts if text)
    return Exemplar(form=f"⟨{', '.join(name for name, _ in shown)}⟩", parts=shown)


def side_view(
    title: str,
    pieces: Sequence[bytes],
    answer_pass: int | None,
    layers: int,
    going_on: bool,
    wanted: str,
    steps: Sequence[str] = (),
    given: Sequence[str] = (),
) -> Side:
    """The text of one way to answer.

    `pieces`: the bytes of each token; `going_on`: more are to come; `wanted`: the right answer; `steps`: the
    right ones, where it writes steps; `given`: those that it is given.
    """
    passes = answer_pass or len(pieces)
    if answer_pass:
        before = answer_pass - 1
        said = f"{tokens(before)} before the answer: it comes out of pass {answer_pass}"
    else:
        said = f"pass {len(pieces)} …" if going_on else f"no answer in {tokens(len(pieces))}"
    answer = _answer(pieces, answer_pass, going_on)
    rows = f"{layers} layers × {passes} = {layers * passes:,} layers, one after the other"
    wrong = _wrong(pieces[: answer_pass - 1] if answer_pass else pieces, steps)
    return Side(
        title=title,
        given=" · ".join(given),
        chips=tuple(
            PassChip(text=visible(piece), number=number, answer=number == answer_pass, wrong=number in wrong)
            for number, piece in enumerate(pieces, start=1)
        ),
        passes=passes,
        found=answer_pass is not None,
        said=said,
        depth=rows,
        right=None if answer is None else answer == wanted,
        verdict="" if answer is None else f"{answer} is {'right' if answer == wanted else 'wrong'}",
    )


def _wrong(pieces: Sequence[bytes], steps: Sequence[str]) -> set[int]:
    """The numbers, from 1, of the tokens of whole lines that are not the right step at their place."""
    ends = [number for number, piece in enumerate(pieces, start=1) if piece.endswith(b"\n")]
    lines = [range(before + 1, end + 1) for before, end in pairwise([0, *ends])]
    texts = [b"".join(pieces[line.start - 1 : line.stop - 1]).decode(errors="replace") for line in lines]
    held = _held([text.rstrip("\n") for text in texts], steps)
    return {number for line, right in zip(lines, held, strict=True) if not right for number in line}


def _held(lines: Sequence[str], steps: Sequence[str]) -> list[bool]:
    """Of each line, whether it is the right step at its place."""
    return [line == step for line, step in zip_longest(lines, steps[: len(lines)])]


def _answer(pieces: Sequence[bytes], answer_pass: int | None, going_on: bool) -> str | None:
    """The answer, up to the end of its line; `None` where there is none, or more of it is to come."""
    if not answer_pass:
        return None
    line, end, _ = b"".join(pieces[answer_pass - 1 :]).decode(errors="replace").partition("\n")
    return line.strip() if end or not going_on else None


def tokens(count: int) -> str:
    """So many tokens."""
    return f"{count or 'no'} token{'' if count == 1 else 's'}"


def point(length: int, counted: Mapping[str, Share], captured: int) -> Point:
    """The ways at one length. `counted`: the share of each of `WAYS`."""
    return Point(
        length=length,
        arms=tuple(
            Arm(
                way=way,
                name=name,
                share=(counted[way].low, _ratio(counted[way]), counted[way].high),
                label=f"{counted[way].count} of {counted[way].total}",
            )
            for way, name in WAYS.items()
        ),
        total=counted["own"].total,
        captured=min(captured, counted["own"].total),
    )


def findings(counted: Mapping[str, Share]) -> tuple[str, ...]:
    """What the counts show, and what they don't: shares differ where their intervals do not meet."""
    at_once = counted["at_once"]
    return tuple(
        f"{name.capitalize()}: {_compared(counted[way], at_once)}"
        for way, name in WAYS.items()
        if way != "at_once"
    )


def chain_line(steps: Share, whole: Share, expected: float, length: int) -> str:
    """The share of right steps, what it comes to over a chain, and the measured share of whole chains."""
    share = f"{steps.count} of {steps.total} ({percent(_ratio(steps))})"
    return (
        f"Right steps: {share} where all before them are right. {length} in a row, if they err independently "
        f"of each other: {percent(expected)}. Measured: {whole.count} of {whole.total} chains begin with all "
        f"{length}."
    )


def row(given: str, answer: str, steps: Sequence[str], right: tuple[bool, bool, bool], own: str) -> Row:
    """One question with the model's own chain, its lines held against the right `steps`."""
    lines = own.rstrip("\n").split("\n")
    return Row(
        given=" · ".join(given.strip().split("\n")),
        answer=answer,
        right=right,
        lines=tuple(
            ChainLine(text=line, right=held) for line, held in zip(lines, _held(lines, steps), strict=True)
        ),
    )


def _compared(share: Share, other: Share) -> str:
    if share.low > other.high:
        return "more often right than at once."
    if share.high < other.low:
        return "less often right than at once."
    return "no difference shown, the intervals overlap."


def _ratio(share: Share) -> float:
    return share.count / share.total if share.total else 0.0
