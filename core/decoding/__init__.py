"""Part I, many tokens: generation token by token, its cycles, and the branches of one prompt.

prompt_ids = model.start(model.tokenizer.encode("Her name was"))
for drawn in generate(model, prompt_ids, SamplerSettings(temperature=0.8), seed=7, max_tokens=20):
    print(model.tokenizer.decode([drawn.token_id]), drawn.prob)
"""

from core.decoding.cycles import Cycle, cycle
from core.decoding.generate import Drawn, Ending, LanguageModel, ending, generate, replay, step, taken
from core.decoding.speculative_verify import Verification, match_draft, verify_draft
from core.decoding.tree import Path, Tree

__all__ = [
    "Cycle",
    "Drawn",
    "Ending",
    "LanguageModel",
    "Path",
    "Tree",
    "Verification",
    "cycle",
    "ending",
    "generate",
    "match_draft",
    "replay",
    "step",
    "taken",
    "verify_draft",
]
