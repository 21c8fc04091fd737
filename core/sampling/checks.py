"""Numbers that a person typed, checked once and refused with a sentence."""

import math
from numbers import Integral, Real

from core.errors import InputError


def real_number(name: str, value: object) -> float:
    """`value` as a float. `InputError` unless it is a finite number; `name` opens the sentence."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{name} must be a number, not {value!r}.")
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"{name} must be a finite number, not {number}.")
    return number


def fraction(name: str, value: object) -> float:
    """`value` as a float in [0, 1], else `InputError`."""
    number = real_number(name, value)
    if not 0 <= number <= 1:
        raise InputError(f"{name} must lie between 0 and 1; {number:g} does not.")
    return number


def whole_number(name: str, value: object) -> int:
    """`value` as an int, else `InputError`: 2.5, and also 2.0, are refused."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{name} must be a whole number, not {value!r}.")
    return int(value)


def temperature_value(value: object) -> float:
    """`value` as a temperature: finite and not negative, else `InputError`."""
    number = real_number("Temperature", value)
    if number < 0:
        raise InputError(
            f"Temperature must be 0 or more; {number:g} would turn the ranking upside down. Use 0 for greedy."
        )
    return number


def uniform_value(value: object) -> float:
    """`value` as the number u that picks a token: in [0, 1), else `InputError`."""
    u = real_number("u", value)
    if not 0 <= u < 1:
        raise InputError(f"u must be at least 0 and below 1; {u:g} is not.")
    return u
