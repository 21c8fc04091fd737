"""Text to tokens and back, exactly as SmolLM2 does it: byte-level byte-pair encoding (BPE).

The text is taken as UTF-8 bytes, cut into words by GPT-2's pattern and single digits, and in each word the
neighbouring pair that was learnt first is merged until none is left. Sources: Sennrich et al. 2016
(arXiv:1508.07909), byte level: Radford et al. 2019 (GPT-2), section 2.2.

The vocabulary lies beside this file, so counts are exact before the model itself is installed. It has no
token for 21 single bytes: 15 that occur in no or only in very rare UTF-8 characters, and the control
characters U+0004, U+0006, U+0013, U+0014, U+0016, U+001D. They vanish from a text when it is encoded, here as
in llama.cpp.
"""

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import tokenizers

from core.errors import InputError

BUNDLED = Path(__file__).parent / "data" / "smollm2_tokenizer.json.gz"


@dataclass(frozen=True)
class TokenSpan:
    """One token of a text and the characters it stands for: `text[start:end]`.

    A character of several bytes can be split over several tokens; each of them then has that character in its
    span, so neighbouring spans can overlap.
    """

    id: int
    start: int
    end: int


class Tokenizer:
    """A byte-level BPE tokenizer. Without state that changes, so threads can share it.

    Args:
        name: shown beside every count.
        json: the text of a `tokenizer.json` of the `tokenizers` package; kept as `.json` for grammar engines.
        start_id: the token that begins a text when nothing precedes it.
        end_ids: the tokens after which generation stops.
    """

    def __init__(self, name: str, json: str, start_id: int, end_ids: Sequence[int]) -> None:
        self.name = name
        self.json = json
        self.start_id = start_id
        self.end_ids = frozenset(end_ids)
        self._marked = tokenizers.Tokenizer.from_str(json)
        self.vocab_size: int = self._marked.get_vocab_size()
        self._special = {id_: token.content for id_, token in self._marked.get_added_tokens_decoder().items()}

    def encode(self, text: str, special: bool = True) -> list[int]:
        """The token ids of a text. Nothing is put before or after it.

        Args:
            text: any text.
            special: whether markers such as `<|im_start|>` become control tokens (the text of a whole prompt)
            or
                stay the ordinary characters they are (anything a user or a tool wrote).

        Raises:
            InputError: the text holds half a surrogate pair, which no UTF-8 can express.
        """
        return [span.id for span in self.encode_with_offsets(text, special)]

    def encode_with_offsets(self, text: str, special: bool = True) -> list[TokenSpan]:
        """As `encode`, with the characters of the text that each token stands for."""
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"Character {error.start + 1} of the text is half of a surrogate pair and has no bytes: "
                "remove it, or paste the text again."
            ) from None
        encoding = (self._marked if special else self._plain).encode(text, add_special_tokens=False)
        return [TokenSpan(id_, *span) for id_, span in zip(encoding.ids, encoding.offsets, strict=True)]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of the tokens, control tokens written out; bytes that are not UTF-8 become U+FFFD."""
        return b"".join(map(self.token_bytes, ids)).decode(errors="replace")

    def token_bytes(self, id: int) -> bytes:
        """The bytes a token stands for: possibly a part of a character.

        Raises:
            InputError: there is no such token.
        """
        if not 0 <= id < self.vocab_size:
            raise InputError(
                f"There is no token {id}: {self.name} numbers its tokens 0 to {self.vocab_size - 1:,}."
            )
        if id in self._special:
            return self._special[id].encode()
        return bytes(_BYTE_OF[character] for character in self._marked.id_to_token(id) or "")

    @cached_property
    def _plain(self) -> tokenizers.Tokenizer:
        # A second object, because the switch is a property of the whole tokenizer and threads share the first
        # one.
        plain = tokenizers.Tokenizer.from_str(self.json)
        plain.encode_special_tokens = True
        return plain

    def is_special(self, id: int) -> bool:
        """Whether the token is a control token, which no ordinary text contains."""
        return id in self._special


def _byte_alphabet() -> dict[str, int]:
    """The byte behind each of GPT-2's printable stand-ins (`bytes_to_unicode`, openai/gpt-2, encoder.py)."""
    printable = [
        *range(ord("!"), ord("~") + 1),
        *range(ord("¡"), ord("¬") + 1),
        *range(ord("®"), ord("ÿ") + 1),
    ]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}


_BYTE_OF = _byte_alphabet()


@cache
def load_tokenizer() -> Tokenizer:
    """The tokenizer of the embedded model, SmolLM2-135M-Instruct; it needs no model."""
    text = gzip.decompress(BUNDLED.read_bytes()).decode()
    # <|im_start|> is the "begin of text" that the GGUF names; <|im_end|> ends a turn, <|endoftext|> a
    # document.
    return Tokenizer("SmolLM2", text, start_id=1, end_ids=(0, 2))
