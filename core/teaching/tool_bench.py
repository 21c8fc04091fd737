"""The tools and the calls of the tool screen: what the lecture says can be wrong with a call, one by one."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from core.agent import Tool
from core.agent.code_tool import RUN_PYTHON
from core.errors import InputError
from core.scenarios.calculator import CALCULATE
from core.scenarios.tools import GET_ENROLLMENT, GET_FORECAST, GET_WEATHER, SEARCH_DOCS
from core.scenarios.website import SEND_MAIL

ROOMS = {"Ada": 4, "Grace": 6, "Alan": 12, "Emmy": 30}
"""Seats of the school's rooms."""


def find_room(
    seats: Annotated[int, Field(description="How many people need a seat.", ge=1, le=30)],
    day: Literal["monday", "tuesday", "wednesday", "thursday", "friday"],
) -> str:
    """Find the smallest room of the school that has enough seats on a day of this week."""
    room, size = min(
        ((room, size) for room, size in ROOMS.items() if size >= seats), key=lambda pair: pair[1]
    )
    if day == "friday" and room == "Emmy":
        raise InputError("Emmy, the largest room, is closed on Fridays")
    return f"{room}, {size} seats, on {day}"


@dataclass(frozen=True)
class BenchTool:
    """A tool with a question that needs it, and the arguments of a call that is right."""

    tool: Tool
    question: str
    arguments: Mapping[str, Any] = field(hash=False)

    @property
    def call(self) -> str:
        """The arguments as a model writes them."""
        return json.dumps(self.arguments, ensure_ascii=False)


REASON = "The student asks about this course."
BENCH = {
    bench.tool.name: bench
    for bench in (
        BenchTool(GET_WEATHER, "What is the weather in Berlin?", {"city": "Berlin"}),
        BenchTool(GET_FORECAST, "Will it rain in Paris tomorrow?", {"city": "Paris", "unit": "celsius"}),
        BenchTool(
            Tool.from_function(find_room), "Where can 5 of us meet on Monday?", {"seats": 5, "day": "monday"}
        ),
        BenchTool(
            GET_ENROLLMENT, "How far am I with my course?", {"email": "asha@example.com", "reason": REASON}
        ),
        BenchTool(
            SEARCH_DOCS,
            "Until when can I get a refund?",
            {"query": "refund window days", "reason": "The student asks for the rule."},
        ),
        BenchTool(
            SEND_MAIL,
            "Please mail me my progress.",
            {"to": "asha@example.com", "subject": "Your progress", "text": "12 percent are done."},
        ),
        BenchTool(CALCULATE, "What is 62 + 64 * 3?", {"expression": "62 + 64 * 3"}),
        BenchTool(
            RUN_PYTHON,
            "What is the sum of the first ten squares?",
            {"code": "total = 0\nfor n in range(1, 11):\n    total += n * n\nprint(total)"},
        ),
    )
}


@dataclass(frozen=True)
class ExampleCall:
    """A call to look at: what is the matter with it, the tool in view, and the text that the model wrote."""

    title: str
    tool: str
    text: str


def _in_file(path: str) -> str:
    return json.dumps({"code": f"open({path!r}).read()"})


EXAMPLES = (
    ExampleCall("Nothing wrong", "get_weather", BENCH["get_weather"].call),
    ExampleCall("Cut off in the middle", "get_weather", '{"city": "Ber'),
    ExampleCall("Python in place of JSON", "get_weather", "{'city': 'Berlin'}"),
    ExampleCall("The same key twice", "get_weather", '{"city": "Berlin", "city": "Paris"}'),
    ExampleCall("NaN, which JSON does not know", "find_room", '{"seats": NaN, "day": "monday"}'),
    ExampleCall("A code fence around it", "get_weather", '```json\n{"city": "Berlin"}\n```'),
    ExampleCall(
        "A tool that does not exist",
        "get_weather",
        '{"name": "get_temperature", "arguments": {"city": "Oslo"}}',
    ),
    ExampleCall("A field is missing", "get_forecast", '{"unit": "celsius"}'),
    ExampleCall("A field too many", "get_weather", '{"city": "Berlin", "days": 3}'),
    ExampleCall("A value outside the enum", "get_forecast", '{"city": "Oslo", "unit": "Celsius"}'),
    ExampleCall('"5" where a number belongs', "find_room", '{"seats": "5", "day": "monday"}'),
    ExampleCall("5.0 where an integer belongs", "find_room", '{"seats": 5.0, "day": "monday"}'),
    ExampleCall(
        "Well-formed, but not permitted",
        "get_enrollment",
        json.dumps({"email": "ben@example.com", "reason": "A friend of the student."}),
    ),
    ExampleCall("The tool itself fails", "get_weather", '{"city": "Lisbon"}'),
    ExampleCall("A program", "run_python", BENCH["run_python"].call),
    ExampleCall("A program that wants a file", "run_python", _in_file("/etc/passwd")),
    ExampleCall(
        "Whole, but the reply was cut off",
        "get_weather",
        json.dumps(
            {
                "choices": [
                    {
                        "finish_reason": "length",
                        "message": {
                            "role": "assistant",
                            "content": None,
                            "tool_calls": [
                                {
                                    "id": "call_7",
                                    "type": "function",
                                    "function": {"name": "get_weather", "arguments": '{"city": "Berlin"}'},
                                }
                            ],
                        },
                    }
                ]
            },
            indent=1,
        ),
    ),
    ExampleCall(
        "Anthropic's form",
        "get_weather",
        '{"type": "tool_use", "id": "toolu_01", "name": "get_weather", "input": {"city": "Berlin"}}',
    ),
    ExampleCall(
        "The text of Hermes and Qwen",
        "get_weather",
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Berlin"}}\n</tool_call>',
    ),
)
"""In the order of the checks that they fail."""


@dataclass(frozen=True)
class LibraryCall:
    """A call of a tool that the bundled MCP server offers."""

    title: str
    tool: str
    arguments: Mapping[str, Any] = field(hash=False)

    @property
    def text(self) -> str:
        """The arguments as a model writes them."""
        return json.dumps(self.arguments, ensure_ascii=False)


LIBRARY_CALLS: dict[str, LibraryCall | None] = {
    "tools": None,
    "book": LibraryCall("A book by Jurafsky", "search_catalogue", {"words": "Jurafsky"}),
    "room": LibraryCall("A room for 5 on Monday", "find_room", {"seats": 5, "day": "monday"}),
    "no-book": LibraryCall("A book that is not there", "search_catalogue", {"words": "cooking"}),
    "bad-day": LibraryCall("A day that is not in the schema", "opening_hours", {"day": "Sunday"}),
}
"""By the name that stands in an address. `None` discovers the tools, and calls none."""
