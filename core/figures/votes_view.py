"""Several chains for one question and the answer that most of them reach, as plain values."""

from collections.abc import Sequence

from core.decoding.counts import wilson
from core.figures.shares import with_interval
from core.values import Value


class VoteBar(Value):
    """One option: how many chains end at it, as a share of all and in words."""

    letter: str
    text: str
    right: bool
    share: float
    label: str
    first: bool


class VoteRow(Value):
    """One chain with its name, its answer, and whether that is right."""

    name: str
    text: str
    answer: str
    right: bool


class VotesView(Value):
    """All chains of one question. `finding`: what the majority comes to."""

    asks: str
    bars: tuple[VoteBar, ...]
    rows: tuple[VoteRow, ...]
    finding: str


def votes_view(
    letters: str,
    asks: str,
    options: Sequence[str],
    right: int,
    chains: Sequence[tuple[str, str, int]],
    majority: int | None,
) -> VotesView:
    """`chains`: name, text and answer, the place of an option, of each that is drawn."""
    answers = [answer for _, _, answer in chains]
    return VotesView(
        asks=asks,
        bars=tuple(
            VoteBar(
                letter=letter,
                text=option,
                right=place == right,
                share=answers.count(place) / len(answers) if answers else 0.0,
                label=f"{answers.count(place)} of {len(answers)}",
                first=place == majority,
            )
            for place, (letter, option) in enumerate(zip(letters, options, strict=True))
        ),
        rows=tuple(
            VoteRow(name=name, text=text.strip(), answer=f"({letters[answer]})", right=answer == right)
            for name, text, answer in chains
        ),
        finding=_finding(letters, right, answers, majority),
    )


def together(questions: int, majority: int, greedy: int, drawn: int, chains: int) -> str:
    """All bundled questions: how often the majority is right, the greedy chain, and a drawn one."""
    one = wilson(drawn, chains)
    return (
        f"Right: the majority on {with_interval(wilson(majority, questions))} questions, one greedy chain on "
        f"{greedy}, a drawn chain {with_interval(one)} times."
    )


def _finding(letters: str, right: int, answers: Sequence[int], majority: int | None) -> str:
    if not answers:
        return "No chain is drawn yet."
    if majority is None:
        return "Several answers come equally often: no majority. Draw more."
    count, how = answers.count(majority), "right" if majority == right else "wrong"
    return f"{count} of {len(answers)} chains say ({letters[majority]}): the majority is {how}."
