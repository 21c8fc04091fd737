"""Part A's exercises solved from what is on paper alone, in exact fractions, without Loopscope's sampling.

Each solution reads the task and the tables as a student does, and returns the answer of every field.
"""

import math
import re
from fractions import Fraction

from core.teaching.exercises import Code, Exercise

Weights = dict[str, Fraction]


def rows(exercise: Exercise, table: int = 0) -> dict[str, dict[str, str]]:
    """The given table: row name -> column -> text."""
    given = exercise.made.given[table]
    assert not isinstance(given, Code)
    return {row[0]: dict(zip(given.columns[1:], row[1:], strict=True)) for row in given.rows}


def probabilities(exercise: Exercise, name: str = "P") -> Weights:
    return {token: Fraction(text) for token, text in rows(exercise)[name].items()}


def numbers(exercise: Exercise) -> list[Fraction]:
    """The numbers in the task."""
    return [Fraction(text) for text in re.findall(r"\d+(?:\.\d+)?", exercise.made.task)]


def normalised(weights: Weights) -> Weights:
    return {token: weight / sum(weights.values()) for token, weight in weights.items()}


def falling(weights: Weights) -> list[str]:
    return sorted(weights, key=weights.__getitem__, reverse=True)


def only(weights: Weights, tokens) -> Weights:
    return normalised({token: weight for token, weight in weights.items() if token in tokens})


def nucleus(weights: Weights, p: Fraction) -> set[str]:
    """The smallest set by falling probability whose sum is at least p."""
    shares, chosen, reached = normalised(weights), set(), Fraction(0)
    for token in falling(weights):
        if reached >= p:
            break
        chosen.add(token)
        reached += shares[token]
    return chosen


def near(weights: Weights, min_p: Fraction) -> set[str]:
    """Tokens of at least min_p times the largest."""
    return {token for token, weight in weights.items() if weight >= min_p * max(weights.values())}


def tempered(weights: Weights, t: Fraction) -> Weights:
    """exp(z / T) for z = ln x, where that is a root or a square."""
    if t == Fraction(1, 2):
        return {token: weight**2 for token, weight in weights.items()}
    assert t == 2
    roots = {token: Fraction(math.isqrt(int(weight))) for token, weight in weights.items()}
    assert all(root**2 == weights[token] for token, root in roots.items())
    return roots


def logarithms(exercise: Exercise) -> Weights:
    """x of each logit ln x."""
    return {token: Fraction(text.removeprefix("ln ")) for token, text in rows(exercise)["z"].items()}


def kept_and_shares(exercise: Exercise, weights: Weights, kept) -> dict:
    """The set, and P′ of the tokens that are asked for."""
    shares = only(weights, kept)
    asked = {field.name for field in exercise.made.fields} & set(weights)
    return {"kept": frozenset(kept), **{token: shares.get(token, 0) for token in asked}}


def softmax(exercise):
    if "e^z" in rows(exercise):
        weights = {token: Fraction(math.exp(int(z))) for token, z in rows(exercise)["z"].items()}
        printed = rows(exercise)["e^z"]
        assert all(abs(Fraction(printed[token]) - weights[token]) <= Fraction(1, 199) for token in weights)
    else:
        weights = logarithms(exercise)
    return {"sum": sum(weights.values()), **normalised(weights)}


def temperature(exercise):
    (t,) = numbers(exercise)
    return {**normalised(tempered(logarithms(exercise), t)), "shape": "flatter" if t > 1 else "more peaked"}


def softmax_properties(exercise):
    """Entries above 0 with the sum 1; logits that are shifted change nothing, scaled ones do."""
    fields = {field.name: field for field in exercise.made.fields}
    read = {text: list(map(Fraction, text.replace("−", "-").split(" · "))) for text in fields["rows"].options}
    task = exercise.made.task
    scaled = "more peaked" if "multiplied" in task else "flatter" if "divided" in task else None
    return {
        "rows": frozenset(text for text, row in read.items() if sum(row) == 1 and min(row) > 0),
        "positive": "e^z is above 0, and so is the sum",
        "sum": "the numerators add up to the denominator",
        "change": scaled or "nothing changes",
    }


def entropy(exercise):
    probs = probabilities(exercise)
    bits = sum(prob * (prob.denominator.bit_length() - 1) for prob in probs.values())
    assert all(bin(prob.denominator).count("1") == 1 for prob in probs.values())
    assert sum(probs.values()) == 1
    return {"bits": bits, "choices": 2 ** float(bits)}


def draw(exercise):
    probs = probabilities(exercise)
    assert sum(probs.values()) == 1
    answers = {"greedy": falling(probs)[0]}
    for field in exercise.made.fields:
        if field.name != "greedy":
            u, reached = Fraction(re.search(r"[\d.]+", field.label)[0]), Fraction(0)
            for token in falling(probs):
                reached += probs[token]
                if reached > u:
                    answers[field.name] = token
                    break
    return answers


