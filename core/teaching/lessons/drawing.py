"""What the screens of tokens show at an address: distributions, drawn texts, masks, drafted rounds."""

from collections.abc import Sequence
from functools import cache, lru_cache

from numpy.typing import ArrayLike

from core.decoding import Draft, PromptLookup, Round, early_exit, generate, speculate_round
from core.decoding.constrained import ConstrainedStep, generate_constrained
from core.decoding.constrained_examples import CONSTRAINT_EXAMPLES, ConstraintExample
from core.decoding.constrained_grammar import constraint
from core.decoding.constrained_matcher import Matcher
from core.decoding.speculative_proof import Proofs, place_after, prove
from core.lm import embedded, install, load_examples, load_tokenizer
from core.sampling import Distribution, SamplerSettings, distribution, draw, presort
from core.sampling.pasted import read_pasted
from core.teaching.drafting import DRAFTING_EXAMPLES
from core.teaching.lessons.step import Address

LONGEST = 64  # tokens of a text
LAYERS = 27  # of the draft that the speculative screen begins with
GAMMA = 4
DRAWS = 10_000
KNOWN = 512  # tokens and rounds that are kept: steps go on from where others end


def settings_of(address: Address) -> SamplerSettings:
    """The dials."""
    return SamplerSettings(
        temperature=float(address.get("T", 1)),
        top_k=int(address.get("top_k", 0)),
        top_p=float(address.get("top_p", 1)),
        min_p=float(address.get("min_p", 0)),
    )


def sampled(address: Address) -> Distribution:
    """The distribution of the sampling screen: of given numbers, or of the token after the prompt."""
    return distribution(presort(_logits(address)), settings_of(address))


def drawn_by(u: float) -> str:
    """The token that a number draws after the prompt of the home screen."""
    example = load_examples()[0]
    drawn = draw(distribution(presort(example.logits), SamplerSettings()), u)
    return load_tokenizer().decode([drawn])


def percent_of_first(address: Address) -> float:
    """The probability of the most probable token, in percent."""
    drawn = sampled(address)
    return 100 * float(drawn.probs[drawn.order[0]])


def kept(address: Address) -> int:
    """How many tokens the filters leave."""
    return int(sampled(address).kept.sum())


def written(address: Address, most: int) -> list[int]:
    """The first tokens that the model generates after the prompt, under the settings and the seed."""
    seed = int(address.get("seed", 0))
    return [
        drawn.token_id for drawn in generate(embedded(), _ids(address), settings_of(address), seed, 0, most)
    ]


def first_word(address: Address) -> str:
    """The text of the first token that is generated."""
    return embedded().tokenizer.decode(written(address, 1))


def passes_before(text: str, address: Address) -> int:
    """How many tokens of the text in the address come before the one that is `text`: so many passes."""
    return [embedded().tokenizer.decode([token]) for token in _added(address)].index(text)


def is_repeatable(address: Address) -> bool:
    """Whether the text in the address is what comes once more from the same prompt, settings and seed."""
    return written(address, len(_added(address))) == _added(address)


def masked_steps(address: Address) -> Sequence[ConstrainedStep]:
    """The tokens in view, each drawn under the constraint."""
    example, settings = _example(address), settings_of(address)
    seed, done = int(address.get("seed", 0)), list[ConstrainedStep]()
    while len(done) < int(address.get("tokens", 1)):
        step = _masked_step(example, settings, seed, tuple(one.token.token_id for one in done))
        if step is None:
            break
        done.append(step)
    return done


@lru_cache(KNOWN)
def _masked_step(
    example: ConstraintExample, settings: SamplerSettings, seed: int, path: tuple[int, ...]
) -> ConstrainedStep | None:
    model = embedded()
    held = constraint(example.kind, example.text)
    ids = model.start(model.tokenizer.encode(example.prompt))
    return next(generate_constrained(model, ids, held, settings, seed, LONGEST, path), None)


def forced(address: Address) -> int:
    """Of the tokens in view, how many the grammar did not leave to the model."""
    return sum(step.forced for step in masked_steps(address))


def says_the_fact(address: Address) -> bool:
    """Whether the text in view holds what a true answer does."""
    ids = [step.token.token_id for step in masked_steps(address)]
    return _example(address).fact in embedded().tokenizer.decode(ids)


def free_start_fits(address: Address) -> bool:
    """Whether the grammar allows the first token that the model draws without it."""
    example, model = _example(address), embedded()
    ids = model.start(model.tokenizer.encode(example.prompt))
    first = next(generate(model, ids, settings_of(address), int(address.get("seed", 0)), 0, 1))
    allowed = Matcher(constraint(example.kind, example.text), model.tokenizer).allowed()
    return bool(allowed.mask[first.token_id])


def rounds(address: Address) -> list[Round]:
    """The rounds of drafting and verifying that are in view."""
    text, settings, done = _ids(address), settings_of(address), list[Round]()
    for index in range(int(address.get("rounds", 1))):
        room = LONGEST - sum(len(one.tokens) for one in done)
        made = _round(address.get("draft", "exit"), tuple(text), settings, index, room)
        done.append(made)
        text = [*text, *made.tokens]
    return done


@lru_cache(KNOWN)
def _round(kind: str, text: tuple[int, ...], settings: SamplerSettings, index: int, room: int) -> Round:
    return speculate_round(embedded(), _draft(kind), text, settings, 0, index, GAMMA, room)


@cache
def _draft(kind: str) -> Draft:
    return PromptLookup(embedded().vocab_size) if kind == "lookup" else early_exit(embedded(), LAYERS)


def accepted(address: Address) -> int:
    """How many drafted tokens the target keeps in the newest round."""
    return rounds(address)[-1].accepted


def tokens_of_pass(address: Address) -> int:
    """How many tokens the newest pass of the target adds to the text."""
    return len(rounds(address)[-1].tokens)


def proofs(address: Address) -> Proofs:
    """Many draws at the first drafted place, by each rule."""
    place = place_after(embedded(), _draft("exit"), _ids(address), settings_of(address))
    assert place is not None  # an early exit always proposes
    return prove(place.p, place.q, 0, DRAWS)


def _logits(address: Address) -> ArrayLike:
    if "own" in address:
        return read_pasted(address["own"], "probabilities").logits()
    bundled = {example.text: example.logits for example in load_examples()}
    if install.find() is None and address["prompt"] in bundled:
        return bundled[address["prompt"]]
    return embedded().next_logits(_ids(address))


def _ids(address: Address) -> list[int]:
    model = embedded()
    text = address.get("prompt", DRAFTING_EXAMPLES[0].prompt)
    return model.start(model.tokenizer.encode(text))


def _added(address: Address) -> list[int]:
    return [int(token) for token in address["added"].split(".")]


def _example(address: Address) -> ConstraintExample:
    return next(one for one in CONSTRAINT_EXAMPLES if one.slug == address.get("example", "call"))
