"""A model that replays its script."""

import pytest

from core.errors import InputError
from core.lm.chat import ChatModel, Reply
from core.lm.scripted import ScriptedModel
from core.messages import AssistantMessage, ToolCall

TEXT = AssistantMessage(content="Hello.")
CALLING = AssistantMessage(tool_calls=(ToolCall(id="a", name="f", arguments="{}"),))


def test_replies_come_in_order():
    model: ChatModel = ScriptedModel("m", [CALLING, TEXT])

    assert [model.reply([], []).message for _ in range(2)] == [CALLING, TEXT]


@pytest.mark.parametrize(("message", "reason"), [(TEXT, "stop"), (CALLING, "tool_calls")])
def test_a_bare_message_gets_the_finish_reason_of_a_server(message, reason):
    assert ScriptedModel("m", [message]).reply([], []).finish_reason == reason


def test_a_whole_reply_is_given_as_it_is():
    reply = Reply(message=CALLING, finish_reason="length")

    assert ScriptedModel("m", [reply]).reply([], []) == reply


def test_a_script_that_has_ended_is_told():
    model = ScriptedModel("m", [TEXT])
    model.reply([], [])

    with pytest.raises(InputError, match="only 1 "):
        model.reply([], [])
