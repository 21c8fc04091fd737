"""The tokenizer of a folder of Hugging Face: its tokenizer.json, if it is a byte-level BPE.

Format: the `tokenizers` package, which reads it. How ids without a token are filled: llama.cpp,
conversion/base.py, `get_vocab_base`.
"""

import json
from typing import Any

import tokenizers

from core.errors import InputError
from core.lm.gguf_tokenizer import ENDS
from core.lm.not_computed import NotComputed, wants_a_token
from core.lm.tokenizer import Tokenizer

_BYTES = frozenset(tokenizers.pre_tokenizers.ByteLevel.alphabet())


def read_tokenizer(
    name: str, described: dict[str, Any], vocab_size: int, start: int | None, ends: set[int]
) -> Tokenizer:
    """The tokenizer of a model.

    Args:
        name: of the model, shown beside every count.
        described: the content of tokenizer.json.
        vocab_size: the rows of the embedding; an id that no token has gets one that no text contains.
        start: the token that begins a text.
        ends: the tokens that the folder names as the end of a text; those that end a turn are added to them.

    Raises:
        InputError: it is damaged or of another kind, puts a token of its own around every text, or does not
        fit the embedding.
    """
    # Padding and truncation are meant for batches in training; here a text is read as it is.
    described = described | {"padding": None, "truncation": None}
    try:
        given = tokenizers.Tokenizer.from_str(json.dumps(described))
    except Exception as error:  # the package raises no narrower kind
        raise InputError(f"The tokenizer.json of {name} cannot be read ({error}): fetch it again.") from None
    described = json.loads(given.to_str())  # in one form, whatever the form of the file
    vocabulary = given.get_vocab()
    added = {token.content for token in given.get_added_tokens_decoder().values()}
    if not _is_byte_level(described) or not _BYTES.issuperset("".join(vocabulary.keys() - added)):
        raise NotComputed(f"The tokenizer of {name} is no byte-level BPE, the one kind that Loopscope knows")
    if given.encode("a").ids != given.encode("a", add_special_tokens=False).ids:
        raise wants_a_token(name)
    numbered = set(vocabulary.values())
    if start is None:
        raise InputError(f"{name} names no token that begins a text: set bos_token_id in its config.json.")
    if beyond := sorted({start, *ends} - numbered):
        raise InputError(
            f"{name} begins or ends its texts with token {beyond[0]}, which its tokenizer.json lacks: set "
            "bos_token_id and eos_token_id in its config.json."
        )
    if (last := max(numbered)) >= vocab_size:
        raise InputError(
            f"The tokenizer of {name} numbers its tokens up to {last:,}, and its embedding has "
            f"{vocab_size:,} rows: fetch both from one place again."
        )
    # Markers too: one that the vocabulary lacks would be numbered after what fills it up.
    filling = {f"[PAD{id_}]": id_ for id_ in set(range(vocab_size)) - numbered}
    described["model"]["vocab"] = vocabulary | filling
    turns = {vocabulary[token] for token in ENDS if token in vocabulary}
    return Tokenizer(name, json.dumps(described), start, sorted(ends | turns))


def _is_byte_level(described: dict[str, Any]) -> bool:
    decoder = described["decoder"] or {}
    kinds = [step.get("type") for step in decoder.get("decoders", [decoder])]
    return described["model"]["type"] == "BPE" and "ByteLevel" in kinds
