"""The messages between a runtime and an MCP server, told one by one."""

import json

from core.agent.mcp_client import Offer
from core.agent.mcp_wire import WireMessage
from core.figures.mcp_view import McpView, mcp_view, prompt_view, resource_view
from core.messages import ToolCall, ToolResultMessage, ToolSchema, UserMessage
from core.trace import Step, StepKind

TOOL = ToolSchema(
    name="hours", description="When.", parameters={"type": "object", "properties": {"day": {}, "place": {}}}
)
CALL = ToolCall(id="call_1", name="hours", arguments='{"day": "friday"}')


def line(out: bool, **message: object) -> WireMessage:
    text = json.dumps({"jsonrpc": "2.0", **message})
    return WireMessage(direction="to server" if out else "from server", text=text)


LISTED = (line(True, id=1, method="tools/list"), line(False, id=1, result={"tools": []}))
CALLED = (line(True, id=2, method="tools/call"), line(False, id=2, result={"content": []}))


def seen(*messages: WireMessage, result: str = "08:00") -> McpView:
    answer = ToolResultMessage(tool_call_id="call_1", content=result)
    steps = (Step(kind=StepKind.OBSERVATION, turn=1, appended=answer, text=result),)
    return mcp_view([TOOL], messages, 2, CALL, steps)


def test_a_result_is_named_by_the_request_that_it_answers():
    assert [crossing.title for crossing in seen(*LISTED, *CALLED).crossings] == [
        "tools/list",
        "result of tools/list",
        "tools/call",
        "result of tools/call",
    ]


def test_each_message_goes_its_way():
    assert [crossing.to_server for crossing in seen(*LISTED).crossings] == [True, False]


def test_an_error_names_the_request_that_failed():
    view = seen(LISTED[0], line(False, id=1, error={"code": -32601, "message": "no"}))
    assert view.crossings[1].title == "error"
    assert "tools/list" in view.crossings[1].about


def test_a_line_that_is_not_json_is_shown_as_it_is():
    view = seen(WireMessage(direction="from server", text="Traceback …"))
    assert (view.crossings[0].title, view.crossings[0].text) == ("not JSON-RPC", "Traceback …")


def test_messages_of_the_call_are_counted_apart_from_the_discovery():
    assert seen(*LISTED, *CALLED).lesson.startswith("2 messages crossed for the call.")
    assert seen(*LISTED).lesson.startswith("Nothing crossed")


def test_the_model_sees_tools_and_an_ordinary_call():
    view = seen(*LISTED)
    assert [offered.title for offered in view.offered] == ["hours(day, place)"]
    assert [(said.title, said.text) for said in view.said] == [
        ("its call", 'hours(day="friday")'),
        ("the result", "08:00"),
    ]


def test_a_result_that_is_an_error_is_told_as_one():
    assert seen(*LISTED, result="ERROR: no").said[1].is_error
    assert not seen(*LISTED).said[1].is_error


def test_without_a_call_the_tools_are_what_was_learnt():
    view = mcp_view([TOOL], LISTED, 2)
    assert (view.said, view.asked) == ((), "")
    assert "knows the tools" in view.lesson


def test_a_resource_is_for_the_application_and_a_prompt_becomes_a_message_of_the_user():
    offer, filled = Offer("list", "Books.", ("topic",)), UserMessage(content="On robots.")
    resource = resource_view([Offer("library://rules", "Rules.")], "28 days", LISTED, 0)
    prompt = prompt_view([offer], [filled], LISTED, 0)
    assert ("application decides" in resource.decides, "user chooses" in prompt.decides) == (True, True)
    assert [one.title for one in (*resource.offered, *prompt.offered)] == ["library://rules", "list(topic)"]
    assert [(said.part, said.text) for said in (*resource.said, *prompt.said)] == [
        ("retrieved", "28 days"),
        ("user", "On robots."),
    ]


def test_requests_for_resources_and_prompts_say_what_they_ask():
    asked = (line(True, id=n, method=m) for n, m in enumerate(("resources/read", "prompts/get")))
    assert [crossing.about for crossing in seen(*asked).crossings] == [
        "Give me this one.",
        "Fill this one in.",
    ]
