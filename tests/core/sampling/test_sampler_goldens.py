"""Against the engines themselves: kept ids and probabilities that they returned.

`tests/goldens/sampler_transformers.json` comes from transformers' logits warpers (float64),
`sampler_llamacpp.json` from llama.cpp's sampler chain (float32: top-k, top-p, min-p, temperature).
"""

import json
from pathlib import Path

import numpy as np
import pytest

from core.sampling import SamplerSettings, distribution

pytestmark = pytest.mark.filterwarnings("error")

GOLDENS = Path(__file__).parents[2] / "goldens"
FLOAT64, FLOAT32 = 1e-9, 2e-6


def cases(name: str, engine: str, tolerance: float) -> list:
    golden = json.loads((GOLDENS / name).read_text())
    return [pytest.param(case, engine, tolerance, id=f"{engine}-{i}") for i, case in enumerate(golden)]


ALL = [
    *cases("sampler_transformers.json", "transformers", FLOAT64),
    *cases("sampler_llamacpp.json", "llama.cpp", FLOAT32),
    *cases("sampler_llamacpp.json", "ollama", FLOAT32),  # Ollama 0.30 and newer run llama.cpp's chain
]


@pytest.mark.parametrize(("case", "engine", "tolerance"), ALL)
def test_kept_ids_equal_the_engine(case, engine: str, tolerance: float) -> None:  # noqa: ARG001
    result = distribution(case["logits"], SamplerSettings(**case["settings"], engine=engine))
    assert np.flatnonzero(result.kept).tolist() == case["kept"]


@pytest.mark.parametrize(("case", "engine", "tolerance"), ALL)
def test_probabilities_equal_the_engine(case, engine: str, tolerance: float) -> None:
    result = distribution(case["logits"], SamplerSettings(**case["settings"], engine=engine))
    assert result.probs[case["kept"]] == pytest.approx(case["probs"], rel=tolerance, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "count"), [("sampler_transformers.json", 30), ("sampler_llamacpp.json", 30)]
)
def test_every_case_of_the_engine_is_there(name: str, count: int) -> None:
    assert len(json.loads((GOLDENS / name).read_text())) == count
