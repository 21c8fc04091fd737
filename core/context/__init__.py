"""The context of a model call: assembled, counted, and measured against the window."""

from core.context.assemble import TokenCounter, Tokenizer, assemble
from core.context.budget import CallBudget, RunBudget, run_budget, shared_prefix

__all__ = [
    "CallBudget",
    "RunBudget",
    "TokenCounter",
    "Tokenizer",
    "assemble",
    "run_budget",
    "shared_prefix",
]
