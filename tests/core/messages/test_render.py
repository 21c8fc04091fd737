"""Who owns which character of a rendered conversation."""

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.messages import (
    TEMPLATES,
    AssistantMessage,
    Part,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
    render,
    template_objects,
)
from tests.core.messages.conversations import any_conversations, sound_conversations, texts

CALL = ToolCall(id="c1", name="get_weather", arguments='{"city": "Berlin"}')
WEATHER = ToolSchema(name="get_weather", description="The weather of a city.")
CONVERSATION = (
    SystemMessage(content="Be brief."),
    UserMessage(content="Weather?"),
    AssistantMessage(content="I look.", tool_calls=(CALL,)),
    ToolResultMessage(tool_call_id="c1", content="12°C, rainy"),
)

AS_WRITTEN = ("chatml", "smollm2", "qwen2.5")
"""Templates that refuse nothing, and write content as it is."""

tools = st.lists(st.builds(ToolSchema, name=st.sampled_from(["f", "g"]), description=texts), max_size=2)


def owned(rendered, part):
    return [rendered.text[span.start : span.end] for span in rendered.spans if span.part is part]


def assert_covered(rendered):
    places = [0, *(span.end for span in rendered.spans)]
    assert [span.start for span in rendered.spans] == places[:-1]
    assert places[-1] == len(rendered.text)
    assert all(span.start < span.end for span in rendered.spans)


@settings(deadline=None, max_examples=150)
@given(messages=any_conversations, tools=tools, template=st.sampled_from(AS_WRITTEN), prompt=st.booleans())
def test_spans_touch_each_other_and_cover_the_text(messages, tools, template, prompt):
    assert_covered(render(messages, tools, template, prompt))


@settings(deadline=None, max_examples=150)
@given(
    messages=sound_conversations(max_calls=1),
    tools=tools,
    template=st.sampled_from(TEMPLATES),
    prompt=st.booleans(),
)
def test_every_template_covers_what_a_loop_writes_exactly(messages, tools, template, prompt):
    assume(template != "llama3.1" or len(messages) > 1)  # it writes the tools into the first user message

    rendered = render(messages, tools, template, prompt)

    assert_covered(rendered)
    assert rendered.exact


@settings(deadline=None, max_examples=150)
@given(messages=any_conversations, template=st.sampled_from(AS_WRITTEN))
def test_every_content_owns_exactly_its_own_characters(messages, template):
    rendered = render(messages, [], template)

    for index, message in enumerate(messages):
        parts = {
            "system": Part.SYSTEM,
            "user": Part.USER,
            "assistant": Part.ASSISTANT,
            "tool": Part.TOOL_RESULT,
        }
        mine = [
            rendered.text[span.start : span.end]
            for span in rendered.spans
            if span.message == index and span.part is parts[message.role]
        ]
        assert "".join(mine) == message.content


@settings(deadline=None, max_examples=100)
@given(messages=sound_conversations(max_calls=1), template=st.sampled_from(TEMPLATES))
def test_every_content_is_owned_or_named_as_omitted(messages, template):
    rendered = render(messages, [], template)

    owners = {(span.message, span.part, span.label == "thinking") for span in rendered.spans}
    missing = {(owner.message, owner.part, owner.label == "thinking") for owner in rendered.omitted}
    parts = {"system": Part.SYSTEM, "user": Part.USER, "assistant": Part.ASSISTANT, "tool": Part.TOOL_RESULT}
    for index, message in enumerate(messages):
        if message.content.strip():
            content = (index, parts[message.role], False)
            assert (content in owners) != (content in missing)


@settings(deadline=None, max_examples=100)
@given(messages=sound_conversations(max_calls=1), template=st.sampled_from(TEMPLATES))
def test_a_conversation_is_cut_where_its_beginning_ends(messages, template):
    """The template's text of the first messages is what closes them when nothing follows."""
    whole = render(messages, [], template, add_generation_prompt=False)
    longer = render([*messages, UserMessage(content="More?")], [], template, add_generation_prompt=False)

    last = len(messages)
    if any(span.message == 0 and span.part is Part.SYSTEM for span in longer.spans) and template == "mistral":
        return  # it moves the system prompt into the last user message
    assert longer.text[: next(span.start for span in longer.spans if span.message == last)] == whole.text


@settings(deadline=None, max_examples=50)
@given(messages=any_conversations, template=st.sampled_from(AS_WRITTEN))
def test_our_templates_are_followed_exactly_whatever_the_content(messages, template):
    assert render(messages, [], template).exact


def test_a_long_conversation_takes_few_runs_of_the_template(monkeypatch):
    runs = []
    run = template_objects.run_template
    monkeypatch.setattr(template_objects, "run_template", lambda *given: runs.append(1) or run(*given))
    turn = [UserMessage(content="q"), *CONVERSATION[2:4], AssistantMessage(content="a")]

    render([*CONVERSATION[:1], *turn * 100], [WEATHER], "chatml")

    assert len(runs) < 20


