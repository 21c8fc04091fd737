"""Exercises with fresh figures by a seed, checked, with feedback that names the mistake.

exercise = make("top-k", 12)                                     # the same on every machine
check("top-k", 12, {"kept": ["A", "C"], "first": "57 %"})        # a verdict for each field
sheet(3)                                                         # one of each kind, for a class
"""

from core.teaching.exercises.base import (
    Answer,
    ChoiceField,
    Code,
    Exercise,
    Field,
    Given,
    Kind,
    Made,
    Mistake,
    NumberField,
    OrderField,
    SetField,
    Step,
    Table,
    TextField,
    Verdict,
)
from core.teaching.exercises.catalogue import KINDS
from core.teaching.exercises.checking import shown, told_mistakes
from core.teaching.exercises.making import HIGHEST_SEED, check, make, sheet

__all__ = [
    "HIGHEST_SEED",
    "KINDS",
    "Answer",
    "ChoiceField",
    "Code",
    "Exercise",
    "Field",
    "Given",
    "Kind",
    "Made",
    "Mistake",
    "NumberField",
    "OrderField",
    "SetField",
    "Step",
    "Table",
    "TextField",
    "Verdict",
    "check",
    "make",
    "sheet",
    "shown",
    "told_mistakes",
]
