"""A sheet of exercises to print, and its key, as HTML that needs nothing else."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from jinja2 import Environment

from core.teaching.exercises.base import (
    ChoiceField,
    Code,
    Exercise,
    NumberField,
    OrderField,
    SetField,
    Table,
    TextField,
)
from core.teaching.exercises.checking import shown

Content = Literal["exercises", "key"]
PAGE = Path(__file__).parent / "sheet.html"


def printed(
    exercises: Sequence[Exercise], part: str, number: int, contents: Sequence[Content] = ("exercises", "key")
) -> str:
    """The tasks, with room to answer, and on a new page their answers and worked solutions; or one of these.

    All texts are escaped: tokens and runs are data.
    """
    page = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return page.from_string(PAGE.read_text(encoding="utf-8")).render(
        exercises=exercises, name=f"{part}, sheet {number}", contents=contents, shown=shown, is_a=_is_a
    )


def _is_a(thing: object, name: str) -> bool:
    kinds = (Table, Code, NumberField, ChoiceField, SetField, OrderField, TextField)
    return any(isinstance(thing, kind) and kind.__name__ == name for kind in kinds)
