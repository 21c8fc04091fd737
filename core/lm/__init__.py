"""Where logits come from: the embedded model, its tokenizer, and bundled examples of both.

What installs the model is in `core.lm.install`.
"""

from core.lm.embedded import EmbeddedModel, embedded
from core.lm.examples import Example, load_examples
from core.lm.tokenizer import Tokenizer, TokenSpan, load_tokenizer
from core.lm.visible import visible

__all__ = [
    "EmbeddedModel",
    "Example",
    "TokenSpan",
    "Tokenizer",
    "embedded",
    "load_examples",
    "load_tokenizer",
    "visible",
]
