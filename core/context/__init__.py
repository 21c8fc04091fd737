"""The context of a model call: assembled, counted, and measured against the window."""

from core.context.assemble import TokenCounter, Tokenizer, assemble
from core.context.budget import CallBudget, RunBudget, run_budget
from core.context.compact import compact
from core.context.shorten import Shortened
from core.context.supposed import Supposed, SupposedCall
from core.context.supposition import Strategy, Supposition
from core.context.truncate import drop_blocks, drop_oldest, elide_results, truncate_as_ollama
from core.context.what_if import suppose

__all__ = [
    "CallBudget",
    "RunBudget",
    "Shortened",
    "Strategy",
    "Supposed",
    "SupposedCall",
    "Supposition",
    "TokenCounter",
    "Tokenizer",
    "assemble",
    "compact",
    "drop_blocks",
    "drop_oldest",
    "elide_results",
    "run_budget",
    "suppose",
    "truncate_as_ollama",
]