def test_each_part_owns_what_it_contributed():
    rendered = render(CONVERSATION, [WEATHER], "chatml")

    assert owned(rendered, Part.SYSTEM) == ["Be brief."]
    assert owned(rendered, Part.USER) == ["Weather?"]
    assert owned(rendered, Part.ASSISTANT) == ["I look."]
    assert owned(rendered, Part.TOOL_RESULT) == ["12°C, rainy"]
    assert owned(rendered, Part.TOOL_CALL) == ['{"name": "get_weather", "arguments": {"city": "Berlin"}}']
    assert owned(rendered, Part.TOOLS) == [
        '{"type": "function", "function": {"name": "get_weather", "description": "The weather of a city.", '
        '"parameters": {"type": "object", "properties": {}}}}'
    ]


def test_a_span_names_its_message_and_its_call_or_tool():
    rendered = render(CONVERSATION, [WEATHER], "chatml")

    named = {(span.part, span.message, span.label) for span in rendered.spans}
    assert {
        (Part.SYSTEM, 0, ""),
        (Part.USER, 1, ""),
        (Part.ASSISTANT, 2, ""),
        (Part.TOOL_CALL, 2, "c1"),
        (Part.TOOL_RESULT, 3, "c1"),
        (Part.TOOLS, None, "get_weather"),
        (Part.TEMPLATE, None, "generation prompt"),
    } <= named


def test_the_templates_text_is_split_where_a_message_begins():
    rendered = render([SystemMessage(content="S"), UserMessage(content="U")], [], "chatml")

    assert [
        (rendered.text[span.start : span.end], span.message, span.label)
        for span in rendered.spans
        if span.part is Part.TEMPLATE
    ] == [
        ("<|im_start|>system\n", 0, ""),
        ("<|im_end|>\n", 0, ""),
        ("<|im_start|>user\n", 1, ""),
        ("<|im_end|>\n", 1, ""),
        ("<|im_start|>assistant\n", None, "generation prompt"),
    ]


def test_a_default_system_prompt_belongs_to_no_message():
    first = render([UserMessage(content="U")], [], "smollm2").spans[0]

    assert (first.part, first.message, first.label) == (Part.TEMPLATE, None, "preamble")


def test_what_a_template_does_not_write_is_named():
    omitted = render(CONVERSATION, [WEATHER], "smollm2").omitted

    assert [(owner.part, owner.label) for owner in omitted] == [
        (Part.TOOL_CALL, "c1"),
        (Part.TOOLS, "get_weather"),
    ]


def test_a_schema_that_is_written_field_by_field_owns_what_lies_between():
    template = (
        "{% for tool in tools %}[{{ tool.function.name }}: {{ tool.function.description }}]{% endfor %}"
    )

    rendered = render([], [WEATHER], template)

    assert owned(rendered, Part.TOOLS) == ["get_weather: The weather of a city."]


def test_two_tools_in_one_list_are_told_apart():
    rendered = render([], [ToolSchema(name="f"), ToolSchema(name="g")], "{{ tools | tojson }}")

    assert [span.label for span in rendered.spans if span.part is Part.TOOLS] == ["f", "g"]


def test_content_that_a_template_trims_owns_what_is_left_of_it():
    rendered = render([UserMessage(content="\n hi ")], [], "<{{ messages[0].content | trim }}>")

    assert (rendered.text, owned(rendered, Part.USER), rendered.exact) == ("<hi>", ["hi"], True)


def test_content_that_a_template_changes_is_counted_as_the_templates_and_said_so():
    rendered = render(
        [UserMessage(content="hi"), UserMessage(content="you")],
        [],
        "{{ messages[0].content | urlencode }} {{ messages[1].content }}",
    )

    assert (rendered.text, owned(rendered, Part.USER), rendered.exact) == ("hi you", ["you"], False)


def test_a_template_that_changes_every_result_leaves_the_other_contents_their_owners():
    turn = [UserMessage(content="q"), *CONVERSATION[2:4], AssistantMessage(content="a")]
    template = (
        "{% for message in messages %}"
        "{{ (message.content | urlencode) if message.role == 'tool' else message.content }}\n{% endfor %}"
    )

    rendered = render(turn * 50, [], template)

    assert {span.message for span in rendered.spans if span.part in (Part.USER, Part.ASSISTANT)} == {
        index for index, message in enumerate(turn * 50) if message.role != "tool"
    }
    assert not rendered.exact


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("content.split('</think>')[-1].lstrip('\\n')", "answer</i>"),  # Qwen3
        ("content.split('</think>', 1)[1]", "\nanswer</i>"),  # DeepSeek
        ("content[-4:]", "</i>"),  # Mistral, of ids
        ("content.replace('<think>', '').strip() | upper", "HM</THINK>\nANSWER</I>"),  # Nemotron
        ("(content if '</think>' in content else '') | trim", "<think>Hm</think>\nanswer</i>"),
    ],
)
def test_what_a_template_cuts_out_of_content_stays_its_owners(written, text):
    message = AssistantMessage(content="<think>Hm</think>\nanswer</i>")

    rendered = render([message], [], "{% set content = messages[0].content %}<{{ " + written + " }}>")

    assert (rendered.text, owned(rendered, Part.ASSISTANT), rendered.exact) == (f"<{text}>", [text], True)


