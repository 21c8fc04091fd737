"""LangChain's messages in the spellings of its own functions, and what its console prints."""

import json

import pytest

from core.messages import AssistantMessage, ToolCall, ToolResultMessage, Usage, UserMessage
from core.traces import load, load_all

CALL = {"name": "f", "args": {"a": 1}, "id": "x", "type": "tool_call"}
FIELDS = [
    ("system", {"content": "Be brief."}),
    ("human", {"content": "Hi"}),
    (
        "ai",
        {
            "content": "",
            "tool_calls": [CALL],
            "usage_metadata": {"input_tokens": 30, "output_tokens": 5},
            "response_metadata": {"model_name": "m", "finish_reason": "tool_calls"},
        },
    ),
    ("tool", {"content": "r", "tool_call_id": "x", "status": "error"}),
    ("ai", {"content": "Done"}),
]
CLASSES = {"system": "SystemMessage", "human": "HumanMessage", "ai": "AIMessageChunk", "tool": "ToolMessage"}
SPELLINGS = {
    "messages_to_dict": [{"type": kind, "data": {**fields, "type": kind}} for kind, fields in FIELDS],
    "dumpd": {
        "messages": [
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain", "schema", "messages", CLASSES[kind]],
                "kwargs": told,
            }
            for kind, told in FIELDS
        ]
    },
    "model_dump": {"messages": [{"type": kind, **fields} for kind, fields in FIELDS]},
    "a batch": {"messages": [[{"type": kind, **fields} for kind, fields in FIELDS]]},
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_is_read_to_the_same_run(spelling):
    trace = load(json.dumps(SPELLINGS[spelling]).encode())
    assert (trace.origin.format, trace.system, trace.model) == ("LangChain", "Be brief.", "m")
    assert trace.messages == (
        UserMessage(content="Hi"),
        AssistantMessage(tool_calls=(ToolCall(id="x", name="f", arguments='{"a": 1}'),)),
        ToolResultMessage(tool_call_id="x", name="f", content="r", is_error=True),
        AssistantMessage(content="Done"),
    )
    assert trace.calls[0].usage == Usage(input_tokens=30, output_tokens=5)


def test_a_list_of_conversations_holds_a_run_for_each():
    one = SPELLINGS["messages_to_dict"][:2]
    assert [len(trace.messages) for trace in load_all(json.dumps([one, one]).encode())] == [1, 1]


def test_what_the_console_prints_around_a_run_is_no_part_of_it():
    printed = (
        "> Entering new AgentExecutor chain...\r\nQuestion: Age?\r\nThought: Look.\r\nAction: search\r\n"
        "Action Input: Leo\r\nObservation: 50\r\nFinal Answer: 50\r\n\r\n> Finished chain.\r\n"
    )
    trace = load(printed.encode())
    assert (trace.system, trace.messages[-1].content) == (None, "50")
