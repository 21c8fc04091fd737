"""A run of the embedded model as it happened, with what else each token might have been.

Made by `scripts/record_embedded_run.py`, and bundled so that it can be seen before the model is installed.
"""

import gzip
from functools import cache
from pathlib import Path

from core.trace import Trace

BUNDLED = Path(__file__).parent / "data" / "embedded_run.json.gz"

QUESTION = "What is the weather in Oslo?"


@cache
def embedded_run() -> Trace:
    """The bundled run. Log-probabilities are rounded to 4 decimals."""
    return Trace.model_validate_json(gzip.decompress(BUNDLED.read_bytes()))
