"""Write core/decoding/constrained_captured.json: free and masked texts of the embedded model, counted.

    python scripts/capture_trials.py [slug ...]

Ten pairs of each example, some ten seconds a pair. What is there already stays, so that it can be stopped and
goes on; delete the file when the examples change.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from core.decoding.constrained_captured import BUNDLED, LONGEST, PAIRS, load
from core.decoding.constrained_examples import CONSTRAINT_EXAMPLES
from core.decoding.constrained_grammar import constraint
from core.decoding.constrained_trial import pair_by_tokens
from core.lm import embedded
from core.sampling import SamplerSettings

COUNT = 10
SLUGS = ("call", "date", "mood")

if __name__ == "__main__":
    model, made = embedded(), dict(load()) if BUNDLED.exists() else {}
    for example in (one for one in CONSTRAINT_EXAMPLES if one.slug in (sys.argv[1:] or SLUGS)):
        held = constraint(example.kind, example.text)
        asked, unasked = map(model.tokenizer.encode, (example.prompt, example.unasked))
        for seed in range(len(made.get(example.slug, ())), COUNT):
            drawing = pair_by_tokens(model, asked, held, SamplerSettings(), seed, LONGEST, unasked)
            while True:
                try:
                    next(drawing)
                except StopIteration as done:
                    made[example.slug] = (*made.get(example.slug, ()), done.value)
                    break
            BUNDLED.write_bytes(PAIRS.dump_json(made, indent=1) + b"\n")
            print(f"{example.title}: {seed + 1} of {COUNT} pairs", flush=True)
