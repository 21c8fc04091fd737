"""The tokenizer that a GGUF carries in its metadata, if it is a byte-level BPE that `tokenizers` can express.

Keys: GGUF specification, docs/gguf.md of ggml, "Tokenizer". What stands behind a name of a pre-tokenizer:
llama.cpp, src/llama-vocab.cpp, `llm_tokenizer_bpe`.
"""

import json
from typing import Any

from core.errors import InputError
from core.lm.not_computed import NotComputed, wants_a_token
from core.lm.tokenizer import Tokenizer

CONTROL, USER_DEFINED = 3, 4  # gguf.TokenType

_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
_SINGLE_DIGITS = {"type": "Digits", "individual_digits": True}
_SMOLLM = {"type": "Sequence", "pretokenizers": [_SINGLE_DIGITS, _BYTE_LEVEL]}


def _by_regex(digits: str) -> dict[str, Any]:
    """The expression in the tokenizer.json of Llama 3 and of Qwen 2, which differ in the digits."""
    words = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
        + digits
        + r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    split = {"type": "Split", "pattern": {"Regex": words}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, _BYTE_LEVEL | {"use_regex": False}]}


_PRE_TOKENIZERS: dict[str, dict[str, Any]] = {
    "gpt-2": _BYTE_LEVEL,
    "smollm": _SMOLLM,
    "refact": _SMOLLM,
    "starcoder": _SMOLLM,
    "qwen2": _by_regex(r"\p{N}"),
    "llama-bpe": _by_regex(r"\p{N}{1,3}"),
}
# Llama 3 takes a word whole that is in the vocabulary, and begins every text with a token unless the file
# says no.
_LLAMA_3 = "llama-bpe"

ENDS = ("<|endoftext|>", "<|im_end|>", "</s>", "<|eot_id|>")
"""Tokens after which generation stops in any model that has them: of a document, and of a turn."""


def read_tokenizer(name: str, metadata: dict[str, Any]) -> Tokenizer:
    """The tokenizer of a model.

    Args:
        name: of the model, shown beside every count.
        metadata: keys and values of the GGUF.

    Raises:
        InputError: it is of another kind, or begins every text with a token of its own.
    """
    kind, pre = metadata.get("tokenizer.ggml.model"), metadata.get("tokenizer.ggml.pre", "default")
    if kind != "gpt2" or pre not in _PRE_TOKENIZERS:
        raise NotComputed(
            f"The tokenizer of {name} is {kind} with {pre}, and Loopscope knows byte-level BPE (gpt2) with "
            f"{', '.join(_PRE_TOKENIZERS)}"
        )
    if metadata.get("tokenizer.ggml.add_bos_token", pre == _LLAMA_3):
        raise wants_a_token(name)
    try:
        tokens, types = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"]
        merges = metadata["tokenizer.ggml.merges"]
        start, end = metadata["tokenizer.ggml.bos_token_id"], metadata["tokenizer.ggml.eos_token_id"]
    except KeyError as missing:
        raise InputError(f"{name} is incomplete: its file has no {missing.args[0]}.") from None
    added = [
        {
            "id": id_,
            "content": token,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": type_ == CONTROL,
        }
        for id_, (token, type_) in enumerate(zip(tokens, types, strict=True))
        if type_ in (CONTROL, USER_DEFINED)
    ]
    described = {
        "version": "1.0",
        "added_tokens": added,
        "pre_tokenizer": _PRE_TOKENIZERS[pre],
        "decoder": _BYTE_LEVEL,
        "model": {
            "type": "BPE",
            "vocab": {token: id_ for id_, token in enumerate(tokens)},
            "merges": merges,
            **({"ignore_merges": True} if pre == _LLAMA_3 else {}),
        },
    }
    ends = {end} | {id_ for id_, token in enumerate(tokens) if token in ENDS}
    return Tokenizer(name, json.dumps(described), start, sorted(ends))
