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
_PRE_TOKENIZERS: dict[str, dict[str, Any]] = {
    "gpt-2": _BYTE_LEVEL,
    "smollm": {"type": "Sequence", "pretokenizers": [_SINGLE_DIGITS, _BYTE_LEVEL]},
}
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
            f"{' or '.join(_PRE_TOKENIZERS)}"
        )
    if metadata.get("tokenizer.ggml.add_bos_token"):
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
        "model": {"type": "BPE", "vocab": {token: id_ for id_, token in enumerate(tokens)}, "merges": merges},
    }
    ends = {end} | {id_ for id_, token in enumerate(tokens) if token in ENDS}
    return Tokenizer(name, json.dumps(described), start, sorted(ends))
