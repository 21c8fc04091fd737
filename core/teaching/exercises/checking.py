"""What a wrong answer says about its way: the answers of known mistakes, compared with what was given."""

from collections.abc import Collection, Mapping
from decimal import ROUND_HALF_UP, Decimal

from core.errors import InputError
from core.teaching.exercises.base import (
    Answer,
    ChoiceField,
    Field,
    Made,
    Mistake,
    NumberField,
    OrderField,
    SetField,
    TextField,
    Verdict,
)
from core.teaching.exercises.numbers import read_number

ROUNDING = 1e-9
CLOSE = 3  # times the tolerance
Written = str | Collection[str]
"""What a person gave: text, the chosen option, the chosen options, or the items in their order."""


def verdicts(made: Made, written: Mapping[str, Written | None]) -> tuple[Verdict, ...]:
    """One verdict for each field, in their order. A field that is missing, or empty, is not answered.

    A mistake that explains more of the answers, and would not have given others, goes before the rest; of
    several that do so alike the first two are named. Where something can be said `otherwise`, only the first
    one is, and only if the other answers speak for it: of few options, many ways lead to each.
    """
    read: dict[str, Answer] = {}
    unreadable: dict[str, str] = {}
    for field in made.fields:
        try:
            answer = _read(field, written.get(field.name) or "")
        except InputError as error:
            unreadable[field.name] = str(error)
        else:
            if answer is not None:
                read[field.name] = answer
    wrong = {
        field.name: field for field in made.fields if field.name in read and not _right(made, field, read)
    }
    told = told_mistakes(made)
    found = []
    for field in made.fields:
        name = field.name
        if name in unreadable:
            found.append(Verdict(name, "unreadable", unreadable[name]))
        elif name not in read:
            found.append(Verdict(name, "empty", ""))
        elif name not in wrong:
            found.append(Verdict(name, "right", "Right."))
        else:
            text = _named(made, told, field, wrong, read) or _general(made, told, field, read[name])
            found.append(Verdict(name, "wrong", text))
    return tuple(found)


def told_mistakes(made: Made) -> tuple[Mistake, ...]:
    """The mistakes that differ from the right answer in this draw, with the fields in which they do."""
    fields = {field.name: field for field in made.fields}
    differing = [
        Mistake(
            mistake.sentence,
            {
                name: answer
                for name, answer in mistake.answers.items()
                if not same(fields[name], answer, made.answers[name])
            },
            mistake.decisive,
        )
        for mistake in made.mistakes
    ]
    return tuple(mistake for mistake in differing if mistake.answers)


def separated(made: Made) -> bool:
    """Whether these figures tell each mistake from the right answer in all of its decisive fields."""
    fields = {field.name: field for field in made.fields}
    return not any(
        same(fields[name], mistake.answers[name], made.answers[name])
        for mistake in made.mistakes
        for name in mistake.decisive
    )


def same(field: Field, one: Answer, other: Answer) -> bool:
    """Whether two answers count as one."""
    if isinstance(field, NumberField):
        assert isinstance(one, int | float)
        assert isinstance(other, int | float)
        return abs(one - other) <= field.tolerance + ROUNDING
    return one == other


def shown(field: Field, answer: Answer) -> str:
    """An answer as text, such as a key prints."""
    match answer:
        case frozenset():
            options = field.options if isinstance(field, SetField) else tuple(sorted(answer))
            return ", ".join(option for option in options if option in answer) or "none"
        case tuple():
            return " → ".join(answer)
        case str():
            return answer
    assert isinstance(field, NumberField)
    # Halves are rounded up, as by hand; what binary fractions add to them is taken off first.
    rounded = Decimal(str(round(answer, 9))).quantize(Decimal(1).scaleb(-field.decimals), ROUND_HALF_UP)
    return f"{rounded:,}{f' {field.unit}' if field.unit else ''}"


