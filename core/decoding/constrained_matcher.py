"""How far a text has come in a grammar, and so which tokens may follow: A(s) of the lecture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import llguidance
import numpy as np
from llguidance.numpy import allocate_token_bitmask, fill_next_token_bitmask
from numpy.typing import NDArray

from core.decoding.constrained_grammar import Constraint, reason_of
from core.errors import InputError


class Vocabulary(Protocol):
    """What a grammar must know of a tokenizer: `core.lm.Tokenizer` is one."""

    @property
    def vocab_size(self) -> int:
        """The number of tokens."""

    @property
    def end_ids(self) -> frozenset[int]:
        """The tokens that end a text: allowed where the text is complete, whatever they are called."""

    @property
    def token_bytes(self) -> Callable[[int], bytes]:
        """The bytes of a token."""

    @property
    def is_special(self) -> Callable[[int], bool]:
        """Whether a token is a control token, which stands for no text."""

    def __hash__(self) -> int:
        """What belongs to a vocabulary is kept by it."""


@dataclass(frozen=True, eq=False)
class Allowed:
    """The tokens that may come next, bool (V,), read-only, and how many.

    A token may come if the text with it is the beginning of a text that fits. End tokens may if the text fits
    as it is. A dead end has no token at all: what fits can then not be written with this vocabulary.
    """

    mask: NDArray[np.bool_]
    count: int
    may_end: bool
    forced: bool

    @property
    def dead_end(self) -> bool:
        """Whether nothing may come, not even the end."""
        return self.count == 0


class TooIntricate(InputError):
    """The grammar library gave up at a limit of its own: it does not know what may come next."""


class Matcher:
    """The state of the grammar along one text. It changes with `take`; a `copy` goes its own way.

    Errors: `InputError` if the constraint allows no first token; `TooIntricate`, from any method.
    """

    def __init__(self, constraint: Constraint, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._state = _compiled(constraint.lark, vocabulary).deep_copy()
        if self.allowed().dead_end:
            raise InputError(
                "No text fits this constraint, or none that the tokens of this model can begin: loosen it."
            )

    def allowed(self) -> Allowed:
        """The tokens that may come next."""
        size, ends = self._vocabulary.vocab_size, list(self._vocabulary.end_ids)
        bits = allocate_token_bitmask(1, size)
        fill_next_token_bitmask(self._state, bits)
        _check_limits(self._state)
        mask = np.unpackbits(bits.view(np.uint8), bitorder="little")[:size].astype(np.bool_)
        # In a dead end the library offers the end of the text, though the text does not fit.
        may_end = bool(self._state.is_accepting())
        mask[ends] = may_end
        mask.flags.writeable = False
        count = int(np.count_nonzero(mask))
        return Allowed(mask, count, may_end, forced=count - may_end * (len(ends) - 1) == 1)

    def take(self, token_id: int) -> None:
        """Go on with a token. `InputError` if the grammar does not allow it here."""
        if token_id in self._vocabulary.end_ids or not _valid(self._state, [token_id]):
            raise InputError(f"The constraint does not allow token {token_id} here.")
        self._state.consume_token(token_id)
        _check_limits(self._state)

    def accepts(self, token_ids: Sequence[int]) -> bool:
        """Whether the text may go on with all these tokens and then end. The state stays."""
        state = self._state.deep_copy()
        if not _valid(state, token_ids):
            return False
        state.consume_tokens(list(token_ids))
        _check_limits(state)
        return bool(state.is_accepting())

    def copy(self) -> "Matcher":
        """The same state once more."""
        twin = Matcher.__new__(Matcher)
        twin._vocabulary, twin._state = self._vocabulary, self._state.deep_copy()
        return twin


def _valid(state: llguidance.LLMatcher, token_ids: Sequence[int]) -> bool:
    # Consuming a token that is not allowed would leave the state in an error.
    return bool(state.validate_tokens(list(token_ids)) == len(token_ids))


def _check_limits(state: llguidance.LLMatcher) -> None:
    # A dead end, "NoExtensionBias", is an error to the library as well.
    if state.is_error() and not state.get_error().startswith("NoExtension"):
        # What gave up is shared by all copies, and those of a new start would find it so.
        _compiled.cache_clear()
        raise TooIntricate(
            "The grammar library gives up: there are too many ways in which this text may go on. "
            "Make the constraint simpler."
        )


@lru_cache(maxsize=64)
def _compiled(lark: str, vocabulary: Vocabulary) -> llguidance.LLMatcher:
    grammar = llguidance.LLMatcher.grammar_from_lark(lark)
    matcher = llguidance.LLMatcher(_tokens(vocabulary), grammar, log_level=0)
    if matcher.is_error():
        raise InputError(f"This constraint cannot be used here: {reason_of(matcher.get_error())}.")
    return matcher


@lru_cache(maxsize=4)
def _tokens(vocabulary: Vocabulary) -> llguidance.LLTokenizer:
    if not vocabulary.end_ids:
        raise InputError(
            "This model's tokenizer names no end token, so that a text under a constraint cannot end."
        )
    tokens = _Tokens(vocabulary)
    return llguidance.LLTokenizer(llguidance.TokenizerWrapper(tokens), eos_token=sorted(vocabulary.end_ids))


class _Tokens:
    """The vocabulary as llguidance wants it: bytes by id, so that a token's name is never taken for text."""

    bos_token_id = None

    def __init__(self, vocabulary: Vocabulary) -> None:
        ids = range(vocabulary.vocab_size)
        self.tokens = [vocabulary.token_bytes(id_) for id_ in ids]
        self.special_token_ids = [id_ for id_ in ids if vocabulary.is_special(id_)]
        self.eos_token_id = min(vocabulary.end_ids)

    def __call__(self, text: bytes) -> list[int]:
        """Text to tokens, which a grammar asks for only to force tokens; see `constrained_grammar`."""
        raise NotImplementedError(text)
