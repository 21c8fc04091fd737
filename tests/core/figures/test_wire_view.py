"""The same call in four forms: what is lit is what differs."""

import json

from core.agent.pasted import DIALECTS
from core.figures.wire_view import SAME, WireForm, wire_view
from core.messages import ToolCall, ToolResultMessage, ToolSchema
from core.messages.wire import DIALECTS as WRITTEN

TOOL = ToolSchema(name="get_weather", description="Weather.")


def forms(arguments: str = '{"city": "Oslo"}', is_error: bool = False) -> dict[str, WireForm]:
    call = ToolCall(id="call_1", name="get_weather", arguments=arguments)
    result = ToolResultMessage(tool_call_id="call_1", name="get_weather", content="6°C", is_error=is_error)
    return {form.name: form for form in wire_view(TOOL, call, result).forms}


def section(form: str, name: str, **how):
    return next(section for section in forms(**how)[form].sections if section.name == name)


def text_of(form: str, name: str, **how) -> str:
    return "".join(piece.text for line in section(form, name, **how).lines for piece in line.pieces)


def lit(form: str, name: str) -> set[str]:
    return {piece.text for line in section(form, name).lines for piece in line.pieces if piece.lit}


def test_every_dialect_that_can_be_written_has_its_column():
    assert set(DIALECTS) == set(WRITTEN)
    assert list(forms()) == list(DIALECTS.values())


def test_the_lines_together_are_the_json_of_the_provider():
    assert json.loads(text_of("Anthropic", "call")) == {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {"city": "Oslo"}}],
    }
    assert json.loads(text_of("OpenAI Responses", "result")) == {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": "6°C",
    }


def test_what_all_forms_hold_is_not_lit():
    for form in DIALECTS.values():
        assert not {'"name"', '"get_weather"', '"call_1"'} & lit(form, "call")
        assert '"6°C"' not in lit(form, "result")


def test_arguments_are_lit_for_they_are_text_here_and_an_object_there():
    assert '"{\\"city\\": \\"Oslo\\"}"' in lit("OpenAI chat", "call")
    assert {'"input"', '"city"', '"Oslo"'} <= lit("Anthropic", "call")


def test_the_key_that_pairs_a_result_with_its_call_is_named():
    about = {form: section(form, "result").about for form in DIALECTS.values()}
    assert about == {
        "OpenAI chat": "role tool, paired by tool_call_id",
        "OpenAI Responses": "an item, paired by call_id",
        "Anthropic": "role user, paired by tool_use_id",
        "Ollama": "role tool, paired by tool_call_id",
    }


def test_the_place_of_a_call_and_the_type_of_its_arguments_are_named():
    about = {form: section(form, "call").about for form in DIALECTS.values()}
    assert about == {
        "OpenAI chat": "in tool_calls[0].function\narguments: a JSON string",
        "OpenAI Responses": "an item of its own\narguments: a JSON string",
        "Anthropic": "in content[0]\narguments: an object",
        "Ollama": "in tool_calls[0].function\narguments: an object",
    }


def test_parameters_which_are_the_same_everywhere_are_left_out():
    assert all(SAME in text_of(form, "advertised") for form in DIALECTS.values())


def test_a_call_that_a_provider_cannot_take_says_so_in_its_column():
    written = forms(arguments='{"city": ')
    assert "JSON object" in written["Anthropic"].problem
    assert "JSON object" in written["Ollama"].problem
    assert [section.name for section in written["OpenAI chat"].sections] == ["call", "result", "advertised"]


def test_what_does_not_come_back_is_told_where_it_is_lost():
    assert "error" in section("OpenAI chat", "result", is_error=True).lost[0]
    assert section("Anthropic", "result", is_error=True).lost == ()
    assert "spelt" in section("Anthropic", "call", arguments='{"city":"Oslo"}').lost[0]
    assert section("OpenAI chat", "call", arguments='{"city":"Oslo"}').lost == ()
