"""No instruction, an instruction, a mask: of so many texts of each kind, how many parse and conform."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from core.decoding.constrained import generate_constrained
from core.decoding.constrained_check import Check, check
from core.decoding.constrained_grammar import Constraint
from core.decoding.constrained_matcher import Matcher
from core.decoding.counts import Share, wilson
from core.decoding.generate import LanguageModel, generate
from core.sampling import SamplerSettings, distribution


@dataclass(frozen=True)
class Attempt:
    """One text, without its end token, and whether it keeps the constraint.

    `complete`: it came to its end by itself, not at the limit of tokens or in a dead end.
    """

    text: str
    complete: bool
    check: Check


@dataclass(frozen=True)
class Pair:
    """A free and a masked text of one seed, and a free one after the same question without the instruction.

    `unasked` is `None` where it is not known which words of the prompt are the instruction.
    """

    seed: int
    free: Attempt
    masked: Attempt
    unasked: Attempt | None = None


@dataclass(frozen=True)
class Arm:
    """The shares of one kind of text so far, each with its 95 % interval."""

    complete: Share
    parses: Share
    conforms: Share


@dataclass(frozen=True)
class Progress:
    """After so many seeds: the newest pair of texts, and all arms."""

    seed: int
    free_text: Attempt
    masked_text: Attempt
    free: Arm
    masked: Arm
    unasked: Arm | None = None


def trial(
    model: LanguageModel,
    prompt_ids: Sequence[int],
    constraint: Constraint,
    settings: SamplerSettings,
    seeds: Sequence[int],
    max_tokens: int = 128,
) -> Iterator[Progress]:
    """For each seed a free and a masked text after the same prompt, which carries the instruction.

    A text that is cut off at `max_tokens` is checked as it is: an object without its end does not parse.
    Errors: as `generate_constrained`.
    """
    pairs: list[Pair] = []
    for seed in seeds:
        pairs.append(attempt_pair(model, prompt_ids, constraint, settings, seed, max_tokens))
        yield progress(pairs)


def attempt_pair(
    model: LanguageModel,
    prompt_ids: Sequence[int],
    constraint: Constraint,
    settings: SamplerSettings,
    seed: int,
    max_tokens: int,
) -> Pair:
    """The free and the masked text of one seed. Errors: as `generate_constrained`."""
    drawing = pair_by_tokens(model, prompt_ids, constraint, settings, seed, max_tokens)
    while True:
        try:
            next(drawing)
        except StopIteration as done:
            pair: Pair = done.value
            return pair


def pair_by_tokens(
    model: LanguageModel,
    prompt_ids: Sequence[int],
    constraint: Constraint,
    settings: SamplerSettings,
    seed: int,
    max_tokens: int,
    unasked_ids: Sequence[int] = (),
) -> Generator[int, None, Pair]:
    """`attempt_pair`, yielding how many tokens are drawn, after each: so it can be left at any of them.

    `unasked_ids`: the prompt without its instruction, if there is one to be compared.
    """
    unasked: list[int] = []
    free: list[int] = []
    masked: list[int] = []
    if unasked_ids:
        for drawn in generate(model, unasked_ids, settings, seed, max_tokens=max_tokens):
            unasked.append(drawn.token_id)
            yield len(unasked)
    for drawn in generate(model, prompt_ids, settings, seed, max_tokens=max_tokens):
        free.append(drawn.token_id)
        yield len(unasked) + len(free)
    for done in generate_constrained(model, prompt_ids, constraint, settings, seed, max_tokens):
        masked.append(done.token.token_id)
        yield len(unasked) + len(free) + len(masked)
    return Pair(
        seed,
        _attempt(model, constraint, free),
        _attempt(model, constraint, masked),
        _attempt(model, constraint, unasked) if unasked_ids else None,
    )


def first_fits(
    model: LanguageModel, prompt_ids: Sequence[int], constraint: Constraint, settings: SamplerSettings
) -> float:
    """How probable it is that the first token of a free text is one that the constraint allows: exactly."""
    probs = distribution(model.next_logits(model.start(prompt_ids)), settings).probs
    return float(probs[Matcher(constraint, model.tokenizer).allowed().mask].sum())


def progress(pairs: Sequence[Pair]) -> Progress:
    """What some pairs, at least one, come to."""
    newest = pairs[-1]
    free, masked = [pair.free for pair in pairs], [pair.masked for pair in pairs]
    unasked = [pair.unasked for pair in pairs if pair.unasked]
    compared = _arm(unasked) if len(unasked) == len(pairs) else None
    return Progress(newest.seed, newest.free, newest.masked, _arm(free), _arm(masked), compared)


def _attempt(model: LanguageModel, constraint: Constraint, token_ids: list[int]) -> Attempt:
    complete = bool(token_ids) and token_ids[-1] in model.tokenizer.end_ids
    text = model.tokenizer.decode(token_ids[:-1] if complete else token_ids)
    return Attempt(text, complete, check(constraint, text, model.tokenizer))


def _arm(attempts: Sequence[Attempt]) -> Arm:
    total = len(attempts)
    return Arm(
        complete=wilson(sum(attempt.complete for attempt in attempts), total),
        parses=wilson(sum(attempt.check.parses for attempt in attempts), total),
        conforms=wilson(sum(attempt.check.conforms for attempt in attempts), total),
    )
