"""The embedded model, llama.cpp on the same file as its oracle, and a tiny model for all else."""

import hashlib
import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGUFWriter

from core.lm.embedded import EmbeddedModel, embedded
from core.lm.install import find_gguf, install
from core.lm.tokenizer import Tokenizer, load_tokenizer

GOLDENS = json.loads((Path(__file__).parents[2] / "goldens" / "smollm2_llamacpp.json").read_text("utf-8"))


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """In float64, over the last axis."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    return load_tokenizer()


@pytest.fixture(scope="session")
def shared_model() -> EmbeddedModel:
    """The model that the whole process shares, converted into this user's cache folder if it is not there."""
    install(lambda *_: None)
    return embedded()


@pytest.fixture
def model(shared_model: EmbeddedModel) -> EmbeddedModel:
    """A model with an empty cache, on the same weights."""
    return EmbeddedModel(shared_model._weights, shared_model.tokenizer)


class LlamaCpp:
    """llama.cpp's server in this process, on the embedded model's GGUF."""

    def __init__(self) -> None:
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(find_gguf())
        params.n_ctx = 2048
        params.n_parallel = 1
        params.port = 0
        params.verbosity = -1
        params.warmup = False
        # Two would wait for each other in a loop, which costs most where another process has the core.
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
        self._server = xllamacpp.Server(params)

    def post(self, path: str, **body: Any) -> Any:
        request = urllib.request.Request(
            self._server.listening_address + path,
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=300) as response:
            return json.load(response)

    def tokenize(self, text: str, special: bool) -> list[int]:
        return self.post("/tokenize", content=text, parse_special=special)["tokens"]

    def next_log_probabilities(self, ids: list[int], vocab_size: int) -> np.ndarray:
        """Of the whole vocabulary, float64 (V,). It does not depend on the token that the server draws."""
        for seed in range(20):
            answer = self.post(
                "/completion",
                prompt=ids,
                n_predict=1,
                n_probs=vocab_size,
                temperature=1.0,
                seed=seed,
                cache_prompt=False,
            )
            # Absent where the token drawn is a part of a character.
            if "completion_probabilities" in answer:
                break
        logprobs = np.full(vocab_size, np.nan)
        for entry in answer["completion_probabilities"][0]["top_logprobs"]:
            logprobs[entry["id"]] = entry["logprob"]
        return logprobs


@pytest.fixture(scope="session")
def llamacpp() -> LlamaCpp:
    return LlamaCpp()


class TinyGguf:
    """A GGUF of the same architecture with random weights, and the tensors that it was made from."""

    layers, width, heads, kv_heads, head_width, mlp_width, vocab_size = 2, 24, 3, 1, 8, 40, 50

    def __init__(self, path: Path) -> None:
        self.path = path
        random = np.random.default_rng(0)
        attention, kv = self.heads * self.head_width, self.kv_heads * self.head_width
        shapes = {"token_embd": (self.vocab_size, self.width), "output_norm": (self.width,)}
        for index in range(self.layers):
            shapes |= {
                f"blk.{index}.attn_norm": (self.width,),
                f"blk.{index}.attn_q": (attention, self.width),
                f"blk.{index}.attn_k": (kv, self.width),
                f"blk.{index}.attn_v": (kv, self.width),
                f"blk.{index}.attn_output": (self.width, attention),
                f"blk.{index}.ffn_norm": (self.width,),
                f"blk.{index}.ffn_gate": (self.mlp_width, self.width),
                f"blk.{index}.ffn_up": (self.mlp_width, self.width),
                f"blk.{index}.ffn_down": (self.width, self.mlp_width),
            }
        self.tensors = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
        writer = GGUFWriter(path, "llama")
        writer.add_vocab_size(self.vocab_size)
        writer.add_context_length(256)
        writer.add_block_count(self.layers)
        writer.add_embedding_length(self.width)
        writer.add_head_count(self.heads)
        writer.add_head_count_kv(self.kv_heads)
        writer.add_rope_dimension_count(self.head_width)
        writer.add_feed_forward_length(self.mlp_width)
        writer.add_rope_freq_base(10000.0)
        writer.add_layer_norm_rms_eps(1e-5)
        for name, tensor in self.tensors.items():
            writer.add_tensor(f"{name}.weight", tensor)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        self.size = path.stat().st_size
        self.sha256 = hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def tiny_gguf(tmp_path: Path) -> TinyGguf:
    return TinyGguf(tmp_path / "tiny.gguf")


@pytest.fixture
def flip_byte() -> Callable[[Path, int], None]:
    def flip(path: Path, at: int) -> None:
        data = bytearray(path.read_bytes())
        data[at] ^= 1
        path.write_bytes(data)

    return flip
