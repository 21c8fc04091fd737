"""The tokenizers of other GGUFs, against llama.cpp with the same vocabulary: the first tokens of SmolLM2."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGUFWriter

from core.errors import InputError
from core.lm.gguf_tokenizer import read_tokenizer
from core.lm.tokenizer import load_tokenizer

from . import conftest
from .conftest import GOLDENS, LlamaCpp

SIZE = 4000  # tokens: the control tokens, the bytes, the words of the first merges, and those below
PAIRS = ["1 2", "12 3", "123 4", "' T", "; Ċ", "( p", ") Ċ"]  # merged only where both are in one word
UNREACHABLE = "Ġunreachable"  # in the vocabulary, but no merges lead to it
TEXTS = [golden["text"] for golden in GOLDENS] + [
    "DON'T don't We'll it'S 12345678 1 22 333 4444 3.14 a1b22c333",
    "  two  spaces\tand\ttabs \n\n  and lines\r\n\r\n   \nx   ",
    'C++ != C#; "quoted" (parens)\n --- ;\n ... $%&*\n\n// end',
    "Ærøskøbing Ωmega 東京タワー １２３４５ ٣٤٥ naïve café e\u0301",
    "an unreachable end",
]


def metadata(pre: str) -> dict[str, Any]:
    """Keys and values of a GGUF with this pre-tokenizer."""
    described = json.loads(load_tokenizer().json)
    vocabulary = described["model"]["vocab"]
    tokens = sorted(vocabulary, key=vocabulary.get)[: SIZE - len(PAIRS) - 1]
    known = set(tokens)
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in described["model"]["merges"]]
    control = {token["id"] for token in described["added_tokens"]}
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": [*tokens, *(pair.replace(" ", "") for pair in PAIRS), UNREACHABLE],
        "tokenizer.ggml.token_type": [3 if id_ in control else 1 for id_ in range(SIZE)],
        "tokenizer.ggml.merges": [merge for merge in merges if merge.replace(" ", "") in known] + PAIRS,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.add_bos_token": False,
    }


def write_model(path: Path, values: dict[str, Any]) -> None:
    """A model of one layer with this tokenizer, for llama.cpp to load."""
    width = 32
    writer = GGUFWriter(path, "llama")
    writer.add_vocab_size(SIZE)
    writer.add_context_length(512)
    writer.add_block_count(1)
    writer.add_embedding_length(width)
    writer.add_head_count(1)
    writer.add_rope_dimension_count(width)
    writer.add_feed_forward_length(width)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model(values["tokenizer.ggml.model"])
    writer.add_tokenizer_pre(values["tokenizer.ggml.pre"])
    writer.add_token_list(values["tokenizer.ggml.tokens"])
    writer.add_token_types(values["tokenizer.ggml.token_type"])
    writer.add_token_merges(values["tokenizer.ggml.merges"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(False)
    writer.add_tensor("token_embd.weight", np.zeros((SIZE, width), np.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(width, np.float32))
    for part in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        writer.add_tensor(f"blk.0.{part}.weight", np.zeros((width, width), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.mark.parametrize("pre", ["gpt-2", "smollm", "refact", "starcoder", "qwen2", "llama-bpe"])
def test_texts_become_the_tokens_of_llama_cpp(
    pre: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = metadata(pre)
    write_model(tmp_path / "tiny.gguf", values)
    monkeypatch.setattr(conftest, "find_gguf", lambda: tmp_path / "tiny.gguf")
    llama_cpp = LlamaCpp()
    tokenizer = read_tokenizer("Tiny", values)
    for text in TEXTS:
        assert tokenizer.encode(text) == llama_cpp.tokenize(text, special=True), text


def test_llama_3_wants_a_token_before_a_text_where_the_file_does_not_say() -> None:
    values = metadata("llama-bpe")
    del values["tokenizer.ggml.add_bos_token"]
    with pytest.raises(InputError, match="Tiny wants a token of its own around every text"):
        read_tokenizer("Tiny", values)
