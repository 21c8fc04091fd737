"""Everything that the screen on constrained decoding says and draws, as plain values."""

from collections.abc import Mapping, Sequence

from core.decoding.constrained import ConstrainedStep, MaskedToken
from core.decoding.constrained_check import Check
from core.decoding.constrained_grammar import Constraint
from core.figures.generation_view import percent, tokens
from core.lm import Tokenizer, visible
from core.values import Value

APART = 0.0005  # below this, two probabilities read the same
ENDINGS = {
    "end token": "An end token ends the text: it fits the constraint.",
    "dead end": "Dead end: the text is not over, and no token of this vocabulary keeps the constraint.",
    "too intricate": "The grammar library gives up here: there are too many ways to go on.",
    "context": "The context is full: the model reads no more tokens.",
}
METHODS = {
    "mask first": "The mask comes first, then temperature and filters (transformers, vLLM).",
    "draw, check, redraw": "Drawn first; only what the grammar refuses is drawn again under the mask "
    "(llama.cpp, Ollama).",
}
MORAL = (
    "A mask guarantees form, not meaning: what cannot be parsed cannot be drawn, and what is false still can."
)


class MaskRow(Value):
    """A token as three bars: P, the lecture's P', and the engine's probability of drawing it, each 0 to 1."""

    name: str
    rank: int
    forbidden: bool
    drawn: bool
    refused: bool
    model: float
    lecture: float
    engine: float
    labels: tuple[str, str, str]


class RestBar(Value):
    """All tokens without a row of their own."""

    name: str
    model: float
    lecture: float
    engine: float
    labels: tuple[str, str]
    note: str


class StepView(Value):
    """One step: the picture, and a sentence for each thing that it shows, empty where there is none."""

    title: str
    so_far: str
    token: str
    rows: tuple[MaskRow, ...]
    rest: RestBar | None
    removed: str
    removed_mass: float
    forced: str
    may_end: str
    method: str
    draws: str
    difference: str
    ending: str


class MaskedChip(Value):
    """A generated token in the text; `mark` is its word: forced, drawn again, the end, or nothing.

    `share`: P of the model, before the mask. `title`: the numbers of the token.
    """

    name: str
    mark: str
    share: float
    title: str


class TextView(Value):
    """A constrained text and what is said about the whole of it."""

    chips: tuple[MaskedChip, ...]
    summary: str
    verdict: str
    conforms: bool
    remarks: tuple[str, ...]
    ending: str


class EngineRow(Value):
    """A token in the columns of `EnginesView`, each a probability from 0 to 1."""

    name: str
    forbidden: bool
    numbers: tuple[float, ...]
    labels: tuple[str, ...]


class EnginesView(Value):
    """One step under each engine."""

    columns: tuple[str, ...]
    rows: tuple[EngineRow, ...]
    refusals: str
    summary: str


def step_view(tokenizer: Tokenizer, steps: Sequence[ConstrainedStep], index: int) -> StepView:
    """Step `index`, from 0, of a constrained text."""
    done = steps[index]
    return StepView(
        title=f"Token {index + 1}",
        so_far=tokenizer.decode([step.token.token_id for step in steps[:index]]),
        token=token_name(tokenizer, done.token.token_id),
        rows=tuple(_row(tokenizer, token, done) for token in done.shown),
        rest=_rest(done),
        removed=_removed(tokenizer, done),
        removed_mass=done.removed_mass,
        forced=_forced(tokenizer, done),
        may_end="The text fits as it is, so it may end here." if done.may_end else "It may not end here yet.",
        method=METHODS[done.method],
        draws=_draws(tokenizer, done),
        difference=_difference(done),
        ending=_ending(done, len(steps)) if index == len(steps) - 1 else "",
    )


def text_view(
    tokenizer: Tokenizer, constraint: Constraint, steps: Sequence[ConstrainedStep], checked: Check | None
) -> TextView:
    """The text so far; `checked` once it is over."""
    forced = sum(step.forced for step in steps)
    again = sum(step.refused is not None for step in steps)
    parts = [f"{forced} of {tokens(len(steps))} forced"]
    parts += [f"{again} drawn again"] if again else []
    return TextView(
        chips=tuple(_chip(tokenizer, step) for step in steps),
        summary=", ".join(parts) + "." if steps else "",
        verdict=verdict(checked) if checked else "",
        conforms=bool(checked and checked.conforms),
        remarks=constraint.remarks,
        ending=_ending(steps[-1], len(steps)) if steps else "",
    )


def engines_view(tokenizer: Tokenizer, steps: Mapping[str, ConstrainedStep]) -> EnginesView:
    """One step as each engine does it, of `core.decoding.constrained.by_engine`, beside the formula."""
    some = next(iter(steps.values()))
    rows = []
    for place, token in enumerate(some.shown):
        engines = [done.shown[place].prob for done in steps.values()]
        numbers = (token.model_prob, token.lecture_prob, *engines)
        rows.append(
            EngineRow(
                name=token_name(tokenizer, token.token_id),
                forbidden=not token.allowed,
                numbers=numbers,
                labels=tuple(percent(number) for number in numbers),
            )
        )
    refusal = steps["llama.cpp"].refusal_prob
    apart = [name for name, done in steps.items() if _furthest(done) >= APART]
    return EnginesView(
        columns=("P", "P' of the lecture", *steps),
        rows=tuple(rows),
        refusals=f"llama.cpp and Ollama draw again in {percent(refusal)} of all cases.",
        summary=_who_is_apart(apart, len(steps)),
    )


