"""The four views together: what the server says, and which switches there are."""

import pytest

from core.errors import InputError
from core.figures.messages_view import (
    LONGEST_TEMPLATE,
    OWN_TEMPLATE,
    MessagesView,
    checked_template,
    messages_view,
)
from core.lm import load_tokenizer
from core.messages import TEMPLATES, AssistantMessage, ToolCall, ToolResultMessage, UserMessage

OPEN_CALL = [
    UserMessage(content="hi"),
    AssistantMessage(tool_calls=(ToolCall(id="a", name="f", arguments="{}"),)),
]


def view(messages=OPEN_CALL, provider="openai-chat", template="chatml", own="") -> MessagesView:
    return messages_view(messages, [], provider, template, own, load_tokenizer())


@pytest.mark.parametrize("provider", ["openai-chat", "openai-responses", "anthropic"])
def test_a_strict_server_refuses_an_open_call(provider):
    wire = view(provider=provider).wire
    assert wire.tone == "bad"
    assert wire.verdict.endswith("refuses it: 1 fault.")


def test_ollama_takes_an_open_call_and_the_screen_says_that_the_fault_passes():
    wire = view(provider="ollama").wire
    assert wire.tone == "open"
    assert wire.verdict == "Ollama takes it, faults and all: the model sees them as they are."


def test_a_whole_history_is_taken():
    wire = view([*OPEN_CALL, ToolResultMessage(tool_call_id="a", content="1")]).wire
    assert (wire.tone, wire.verdict) == ("good", "This is what is sent. OpenAI chat takes it.")


def test_what_cannot_be_written_says_why_and_the_other_views_stay():
    broken = [AssistantMessage(tool_calls=(ToolCall(id="a", name="f", arguments="{"),))]
    found = view(broken, provider="anthropic")
    assert "JSON object" in found.wire.problem
    assert not found.wire.lines
    assert found.cards.cards
    assert found.rendered.runs


def test_what_a_provider_loses_is_told_by_message():
    failed = ToolResultMessage(tool_call_id="a", content="no", is_error=True)
    lost = view([*OPEN_CALL, failed]).wire.lost
    assert len(lost) == 1
    assert lost[0].startswith("Message 2: there is no field that says that a result is an error")


def test_all_bundled_templates_are_offered_and_one_of_the_readers_own_once_there_is_one():
    assert {option.name for option in view().templates} == set(TEMPLATES)
    assert OWN_TEMPLATE in {option.name for option in view(own="{{ messages }}").templates}


def test_a_template_of_the_readers_own_writes_the_text():
    own = "{% for message in messages %}<{{ message.content }}>{% endfor %}"
    runs = view([UserMessage(content="hi")], template=OWN_TEMPLATE, own=own).rendered.runs
    assert "".join(piece.text for run in runs for piece in run.pieces) == "<hi>"


@pytest.mark.parametrize("text", ["", "no braces", "{{" + "x" * LONGEST_TEMPLATE])
def test_what_is_no_template_is_refused_in_a_sentence(text):
    with pytest.raises(InputError):
        checked_template(text)


def test_the_tokens_of_all_owners_add_up_to_the_whole():
    found = view()
    parts = sum(int(count.split()[0].replace(",", "")) for count in found.counts.values())
    assert f"{parts} tokens" == found.rendered.count
