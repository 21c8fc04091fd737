"""Whatever is typed on the tool screen: a picture or a sentence, and never a fault of Loopscope."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from core.agent import Tool
from core.agent.execution import Executor
from core.agent.interface import check_interface
from core.agent.pasted import read_call
from core.agent.pasted_schema import read_schema
from core.errors import InputError
from core.figures.call_view import call_view
from core.figures.tool_view import FAMILIES, seen_view
from core.figures.wire_view import wire_view
from core.lm import load_tokenizer
from core.messages import AssistantMessage, ToolSchema

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
CALL_KEYS = ["type", "function", "name", "arguments", "content", "city"]
SCHEMA_KEYS = [
    "properties",
    "required",
    "enum",
    "pattern",
    "items",
    "anyOf",
    "not",
    "description",
    "default",
    "if",
]


def nested(keys: list[str], words: list[object]) -> st.SearchStrategy[object]:
    leaves = SCALARS | st.sampled_from(words)
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(keys) | st.text(), inner, max_size=4)
        ),
        max_leaves=10,
    )


CALLS = st.text(max_size=40) | nested(CALL_KEYS, ["function", "tool_use", "function_call", "f"]).map(
    json.dumps
)
SCHEMAS = st.dictionaries(
    st.sampled_from(SCHEMA_KEYS),
    nested([*SCHEMA_KEYS, "type", "city"], ["string", "object", "^a+$"]),
    max_size=4,
)


def f(city: str = "") -> str:
    """A tool."""
    return city


def schema_of(parameters: dict[str, object], description: str) -> ToolSchema:
    try:
        return read_schema("f", description, json.dumps({**parameters, "type": "object"}))
    except InputError:
        return Tool.from_function(f).schema


@settings(max_examples=100, deadline=None)
@given(CALLS, SCHEMAS, st.text(max_size=20), st.sampled_from(list(FAMILIES)))
def test_any_call_of_any_schema_has_its_pictures(text, parameters, description, template):
    schema = schema_of(parameters, description)
    assert len(check_interface(schema, {"city": "Oslo"})) == 5
    try:
        pasted = read_call(text, "f")
    except InputError:
        return
    steps = tuple(Executor((Tool(schema, f),)).steps((pasted.call,), 1, pasted.refused))
    answer = steps[-1].appended
    assert len(call_view(pasted, steps, (Tool(schema, f),)).rungs) == 5
    assert len(wire_view(schema, pasted.call, answer).forms) == 4
    turn = (AssistantMessage(tool_calls=(pasted.call,)), answer)
    assert seen_view(schema, "?", template, load_tokenizer(), turn).stretches
