"""Write core/lm/data/examples.npz: the embedded model's logits after each prompt of core/lm/examples.py.

    python scripts/capture_examples.py

Run it again when a prompt there changes. The numbers vary in their last bits from one BLAS to another.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from core.lm.embedded import embedded
from core.lm.examples import BUNDLED, PROMPTS

if __name__ == "__main__":
    model = embedded()
    arrays = {}
    for prompt in PROMPTS:
        ids = model.tokenizer.encode(prompt.text)
        arrays[f"{prompt.name}.ids"] = np.array(ids, np.int32)
        arrays[f"{prompt.name}.logits"] = model.next_logits(ids)
    np.savez_compressed(BUNDLED, allow_pickle=False, **arrays)
    print(f"{BUNDLED}: {BUNDLED.stat().st_size:,} bytes")
