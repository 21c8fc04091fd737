"""A calculator: arithmetic, read by Python's parser and worked out operator by operator, without `eval`."""

import ast
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from core.agent.tools import Tool
from core.errors import InputError

LONGEST = 200
"""Characters. Much longer, and the parser itself would run out of stack."""
DIGITS = 1_000
"""Of a power: 9**9**9 would take hundreds of millions, and as many seconds."""

Number = Fraction | float

OPERATORS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: _power(a, b),
}


def calculate(
    expression: Annotated[
        str, Field(description="Numbers, + - * / // % ** and brackets: (3 + 4) * 2 ** 0.5.")
    ],
) -> str:
    """Work out an arithmetic expression. Use it for every calculation beyond the simplest."""
    if len(expression) > LONGEST:
        raise InputError(f"The expression is longer than {LONGEST} characters: calculate it in parts.")
    try:
        value = _value(ast.parse(expression.strip(), mode="eval").body)
        return _written(value)
    except (SyntaxError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{expression!r} is not an arithmetic expression, such as (3 + 4) * 2.") from error
    except ZeroDivisionError as error:
        raise InputError("A division by zero has no result.") from error
    except OverflowError as error:
        raise InputError("The result is too large.") from error


def _value(node: ast.expr) -> Number:
    """Exact as long as it can be: 0.1 + 0.2 is 0.3, for the numbers are fractions and not floats."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return Fraction(str(number))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(left), _value(right))
    raise InputError("The calculator knows numbers, + - * / // % ** and brackets, and nothing else.")


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        digits = abs(exponent) * math.log10(max(abs(base.numerator), base.denominator))
        if digits > DIGITS:
            raise InputError(f"The power would have more than {DIGITS:,} digits.")
        power: Fraction = base**exponent.numerator
        return power
    root = float(base) ** float(exponent)
    if isinstance(root, complex):
        raise InputError("A root of a negative number is no real number.")
    return float(root)


def _written(value: Number) -> str:
    if isinstance(value, Fraction) and value.denominator == 1:
        if abs(value) >= 10**DIGITS:
            raise OverflowError
        return str(value.numerator)
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else str(number)


CALCULATE = Tool.from_function(calculate)
