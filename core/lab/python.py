"""Values as Python that a student can read."""

import base64
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDTH = 92  # characters of a line
SHORT = 24  # characters of a text that stands in a row with others
DIGITS = 9  # significant ones of a probability
Array = NDArray[Any]


def given(**values: object) -> str:
    """Lines that give each name its value."""
    return "\n".join(f"{name} = {literal(value)}" for name, value in values.items())


def comment(text: str) -> str:
    """A text as a comment of one line, shortened where it is long."""
    line = " ".join(text.split())
    return f"# {line if len(line) <= WIDTH else line[: WIDTH - 1] + '…'}"


def significant(number: float, digits: int) -> float:
    """The number with so many significant digits."""
    return float(f"{number:.{digits}g}")


def rounded(numbers: Iterable[float]) -> Array:
    """Probabilities with as many digits as matter."""
    return np.array([significant(number, DIGITS) for number in numbers])


def shortened(text: str, longest: int) -> str:
    """The text; a long one cut, with a number that differs where the rest does."""
    return text if len(text) <= longest else f"{text[:longest]}… #{zlib.crc32(text.encode()):08x}"


def literal(value: object, indent: int = 0) -> str:
    """A list, dict, text or number, over several lines where one is too short; an array as its text.

    `indent`: characters before its last line.
    """
    if isinstance(value, np.ndarray):
        return _array(value)
    line = repr(value)
    if indent + len(line) <= WIDTH or not value or not isinstance(value, list | tuple | dict):
        return line
    if isinstance(value, list | tuple) and all(_is_short(one) for one in value):
        return line[0] + _filled([repr(one) for one in value], indent + 1) + line[-1]
    inner = indent + 4
    items = (
        [f"{key!r}: {literal(one, inner)}" for key, one in value.items()]
        if isinstance(value, dict)
        else [literal(one, inner) for one in value]
    )
    return "\n".join([line[0], *(f"{' ' * inner}{item}," for item in items), " " * indent + line[-1]])


def _is_short(value: object) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and len(value) <= SHORT)


def _filled(items: Sequence[str], indent: int) -> str:
    """Items in rows, as many in each as there is room for."""
    rows = [""]
    for item in items:
        if rows[-1] and indent + len(rows[-1]) + len(item) > WIDTH:
            rows.append("")
        rows[-1] += f"{item}, "
    return f"\n{' ' * indent}".join(row.rstrip() for row in rows).removesuffix(",")


def packed(array: Array) -> str:
    """An array of numbers as an expression in base64, for the notebook, where it may be long."""
    kind, back = ("<f4", ".astype(float)") if _is_float32(array) else (array.dtype.newbyteorder("<").str, "")
    text = base64.b64encode(zlib.compress(array.astype(kind).tobytes(), 9)).decode()
    return f'np.frombuffer(zlib.decompress(base64.b64decode("{text}")), "{kind}"){back}'


def _array(array: Array) -> str:
    if array.dtype.kind != "f":
        return f"np.array({literal(array.tolist())})"
    if _is_float32(array):
        # The shortest decimals that give the same 32 bits: a model's logits have no more.
        numbers = [float(str(number)) for number in array.astype(np.float32)]
        return f"np.array({literal(numbers)}, np.float32).astype(float)".replace("inf", "np.inf")
    return f"np.array({literal(array.tolist())})".replace("inf", "np.inf")


def _is_float32(array: Array) -> bool:
    with np.errstate(over="ignore"):
        return array.dtype.kind == "f" and bool((array.astype(np.float32) == array).all())