def top_k(exercise):
    (k,), probs = numbers(exercise), probabilities(exercise)
    return kept_and_shares(exercise, probs, falling(probs)[: int(k)])


def top_p(exercise):
    (p,), probs = numbers(exercise), probabilities(exercise)
    return kept_and_shares(exercise, probs, nucleus(probs, p))


def min_p(exercise):
    (factor,), probs = numbers(exercise), probabilities(exercise)
    return kept_and_shares(exercise, probs, near(probs, factor))


def renormalise(exercise):
    marks = rows(exercise)[""]
    return only(probabilities(exercise), [token for token, mark in marks.items() if mark == "kept"])


def temperature_top_p(exercise):
    t, p = numbers(exercise)
    weights = tempered(logarithms(exercise), t)
    return kept_and_shares(exercise, weights, nucleus(weights, p))


def engine_order(exercise):
    weights, (t, value) = logarithms(exercise), numbers(exercise)
    answers = {}
    for engine, row in rows(exercise, 1).items():
        name = "top-p" if "top-p" in exercise.made.task else "min-p"
        order = row["order"].split(" → ")
        seen = tempered(weights, t) if order.index("temperature") < order.index(name) else weights
        answers[engine] = frozenset((nucleus if name == "top-p" else near)(seen, value))
    return answers


def greedy(exercise):
    probs = probabilities(exercise)
    first, second = sorted(probs.values(), reverse=True)[:2]
    alone = {
        "T": lambda value: value == 0,
        "top-k": lambda value: value == 1,
        "top-p": lambda value: value <= first,
        "min-p": lambda value: value > second / first,
    }
    settings = (option.split(" = ") for option in exercise.made.fields[0].options)
    return {
        "settings": frozenset(f"{name} = {text}" for name, text in settings if alone[name](Fraction(text)))
    }


BEGINS_A_NUMBER = re.compile(r"[1-9]\d{0,2}")
BEGINS_A_TIME = re.compile(r"[0-2]|([01]\d|2[0-3])(:([0-5]\d?)?)?")


def mask(exercise):
    said, so_far = re.match(
        r"The text has to be (.+)\. So far it is (?:empty|“(.*)”)\. Apply", exercise.made.task
    ).groups()
    probs = probabilities(exercise)

    def begins(text):
        if said.startswith("one of: "):
            return any(word[: len(text)] == text for word in said.removeprefix("one of: ").split(", "))
        return (BEGINS_A_TIME if "time" in said else BEGINS_A_NUMBER).fullmatch(text) is not None

    allowed = {token for token in probs if begins((so_far or "") + token)}
    shares = only(probs, allowed)
    first = falling(shares)[0]
    mass = sum(probs[token] for token in allowed)
    return {"allowed": frozenset(allowed), "removed": 1 - mass, "share": shares[first], "greedy": first}


def speculative(exercise):
    p, q = probabilities(exercise, "p"), probabilities(exercise, "q")
    assert sum(p.values()) == sum(q.values()) == 1
    label = {field.name: field.label[0] for field in exercise.made.fields}
    above = normalised({token: max(Fraction(0), p[token] - q[token]) for token in p})
    return {
        "accepted": min(Fraction(1), p[label["accepted"]] / q[label["accepted"]]),
        "rejected": min(Fraction(1), p[label["rejected"]] / q[label["rejected"]]),
        "alpha": sum(min(p[token], q[token]) for token in p),
        "residual": above[label["residual"]],
    }


ONE_VALID_OUTPUT = re.compile(
    "tool call|invoice|multiple-choice|linter|database|last week|four folders|sentence is a"
)
RULE = {
    "Answers vary too much. What is changed first?": "the prompt",
    "The prompt is good. Which parameter is adjusted?": "T alone, top-p stays",
    "Where does top-p normally stay?": "0.9 to 0.95",
    "Two runs have to be comparable. What is set?": "T = 0, and a fixed seed",
}


def use_case(exercise):
    *tasks, rule = exercise.made.fields
    temperatures = {
        field.name: "T = 0" if ONE_VALID_OUTPUT.search(field.label) else "T ≈ 1" for field in tasks
    }
    return {**temperatures, "rule": RULE[rule.label]}


SOLVE = {
    "softmax": softmax,
    "temperature": temperature,
    "softmax-properties": softmax_properties,
    "entropy": entropy,
    "draw": draw,
    "top-k": top_k,
    "top-p": top_p,
    "min-p": min_p,
    "renormalise": renormalise,
    "temperature-top-p": temperature_top_p,
    "engine-order": engine_order,
    "greedy": greedy,
    "mask": mask,
    "use-case": use_case,
    "speculative": speculative,
}