def test_a_template_that_takes_arguments_as_text_is_given_text():
    """As DeepSeek's, which joins them to its markers."""
    template = (
        "{% for call in messages[0].tool_calls %}"
        "{{ '<|call|>' + call.function.name + '<|sep|>' + call.function.arguments }}{% endfor %}"
    )

    rendered = render([AssistantMessage(tool_calls=(CALL,))], [], template)

    assert rendered.text == '<|call|>get_weather<|sep|>{"city": "Berlin"}'
    assert owned(rendered, Part.TOOL_CALL) == ["get_weather", '{"city": "Berlin"}']
    assert owned(rendered, Part.TEMPLATE) == ["<|call|>", "<|sep|>"]


def test_content_may_be_measured_and_compared_without_losing_its_owner():
    rendered = render(
        [UserMessage(content="hi"), UserMessage(content="hi")],
        [],
        "{{ messages[0].content | length }} {{ messages[0] == messages[1] }} {{ messages[1].content }}",
    )

    assert (rendered.text, owned(rendered, Part.USER), rendered.exact) == ("2 True hi", ["hi"], True)


def test_content_that_is_written_twice_is_owned_twice():
    rendered = render([UserMessage(content="hi")], [], "{{ messages[0].content }}, {{ messages[0].content }}")

    assert owned(rendered, Part.USER) == ["hi", "hi"]


@pytest.mark.parametrize("arguments", ['{"city":"Berlin"}', '{"city": "Berlin"}'])
def test_arguments_are_decoded_once(arguments):
    call = CALL.model_copy(update={"arguments": arguments})

    text = render([AssistantMessage(tool_calls=(call,))], [], "qwen2.5").text

    assert '{"name": "get_weather", "arguments": {"city": "Berlin"}}' in text


@pytest.mark.parametrize(
    "arguments", ["{'city': 'Oslo'}", '{"a": 1,}', "[1]", '{"a": 1, "a": 2}', '{"a": NaN}']
)
def test_arguments_that_are_no_json_object_are_quoted_as_transformers_quotes_a_text(arguments):
    call = CALL.model_copy(update={"arguments": arguments})

    rendered = render([AssistantMessage(tool_calls=(call,))], [], "chatml")

    assert owned(rendered, Part.TOOL_CALL) == [
        '{"name": "get_weather", "arguments": ' + json.dumps(arguments) + "}"
    ]


def test_a_thinking_span_is_the_assistants_where_a_template_writes_it():
    message = AssistantMessage(content="Yes.", thinking="Hm.")

    rendered = render(
        [message], [], "<think>{{ messages[0].reasoning_content }}</think>{{ messages[0].content }}"
    )

    assert [(span.part, span.label) for span in rendered.spans if span.part is Part.ASSISTANT] == [
        (Part.ASSISTANT, "thinking"),
        (Part.ASSISTANT, ""),
    ]


def test_missing_content_beside_calls_is_never_written_as_none():
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}

    text = render([{"role": "assistant", "content": None, "tool_calls": [call]}], [], "chatml").text

    assert "None" not in text


# As Mistral's templates do: system prompt and tools move into the last user message, content is trimmed.
MOVING = """{% set system = messages | selectattr('role', 'equalto', 'system') %}
{% set told = system | map(attribute='content') | join('\\n') %}
{% for message in messages if message.role != 'system' %}
{% if message.role == 'user' %}
{% if loop.last %}
[TOOLS]{{ tools | tojson }}[/TOOLS]{% endif %}
[INST]{% if loop.last and told %}{{ told }}

{% endif %}
{{ message.content | trim }}[/INST]
{% else %}
{{ message.content | trim }}</s>
{% endif %}
{% endfor %}"""


@settings(deadline=None, max_examples=100)
@given(messages=any_conversations, tools=tools)
def test_a_template_that_moves_content_is_covered_too(messages, tools):
    assert_covered(render(messages, tools, MOVING))


def test_content_that_a_template_moves_stays_its_owners():
    rendered = render(
        [
            SystemMessage(content="S"),
            UserMessage(content="q1"),
            AssistantMessage(content="a"),
            UserMessage(content=" q2 "),
        ],
        [WEATHER],
        MOVING,
    )

    owners = [
        (span.message, rendered.text[span.start : span.end])
        for span in rendered.spans
        if span.part is not Part.TEMPLATE
    ]
    assert [owner for owner in owners if owner[0] is not None] == [(1, "q1"), (2, "a"), (0, "S"), (3, "q2")]


def test_a_message_that_a_template_leaves_out_is_named():
    [left_out] = render(
        [SystemMessage(content="S"), UserMessage(content="q")], [], "{{ messages[1].content }}"
    ).omitted

    assert (left_out.part, left_out.message) == (Part.SYSTEM, 0)
