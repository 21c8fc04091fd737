"""What can be made of arguments that are no JSON, without guessing.

Nothing here closes a bracket or a quote: a call that was cut off stays one that cannot be read.
"""

import ast
import json
from typing import Any

from core.messages import strict_json

LONGEST = 10_000
"""Characters of a literal that is read; Python's parser is no place for more."""


def unfenced(text: str) -> str | None:
    """What stands in the Markdown code fence that encloses the whole text; `None` where none does.

    The fence that closes has a line of its own, as in CommonMark: back-ticks inside a string close nothing.
    """
    lines = text.strip().split("\n")
    opens = len(lines) > 1 and lines[0].startswith("```") and "`" not in lines[0][3:]
    return "\n".join(lines[1:-1]) if opens and lines[-1].strip() == "```" else None


def python_literal(text: str) -> Any:
    """The value of a Python literal: single quotes, `True`, `None`, a comma before the bracket.

    Raises:
        ValueError: the text is no literal, or its value is none of JSON's or names a key twice.
    """
    if len(text) > LONGEST:
        raise ValueError("too long")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Tuple | ast.Set):
                raise ValueError("no value of JSON")
            if isinstance(node, ast.Dict):
                keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
                if not all(isinstance(key, str) for key in keys) or len(set(keys)) < len(keys):
                    raise ValueError("keys that are no strings, or not distinct")
        return strict_json.parse(json.dumps(ast.literal_eval(tree), allow_nan=False))
    except (SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError("no literal") from error
