"""Each mistake made on purpose, by other code: the feedback names it."""

import math
from fractions import Fraction

import pytest

from core.teaching.exercises import KINDS, NumberField, check, make, told_mistakes
from tests.core.teaching.exercises import sampling_by_hand as hand

SEEDS = range(60)


def kept(exercise, weights, tokens):
    return hand.kept_and_shares(exercise, weights, tokens)


def one_more(exercise, weights, right, by=1):
    return kept(exercise, weights, hand.falling(weights)[: len(right["kept"]) + by])


def as_they_were(exercise, weights):
    return {name: weights[name] for name in weights if name in exercise.made.answers}


def probs(exercise):
    return hand.probabilities(exercise)


def right(exercise):
    return hand.SOLVE[exercise.kind.slug](exercise)


def cut_ways(slug):
    return [
        (slug, "Not renormalised", lambda e: as_they_were(e, probs(e))),
        (slug, "one token too many", lambda e: one_more(e, probs(e), right(e))),
        (slug, "one token too few", lambda e: one_more(e, probs(e), right(e), by=-1)),
    ]


def above_min_p_itself(exercise):
    (factor,) = hand.numbers(exercise)
    tokens = [token for token, prob in probs(exercise).items() if prob >= factor]
    return kept(exercise, probs(exercise), tokens) if tokens else {}


def tempering(exercise, t=None):
    asked, p = hand.numbers(exercise)
    weights = hand.logarithms(exercise)
    seen = weights if t == 1 else hand.tempered(weights, asked)
    return weights, seen, p


def filtered_first(exercise):
    weights, seen, p = tempering(exercise)
    return kept(exercise, seen, hand.nucleus(weights, p))


def untempered(exercise):
    _, seen, p = tempering(exercise, t=1)
    return kept(exercise, seen, hand.nucleus(seen, p))


def times_t(exercise):
    (t,) = hand.numbers(exercise)
    return hand.normalised(
        {token: Fraction(float(x) ** float(t)) for token, x in hand.logarithms(exercise).items()}
    )


def logits(exercise):
    read = {"l": lambda text: math.log(int(text[3:])), "": int}
    return {
        token: read["l" if text.startswith("ln") else ""](text)
        for token, text in hand.rows(exercise)["z"].items()
    }


def shares(weights):
    total = sum(weights.values())
    return {token: weight / total for token, weight in weights.items()} if total else {}


def in_the_tables_order(exercise):
    answers = {}
    for field in exercise.made.fields[:-1]:
        reached = Fraction(0)
        for token, prob in probs(exercise).items():
            reached += prob
            if reached > Fraction(field.label.split()[2]):
                answers[field.name] = token
                break
    return answers


def with_option(exercise, beginning, add):
    """The right set with one option that begins so put in, or left out; nothing if there is none."""
    solved = right(exercise)["settings"]
    for option in exercise.made.fields[0].options:
        if option.startswith(beginning) and (option in solved) != add and option != "T = 0":
            return {"settings": solved | {option} if add else solved - {option}}
    return {}


def cold_alone(exercise):
    """T = 0.2 and nothing else; nothing if it is not offered."""
    return {"settings": {"T = 0.2"}} if "T = 0.2" in exercise.made.fields[0].options else {}


def labelled(exercise, name):
    return next(field.label[0] for field in exercise.made.fields if field.name == name)


def over(exercise, name, top, bottom):
    token = labelled(exercise, name)
    return {name: hand.probabilities(exercise, top)[token] / hand.probabilities(exercise, bottom)[token]}


def excess(exercise):
    token = labelled(exercise, "residual")
    p, q = hand.probabilities(exercise, "p"), hand.probabilities(exercise, "q")
    return {"residual": p[token] - q[token]}


WAYS = [
    *cut_ways("top-k"),
    *cut_ways("top-p"),
    *cut_ways("min-p"),
    ("top-p", "in the table's order", lambda e: kept(e, probs(e), _until(probs(e), hand.numbers(e)[0]))),
    (
        "min-p",
        "compared with min-p itself",
        above_min_p_itself,
    ),
    ("renormalise", "Not renormalised", lambda e: as_they_were(e, probs(e))),
    ("renormalise", "mass that was cut", lambda e: _by_cut_mass(e)),
    ("softmax", "Not normalised", lambda e: {**right(e), **_weights(e)}),
    ("softmax", "divided the logits by their sum", lambda e: shares(logits(e))),
    ("softmax", "powers of 2", lambda e: shares({token: 2**z for token, z in logits(e).items()})),
    ("softmax-properties", "no entry is 0", lambda e: _with_row(e, "0.00")),
    ("softmax-properties", "no entry is below 0", lambda e: _with_row(e, "−")),
    ("temperature", "Temperature not applied", lambda e: hand.normalised(hand.logarithms(e))),
    ("temperature", "multiplied the logits", times_t),
    ("temperature", "Not normalised", lambda e: hand.tempered(hand.logarithms(e), hand.numbers(e)[0])),
    ("entropy", "Natural log", lambda e: {"bits": float(right(e)["bits"]) * math.log(2)}),
    ("entropy", "all tokens are equally probable", lambda e: {"bits": math.log2(len(probs(e)))}),
    ("entropy", "Not weighted", lambda e: {"bits": sum(math.log2(1 / prob) for prob in probs(e).values())}),
    ("entropy", "H is never negative", lambda e: {"bits": -float(right(e)["bits"])}),
    ("entropy", "2 to the power of H", lambda e: {"choices": 2 * float(right(e)["bits"])}),
    ("draw", "in the table's order", in_the_tables_order),
    ("temperature-top-p", "Filtered before tempering", filtered_first),
    ("temperature-top-p", "Temperature not applied", untempered),
    (
        "temperature-top-p",
        "Not renormalised",
        lambda e: as_they_were(e, hand.normalised(tempering(e)[1])),
    ),
    ("greedy", "small T is not greedy", lambda e: with_option(e, "T = 0.2", add=True)),
    ("greedy", "small T is not greedy", lambda e: cold_alone(e)),
    ("greedy", "a second token is kept", lambda e: with_option(e, "top-p", add=True)),
    ("greedy", "reaches it alone", lambda e: with_option(e, "top-p", add=False)),
    ("mask", "Not renormalised", lambda e: {"share": probs(e)[right(e)["greedy"]]}),
    ("mask", "mass that stays", lambda e: {"removed": 1 - right(e)["removed"]}),
    ("mask", "forbidden", lambda e: {"greedy": hand.falling(probs(e))[0]}),
    ("mask", "can become no text", lambda e: {"allowed": right(e)["allowed"] | {hand.falling(probs(e))[0]}}),
    ("mask", "can become a text", lambda e: _without_one(e)),
    ("use-case", "One output is valid", lambda e: _other_temperature(e, "T = 0")),
    ("use-case", "Variety is the goal", lambda e: _other_temperature(e, "T ≈ 1")),
    ("speculative", "at most 1", lambda e: over(e, "accepted", "p", "q")),
    ("speculative", "other way round", lambda e: over(e, "accepted", "q", "p")),
    ("speculative", "other way round", lambda e: over(e, "rejected", "q", "p")),
    ("speculative", "Not renormalised", excess),
    ("speculative", "probability of a rejection", lambda e: {"alpha": 1 - right(e)["alpha"]}),
]


