"""What each inference engine does between logits and token: order of the stages, defaults, tie rule.

Read from the engines' sources in 2026:
transformers   src/transformers/generation/logits_process.py, generation/utils.py
llama.cpp      src/llama-sampler.cpp, common/sampling.cpp
Ollama         0.30 and newer run llama.cpp's chain
vLLM           V1: vllm/sampling_params.py, vllm/v1/sample/sampler.py, vllm/v1/sample/ops/topk_topp_sampler.py
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

StageName = Literal["softmax", "temperature", "top-k", "top-p", "min-p"]


@dataclass(frozen=True)
class Engine:
    """One engine as data.

    `order`: its stages after the softmax. `temperature`, `top_k`, `top_p`, `min_p`: what it uses when
    a request does not say (0, 1.0 and 0.0 are "off" for the three filters). `keeps_ties`: whether top-k
    keeps every logit equal to the k-th, and so more than k tokens. `remark`: what a screen adds.
    """

    name: str
    order: tuple[StageName, ...]
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    keeps_ties: bool
    remark: str


_ALL = (
    Engine(
        name="transformers",
        order=("temperature", "top-k", "top-p", "min-p"),
        temperature=1.0,
        top_k=50,
        top_p=1.0,
        min_p=0.0,
        keeps_ties=True,
        remark="Temperature first. Top-k keeps every logit that equals the k-th, so it can keep more than k.",
    ),
    Engine(
        name="llama.cpp",
        order=("top-k", "top-p", "min-p", "temperature"),
        temperature=0.8,
        top_k=40,
        top_p=0.95,
        min_p=0.05,
        keeps_ties=False,
        remark="Temperature last: the filters see the model's own probabilities.",
    ),
    Engine(
        name="ollama",
        order=("top-k", "top-p", "min-p", "temperature"),
        temperature=0.8,
        top_k=40,
        top_p=0.9,
        min_p=0.0,
        keeps_ties=False,
        remark="llama.cpp's chain, temperature last. "
        "Its OpenAI-compatible endpoint defaults to T = 1 and top_p = 1.",
    ),
    Engine(
        name="vllm",
        order=("temperature", "min-p", "top-k", "top-p"),
        temperature=1.0,
        top_k=0,
        top_p=1.0,
        min_p=0.0,
        keeps_ties=True,
        remark="Temperature first, then min-p before top-k and top-p.",
    ),
)

ENGINES: Mapping[str, Engine] = MappingProxyType({engine.name: engine for engine in _ALL})
