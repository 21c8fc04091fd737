"""The ladder of a pasted call: where it ends, and what goes back."""

import pytest

from core.agent import Guards, Tool
from core.agent.code_tool import RUN_PYTHON
from core.agent.execution import Executor
from core.agent.pasted import read_call
from core.figures.call_view import CallView, call_view


def get_weather(city: str) -> str:
    """Weather."""
    if city == "Lisbon":
        raise LookupError("no station")
    return "12°C, rainy"


def not_rome(name, arguments):  # noqa: ARG001
    return "Rome is secret" if arguments["city"] == "Rome" else None


def seen(text: str, guards: Guards | None = None, repair: bool = False) -> CallView:
    tools = (Tool.from_function(get_weather),)
    pasted = read_call(text, "get_weather")
    executor = Executor(tools, policy=not_rome, guards=guards or Guards(), repair=repair)
    return call_view(pasted, tuple(executor.steps((pasted.call,), 1, pasted.refused)), tools)


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ('{"city": ', 0),
        ('{"name": "get_weather", "arguments": {"city": "Os', 0),
        ('{"name": "weather", "arguments": {"city": "Oslo"}}', 1),
        ("{}", 2),
        ('{"city": "Rome"}', 3),
        ('{"city": "Lisbon"}', 4),
    ],
)
def test_a_call_passes_up_to_the_check_that_it_fails_and_reaches_none_beyond(text, passed):
    verdicts = [rung.verdict for rung in seen(text).rungs]
    assert verdicts == ["passed"] * passed + ["failed"] + ["not reached"] * (4 - passed)


def test_a_call_that_is_right_passes_all_five():
    view = seen('{"city": "Oslo"}')
    assert [rung.tone for rung in view.rungs] == ["good"] * 5
    assert (view.result, view.is_error) == ("12°C, rainy", False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "ERROR: invalid arguments for get_weather: $.city is missing"),
        ('{"city": "Rome"}', "ERROR: not permitted: Rome is secret"),
        ('{"city": "Lisbon"}', "ERROR: LookupError: no station"),
    ],
)
def test_the_message_that_goes_back_is_there_word_for_word(text, message):
    view = seen(text)
    assert (view.result, view.is_error) == (message, True)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("{'city': 1}", ("{", "'", "city': 1}")),
        ('{"city": ', ('{"city": ', "", "")),
        ('{"a": 1, "a": 2}', ('{"a": 1, ', '"', 'a": 2}')),
    ],
)
def test_the_character_at_which_the_text_stops_being_json_is_marked(text, pieces):
    view = seen(text)
    assert (view.before, view.fault, view.after) == pieces


def test_nothing_is_marked_in_arguments_that_are_json():
    assert seen("{}").fault is None


def test_a_fence_that_was_taken_off_is_told_at_the_first_check():
    assert "fence" in seen('```json\n{"city": "Oslo"}\n```').rungs[0].note


def test_a_literal_is_read_only_where_repair_is_asked_for():
    assert seen("{'city': 'Oslo'}").rungs[0].verdict == "failed"
    assert "literal" in seen("{'city': 'Oslo'}", repair=True).rungs[0].note


def test_a_reply_that_was_cut_off_reaches_no_check():
    text = (
        '{"choices": [{"finish_reason": "length", "message": {"role": "assistant", "tool_calls": '
        '[{"id": "c", "function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}}]}}]}'
    )
    view = seen(text)
    assert {rung.verdict for rung in view.rungs} == {"not reached"}
    assert view.is_error


def test_calls_beside_the_first_are_told():
    call = '{"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}'
    assert "1 more call" in seen(f'{{"tool_calls": [{call}, {call}]}}').form


def test_a_guard_that_fires_is_told():
    assert "cut" in seen('{"city": "Oslo"}', Guards(result_chars=3)).guard


def test_a_program_is_shown_as_it_is_beside_its_escaped_form():
    pasted = read_call('{"code": "a = 1\\nprint(a)"}', "run_python")
    view = call_view(pasted, tuple(Executor((RUN_PYTHON,)).steps((pasted.call,), 1, "")), (RUN_PYTHON,))
    assert view.program == "a = 1\nprint(a)"
    assert "\\n" in view.before
    assert seen('{"city": "Oslo"}').program == ""


def test_that_nothing_is_written_is_said_where_it_is_parsed():
    assert seen("  ").rungs[0].note.startswith("There are none")


def test_the_name_is_looked_up_in_the_table_of_tools_and_an_unknown_one_stands_there_without_a_function():
    assert [(line.name, line.function, line.found) for line in seen("{}").tool_set] == [
        ("get_weather", "get_weather()", True)
    ]
    unknown = seen('{"name": "weather", "arguments": {}}').tool_set
    assert [(line.name, line.function, line.found) for line in unknown] == [
        ("get_weather", "get_weather()", False),
        ("weather", "", True),
    ]


def test_no_name_is_looked_up_for_a_call_that_cannot_be_parsed():
    assert seen('{"city": ').tool_set == ()