def _with_row(exercise, part):
    """The right rows, and one that holds a text."""
    options = exercise.made.fields[0].options
    added = [option for option in options if part in option][:1]
    return {"rows": right(exercise)["rows"].union(added)}


def _until(weights, p):
    tokens, reached = [], Fraction(0)
    for token, weight in weights.items():
        if reached < p:
            tokens.append(token)
            reached += weight
    return tokens


def _by_cut_mass(exercise):
    asked = {name: probs(exercise)[name] for name in right(exercise)}
    return {name: prob / (1 - sum(asked.values())) for name, prob in asked.items()}


def _weights(exercise):
    return {token: math.exp(z) for token, z in logits(exercise).items()}


def _other_temperature(exercise, instead_of):
    other = {"T = 0": "T ≈ 1", "T ≈ 1": "T = 0"}
    return {name: other[answer] for name, answer in right(exercise).items() if answer == instead_of}


def _without_one(exercise):
    """The figures of whoever overlooks the least probable token that is allowed."""
    allowed = sorted(right(exercise)["allowed"], key=probs(exercise).__getitem__)[1:]
    mass = sum(probs(exercise)[token] for token in allowed)
    return {
        "allowed": frozenset(allowed),
        "removed": 1 - mass,
        "share": probs(exercise)[allowed[-1]] / mass,
    }


def written(answer):
    return f"{float(answer):.4f}" if isinstance(answer, int | float | Fraction) else answer


@pytest.mark.parametrize(("slug", "words", "way"), WAYS, ids=[f"{slug}: {words}" for slug, words, _ in WAYS])
def test_a_mistake_made_on_purpose_is_named(slug, words, way):
    named = 0
    for seed in SEEDS:
        exercise = make(slug, seed)
        answers = {name: written(answer) for name, answer in way(exercise).items()}
        for verdict in check(slug, seed, answers):
            if verdict.state == "wrong" and verdict.field in answers:
                assert words in verdict.text, (seed, verdict, answers)
                named += 1
    assert named >= 10


MAIN = [
    ("softmax", lambda e: shares(logits(e))),
    ("temperature", lambda e: hand.normalised(hand.logarithms(e))),
    ("entropy", lambda e: {"choices": 2 * float(right(e)["bits"]), "bits": math.log2(len(probs(e)))}),
    ("draw", in_the_tables_order),
    ("top-k", lambda e: {"kept": frozenset(list(probs(e))[: len(right(e)["kept"])])}),
    ("top-k", lambda e: as_they_were(e, probs(e))),
    ("top-p", lambda e: {"kept": frozenset(_until(probs(e), hand.numbers(e)[0]))}),
    ("min-p", lambda e: {"kept": frozenset(above_min_p_itself(e).get("kept", ()))}),
    ("min-p", lambda e: as_they_were(e, probs(e))),
    ("mask", lambda e: {"share": probs(e)[right(e)["greedy"]]}),
    ("speculative", excess),
]


@pytest.mark.parametrize(("slug", "way"), MAIN, ids=[slug for slug, _ in MAIN])
def test_the_main_mistake_is_right_in_none_of_its_fields(slug, way):
    for seed in range(300):
        exercise = make(slug, seed)
        answers = {name: written(answer) for name, answer in way(exercise).items()}
        found = {verdict.field: verdict.state for verdict in check(slug, seed, answers)}
        assert "right" not in {found[name] for name in answers}, (seed, answers)


@pytest.mark.parametrize("slug", KINDS)
def test_no_mistake_that_is_told_is_right(slug):
    for seed in range(100):
        made = make(slug, seed).made
        fields = {field.name: field for field in made.fields}
        for mistake in told_mistakes(made):
            for name, answer in mistake.answers.items():
                if isinstance(fields[name], NumberField):
                    assert abs(answer - made.answers[name]) > fields[name].tolerance
                else:
                    assert answer != made.answers[name]
