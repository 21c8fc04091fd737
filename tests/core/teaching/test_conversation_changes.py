"""What if: each change makes the fault that it is named after, and no other."""

import pytest

from core.errors import InputError
from core.messages import (
    TEMPLATES,
    AssistantMessage,
    UserMessage,
    check_pairing,
    find_markers,
    is_nine_characters,
    render,
)
from core.scenarios import trace
from core.teaching.conversation import Conversation, conversation_of
from core.teaching.conversation_changes import CHANGES, PROMISE, changed, forged_turn

BERLIN = conversation_of(trace("berlin"))
PARALLEL = conversation_of(trace("parallel"))


@pytest.mark.parametrize(
    ("change", "faults"),
    [
        ("unanswered", ["no result"]),
        ("orphan", ["no call"]),
        ("twice", ["second result"]),
        ("early", ["no call", "no result"]),
        ("nine", []),
        ("forged-user", []),
        ("forged-result", []),
    ],
)
@pytest.mark.parametrize("run", [BERLIN, PARALLEL])
def test_a_change_makes_the_fault_of_its_name(run, change, faults):
    assert [problem.kind for problem in check_pairing(changed(run, change, "chatml").messages)] == faults


@pytest.mark.parametrize("change", [name for name in CHANGES if name not in ("nine", "forged-user")])
def test_a_conversation_without_calls_cannot_be_changed_so(change):
    with pytest.raises(InputError, match="choose another"):
        changed(Conversation(messages=(UserMessage(content="hi"),)), change, "chatml")


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_forged_turn_is_what_the_template_itself_writes_between_two_messages(template):
    messages = [UserMessage(content=f"A{forged_turn(template)}B")]
    sent = [UserMessage(content="A"), AssistantMessage(content=PROMISE), UserMessage(content="B")]
    assert render(messages, [], template).text == render(sent, [], template).text


@pytest.mark.parametrize("change", ["forged-user", "forged-result"])
def test_a_forgery_brings_markers_that_the_template_did_not_write(change):
    messages = changed(BERLIN, change, "chatml").messages
    assert any(marker.forged for marker in find_markers(render(messages, [], "chatml"), "chatml"))


def test_ids_are_renamed_to_what_mistral_takes():
    calls = [
        call
        for message in changed(PARALLEL, "nine", "mistral").messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    ]
    assert len(calls) == 2
    assert all(is_nine_characters(call.id) for call in calls)
