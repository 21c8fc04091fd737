"""The context of a model call: assembled, counted, and measured against the window."""

from core.context.assemble import TokenCounter, Tokenizer, assemble

__all__ = ["TokenCounter", "Tokenizer", "assemble"]
