"""Part I, many tokens: generation, its cycles, the branches of one prompt, and speculative decoding.

prompt_ids = model.start(model.tokenizer.encode("Her name was"))
for drawn in generate(model, prompt_ids, SamplerSettings(temperature=0.8), seed=7, max_tokens=20):
    print(model.tokenizer.decode([drawn.token_id]), drawn.prob)

Constrained decoding is imported from its own modules, `core.decoding.constrained` and those beside it: what
it stands on takes a tenth of a second to import, which the other screens do without.
"""

from core.decoding.cycles import Cycle, cycle
from core.decoding.drafts import Draft, ModelDraft, PromptLookup, Proposal, early_exit, last_tokens
from core.decoding.generate import Drawn, Ending, LanguageModel, ending, generate, replay, step, taken, under
from core.decoding.speculative import Drafted, Last, Overlap, Round, speculate, speculate_round
from core.decoding.speculative_verify import Verification, match_draft, verify_draft
from core.decoding.tree import Path, Tree

__all__ = [
    "Cycle",
    "Draft",
    "Drafted",
    "Drawn",
    "Ending",
    "LanguageModel",
    "Last",
    "ModelDraft",
    "Overlap",
    "Path",
    "PromptLookup",
    "Proposal",
    "Round",
    "Tree",
    "Verification",
    "cycle",
    "early_exit",
    "ending",
    "generate",
    "last_tokens",
    "match_draft",
    "replay",
    "speculate",
    "speculate_round",
    "step",
    "taken",
    "under",
    "verify_draft",
]