def _read(field: Field, written: Written) -> Answer | None:
    """What was answered; `None` if nothing was."""
    if isinstance(field, SetField | OrderField):
        if isinstance(written, str):
            return None
        known = field.options if isinstance(field, SetField) else field.items
        if strange := [item for item in written if item not in known]:
            raise InputError(f"“{strange[0]}” is none of the options.")
        if not written:
            return None
        if isinstance(field, SetField):
            return frozenset(written)
        if len(written) != len(known):
            raise InputError(f"Put all {len(known)} in order; so far you have {len(written)}.")
        return tuple(written)
    if not isinstance(written, str):
        raise InputError("Here one answer is expected, not several.")
    if not written.strip():
        return None
    if isinstance(field, NumberField):
        number = read_number(written, field)
        return abs(number) if field.signless else number
    if isinstance(field, ChoiceField) and written not in field.options:
        raise InputError(f"“{written}” is none of the options.")
    return written


def _right(made: Made, field: Field, read: Mapping[str, Answer]) -> bool:
    answer = read[field.name]
    if isinstance(field, TextField):
        return not made.checks[field.name](str(answer))
    return same(field, answer, made.answers[field.name])


def _named(
    made: Made,
    told: tuple[Mistake, ...],
    field: Field,
    wrong: Mapping[str, Field],
    read: Mapping[str, Answer],
) -> str:
    """The mistake that explains a field and agrees best with the other answers."""
    explaining = [
        (mistake.sentence, len(names) - sum(other in read for other in mistake.answers.keys() - names))
        for mistake in told
        if field.name in (names := _explained(mistake, wrong, read))
    ]
    best = max((agreement for _, agreement in explaining), default=0)
    unsure = field.name in made.otherwise
    if unsure and best < 1:
        return ""
    named = dict.fromkeys(sentence for sentence, agreement in explaining if agreement == best)
    return " Or: ".join(list(named)[: 1 if unsure else 2])


def _explained(mistake: Mistake, wrong: Mapping[str, Field], read: Mapping[str, Answer]) -> list[str]:
    return [
        name
        for name, answer in mistake.answers.items()
        if name in wrong and same(wrong[name], read[name], answer)
    ]


def _general(made: Made, told: tuple[Mistake, ...], field: Field, answer: Answer) -> str:
    """What can be said of an answer that no known mistake explains."""
    right = made.answers[field.name]
    if field.name in made.otherwise:
        return made.otherwise[field.name](answer)
    match field:
        case NumberField():
            assert isinstance(right, int | float)
            assert isinstance(answer, int | float)
            if field.probability and not 0 <= answer <= 1:
                of_percent = (
                    f"; {answer:g} % is {answer / 100:g}, or written with its sign" if answer > 1 else ""
                )
                return f"A probability lies between 0 and 1{of_percent}."
            if abs(answer - right) <= CLOSE * field.tolerance:
                return f"Close, but not within ± {field.tolerance:g}: round at the end only."
            return "Too large." if answer > right else "Too small."
        case SetField():
            assert isinstance(right, frozenset)
            assert isinstance(answer, frozenset)
            if known := _of_one_option(told, field.name, right, answer):
                return known
            extra, missing = len(answer - right), len(right - answer)
            if not extra:
                return f"What is chosen belongs there; {missing} more {'do' if missing > 1 else 'does'}."
            return f"{extra} of the chosen {'do' if extra > 1 else 'does'} not belong there" + (
                ", and something is missing." if missing else "."
            )
        case OrderField():
            assert isinstance(right, tuple)
            assert isinstance(answer, tuple)
            good = next(i for i, pair in enumerate(zip(answer, right, strict=True)) if pair[0] != pair[1])
            return f"Place {good + 1} is the first that is wrong: “{answer[good]}” comes too early."
        case TextField():
            return made.checks[field.name](str(answer))
    return "Not this one."


def _of_one_option(
    told: tuple[Mistake, ...], name: str, right: frozenset[str], answer: frozenset[str]
) -> str:
    """What is known of the first option that is wrongly chosen or left out, where several are."""
    for mistake in told:
        other = mistake.answers.get(name)
        if isinstance(other, frozenset) and len(other ^ right) == 1 and other ^ right <= answer ^ right:
            return f"{mistake.sentence} That is not all."
    return ""