def _who_is_apart(apart: Sequence[str], engines: int) -> str:
    if not apart:
        return "With these settings all of them draw from the lecture's P'."
    if len(apart) == engines:
        return "With these settings none of them draws from the lecture's P'."
    return f"Not the lecture's P' with these settings: {', '.join(apart)}."


def meaning(text: str, fact: str) -> str:
    """What a finished text of the right form says, of a question whose answer is known to hold `fact`."""
    if not fact:
        return MORAL
    if fact in text:
        return f"And here it says {fact}, as a right answer does. The mask did not see to that."
    return f"And yet it is wrong: a right answer says {fact}. {MORAL}"


def verdict(checked: Check) -> str:
    """What an independent check says of a finished text."""
    if checked.conforms:
        how = "by other means" if checked.independent else "as a whole, by the grammar itself"
        return f"Checked {how}: it parses and conforms."
    return f"{'It parses but does not conform' if checked.parses else 'It does not parse'}. {checked.problem}"


def _row(tokenizer: Tokenizer, token: MaskedToken, done: ConstrainedStep) -> MaskRow:
    return MaskRow(
        name=token_name(tokenizer, token.token_id),
        rank=token.rank,
        forbidden=not token.allowed,
        drawn=token.token_id == done.token.token_id,
        refused=done.refused is not None and token.token_id == done.refused.token_id,
        model=token.model_prob,
        lecture=token.lecture_prob,
        engine=token.prob,
        labels=(percent(token.model_prob), percent(token.lecture_prob), percent(token.prob)),
    )


def _rest(done: ConstrainedStep) -> RestBar | None:
    rest = done.rest
    if not rest.tokens:
        return None
    return RestBar(
        name=f"{rest.tokens:,} more",
        model=rest.model_prob,
        lecture=rest.lecture_prob,
        engine=rest.prob,
        labels=(percent(rest.model_prob), percent(rest.prob)),
        note=f"{rest.allowed:,} allowed" if rest.allowed else "none allowed",
    )


def _removed(tokenizer: Tokenizer, done: ConstrainedStep) -> str:
    left = f"{done.allowed:,} of {tokenizer.vocab_size:,} tokens are allowed"
    return f"The mask removes {percent(done.removed_mass)} of the model's probability: {left}."


def _forced(tokenizer: Tokenizer, done: ConstrainedStep) -> str:
    if not done.forced:
        return ""
    if done.token.token_id in tokenizer.end_ids:
        return "Forced: only the end is left."
    return "Forced: one token is left, whatever the model says."


def _draws(tokenizer: Tokenizer, done: ConstrainedStep) -> str:
    token = token_name(tokenizer, done.token.token_id)
    if done.refused is None:
        return f"Greedy takes {token}." if done.u is None else f"u = {done.u:.4f} draws {token}."
    refused = token_name(tokenizer, done.refused.token_id)
    if done.u is None:
        return f"Greedy takes {refused}, which the grammar refuses; under the mask it takes {token}."
    return (
        f"u = {done.u:.4f} draws {refused}, which the grammar refuses; "
        f"u = {done.redraw_u:.4f} draws {token} under the mask."
    )


def _difference(done: ConstrainedStep) -> str:
    """How far the engine is from the lecture's formula, on the tokens that are shown."""
    furthest = _furthest(done)
    if furthest < APART:
        return "The engine draws from the lecture's P'."
    return f"Temperature and filters take the engine up to {percent(furthest)} away from the lecture's P'."


def _furthest(done: ConstrainedStep) -> float:
    return max(abs(token.prob - token.lecture_prob) for token in done.shown)


def _ending(done: ConstrainedStep, count: int) -> str:
    if done.ending == "max tokens":
        return f"Stopped at {tokens(count)} without an end: a constraint does not make a text end."
    return ENDINGS[done.ending] if done.ending else ""


def _chip(tokenizer: Tokenizer, done: ConstrainedStep) -> MaskedChip:
    mark, token = _mark(tokenizer, done), done.token
    parts = [f"P = {percent(token.model_prob)}", f"under the mask {percent(token.lecture_prob)}"]
    parts += [mark] if mark else []
    return MaskedChip(
        name=token_name(tokenizer, token.token_id),
        mark=mark,
        share=token.model_prob,
        title=", ".join(parts),
    )


def _mark(tokenizer: Tokenizer, done: ConstrainedStep) -> str:
    if done.token.token_id in tokenizer.end_ids:
        return "end"
    if done.forced:
        return "forced"
    return "drawn again" if done.refused is not None else ""


def token_name(tokenizer: Tokenizer, token_id: int) -> str:
    """A token as text in which nothing is invisible."""
    return visible(tokenizer.token_bytes(token_id))
