"""Numbers as students write them: 0.57, 0,57, 57 %, 4/7, 1,024."""

import re

from core.errors import InputError
from core.teaching.exercises.base import NumberField

LONGEST = 40
NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
THOUSANDS = re.compile(r"[-+]?\d{1,3}([.,'’]\d{3})+", re.ASCII)


def read_number(text: str, field: NumberField) -> float:
    """The number that was written; a percent sign divides by 100, unless percent is the field's unit.

    Errors: `InputError`, for what is no number.
    """
    bare = re.sub(r"\s", "", text).lstrip("≈~=").replace("−", "-").replace("⁄", "/")
    if field.unit:  # as a person writes it: 5 tokens, 1 token, 5 Tokens
        bare = re.sub(f"{re.escape(field.unit.removesuffix('s'))}s?$", "", bare, flags=re.IGNORECASE)
    percent = bare.endswith("%")
    parts = bare.removesuffix("%").split("/")
    if len(text) > LONGEST or len(parts) > 2:
        raise _unreadable(text, field)
    values = [_plain(part, field) for part in parts]
    if None in values:
        raise _unreadable(text, field)
    over, *under = (value for value in values if value is not None)
    if 0 in under:
        raise InputError("A fraction cannot have 0 below its line.")
    return over / (under[0] if under else 1) / (100 if percent else 1)


def _plain(text: str, field: NumberField) -> float | None:
    if field.whole and THOUSANDS.fullmatch(text):
        text = re.sub(r"[.,'’]", "", text)
    text = text.replace(",", ".")
    return float(text) if NUMBER.fullmatch(text) else None


def _unreadable(text: str, field: NumberField) -> InputError:
    cut = text.strip()
    cut = cut if len(cut) <= LONGEST else f"{cut[:LONGEST]}…"
    examples = "12 or 1,024" if field.whole else "0.57, 57 % or 4/7" if field.probability else "1.75 or 7/4"
    return InputError(f"“{cut}” is not a number that can be read here; write it as {examples}.")
