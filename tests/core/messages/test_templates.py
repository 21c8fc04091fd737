"""Chat templates: the published ones to the byte, and Jinja set up as transformers sets it up."""

import json
from pathlib import Path

import pytest

from core.errors import InputError
from core.messages import TEMPLATES, AssistantMessage, SystemMessage, ToolSchema, UserMessage, render

GOLDENS = json.loads((Path(__file__).parents[2] / "goldens" / "chat_templates.json").read_text("utf-8"))

USER = UserMessage(content="Hello!")


def with_jinja(template, messages=(USER,), tools=(), add_generation_prompt=False):
    return render(messages, tools, template, add_generation_prompt).text


@pytest.mark.parametrize(
    "row",
    GOLDENS,
    ids=lambda row: f"{row['template']}-{row['conversation']}-{row['add_generation_prompt']}",
)
def test_a_published_template_is_reproduced_to_the_byte(row):
    rendered = render(row["messages"], row["tools"], row["template"], row["add_generation_prompt"])

    assert rendered.text == row["rendered"]


def test_chatml_adds_no_system_prompt_of_its_own():
    assert render([USER], [], "chatml").text == (
        "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n"
    )


def test_chatml_keeps_the_white_space_of_content():
    rendered = render([UserMessage(content="  hi \n")], [], "chatml", add_generation_prompt=False)

    assert rendered.text == "<|im_start|>user\n  hi \n<|im_end|>\n"


@pytest.mark.parametrize("row", [row for row in GOLDENS if row["template"] == "qwen2.5"], ids=str)
def test_chatml_is_qwens_template_but_for_the_default_system_prompt(row):
    default = (
        "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n"
    )

    rendered = render(row["messages"], row["tools"], "chatml", row["add_generation_prompt"])

    assert rendered.text == row["rendered"].removeprefix(default)


def test_chatml_advertises_tools_without_a_system_prompt():
    text = render([USER], [ToolSchema(name="now")], "chatml").text

    assert text.startswith("<|im_start|>system\n# Tools\n\n")


def test_text_beside_a_call_stands_before_it():
    message = AssistantMessage(
        content="Checking.", tool_calls=({"id": "a", "name": "now", "arguments": "{}"},)
    )

    assert render([message], [], "chatml", add_generation_prompt=False).text == (
        "<|im_start|>assistant\nChecking.\n"
        '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call><|im_end|>\n'
    )


def test_an_unknown_template_is_refused_with_the_names_that_exist():
    with pytest.raises(InputError) as refused:
        render([USER], [], "llama3.1")

    assert all(name in str(refused.value) for name in TEMPLATES)


def test_a_tool_schema_is_written_as_plain_json():
    tool = ToolSchema(
        name="cmp",
        description="a<b & 'é'",
        parameters={"type": "object", "properties": {"z": {"type": "integer"}, "a": {"type": "integer"}}},
    )

    written = with_jinja("{{ tools[0].function | tojson }}", tools=[tool])

    assert written == (
        '{"name": "cmp", "description": "a<b & \'é\'", "parameters": {"type": "object", '
        '"properties": {"z": {"type": "integer"}, "a": {"type": "integer"}}}}'
    )


def test_lines_of_blocks_leave_no_white_space():
    assert with_jinja("a\n  {% if true %}\nb\n  {% endif %}\nc") == "a\nb\nc"


def test_a_loop_can_be_left_early():
    assert (
        with_jinja("{% for i in [1, 2, 3] %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}") == "1"
    )


def test_a_generation_block_writes_nothing_itself():
    assert with_jinja("{% generation %}{{ messages[0].content }}{% endgeneration %}") == "Hello!"


def test_a_template_can_write_the_date():
    assert with_jinja("{{ strftime_now('%Y') }}").isdigit()


def test_without_tools_a_template_is_given_none():
    assert with_jinja("{{ tools is none }}") == "True"


def test_a_refusal_of_the_template_is_told_in_its_words():
    with pytest.raises(InputError, match="roles must alternate"):
        with_jinja("{{ raise_exception('roles must alternate') }}")


def test_a_fault_in_the_template_is_told_with_its_line():
    with pytest.raises(InputError, match="Line 2"):
        with_jinja("a\n{% if %}")


def test_a_template_that_fails_is_told():
    with pytest.raises(InputError, match="fails on this conversation"):
        with_jinja("{{ messages[7].content.upper() }}")


def test_a_template_cannot_reach_the_interpreter():
    with pytest.raises(InputError):
        with_jinja("{{ messages.__class__.__mro__[1].__subclasses__() }}")


def test_a_template_cannot_change_the_messages():
    with pytest.raises(InputError):
        with_jinja("{{ messages.append(1) }}")


def test_a_message_that_cannot_be_read_is_named_by_its_index():
    with pytest.raises(InputError, match="Message 1"):
        render([SystemMessage(content="a"), {"role": "narrator", "content": "b"}], [], "chatml")
