"""A typed function as a tool."""

from typing import Annotated, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from core.agent import Tool
from core.errors import InputError


def get_weather(city: str) -> str:
    """Get the current weather for a city."""
    return f"12°C in {city}"


def forecast(
    city: Annotated[str, Field(description="A city.")],
    days: int = 1,
    unit: Literal["celsius", "fahrenheit"] = "celsius",
) -> str:
    """Get the weather
    of the next days."""
    return f"{city} {days} {unit}"


def test_the_schema_is_that_of_the_lecture_and_forbids_other_arguments():
    assert Tool.from_function(get_weather).schema.model_dump() == {
        "name": "get_weather",
        "description": "Get the current weather for a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
    }


def test_descriptions_defaults_and_choices_reach_the_schema():
    schema = Tool.from_function(forecast).schema

    assert schema.description == "Get the weather of the next days."
    assert schema.parameters["required"] == ["city"]
    assert schema.parameters["properties"] == {
        "city": {"type": "string", "description": "A city."},
        "days": {"type": "integer", "default": 1},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
    }


def test_the_schema_is_written_in_the_order_in_which_people_read_it():
    parameters = Tool.from_function(get_weather).schema.parameters

    assert list(parameters) == ["type", "properties", "required", "additionalProperties"]


def test_an_argument_may_have_a_name_that_pydantic_uses_itself():
    def search(schema: str, copy: bool = False) -> str:
        return f"{schema} {copy}"

    assert Tool.from_function(search).execute({"schema": "s"}) == "s False"


def test_a_structured_argument_becomes_its_type():
    class Point(BaseModel):
        x: int

    def double(point: Point) -> int:
        return point.x * 2

    tool = Tool.from_function(double)

    Draft202012Validator(tool.schema.parameters).validate({"point": {"x": 2}})
    assert tool.execute({"point": {"x": 2}}) == "4"


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("12°C", "12°C"),
        ({"a": ["é", 1.5, None]}, '{"a": ["é", 1.5, null]}'),
        (True, "true"),
        (None, "null"),
        ("half \ud800", "half \ufffd"),
    ],
)
def test_a_result_goes_back_as_text(result, text):
    def tool() -> object:
        return result

    assert Tool.from_function(tool).execute({}) == text


def variadic(*values: int) -> int:
    return sum(values)


def keywords(**values: int) -> int:
    return len(values)


def positional(value: int, /) -> int:
    return value


def untyped(value):
    return value


@pytest.mark.parametrize("function", [variadic, keywords, positional, untyped])
def test_a_function_whose_arguments_cannot_be_described_is_refused(function):
    with pytest.raises(InputError, match=function.__name__):
        Tool.from_function(function)


async def awaited(value: int) -> int:
    return value


@pytest.mark.parametrize("function", [None, "get_weather", 3, str, awaited])
def test_what_is_no_ordinary_function_is_no_tool(function):
    with pytest.raises(InputError, match="ordinary function"):
        Tool.from_function(function)
