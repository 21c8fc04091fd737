"""Chat templates: the published ones to the byte, and Jinja set up as transformers sets it up."""

import json
from pathlib import Path

import pytest

from core.errors import InputError
from core.messages import (
    TEMPLATES,
    AssistantMessage,
    SystemMessage,
    TemplateRefusal,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
    is_nine_characters,
    render,
    with_nine_character_ids,
)

GOLDENS = json.loads((Path(__file__).parents[2] / "goldens" / "chat_templates.json").read_text("utf-8"))

USER = UserMessage(content="Hello!")


def with_jinja(template, messages=(USER,), tools=(), add_generation_prompt=False):
    return render(messages, tools, template, add_generation_prompt).text


def of_row(row):
    return f"{row['template']}-{row['conversation']}-{row['add_generation_prompt']}"


@pytest.mark.parametrize("row", [row for row in GOLDENS if "rendered" in row], ids=of_row)
def test_a_published_template_is_reproduced_to_the_byte(row):
    rendered = render(row["messages"], row["tools"], row["template"], row["add_generation_prompt"])

    assert rendered.text == row["rendered"]


@pytest.mark.parametrize("row", [row for row in GOLDENS if "error" in row], ids=of_row)
def test_what_a_published_template_refuses_is_refused_in_its_words(row):
    with pytest.raises(TemplateRefusal) as refused:
        render(row["messages"], row["tools"], row["template"], row["add_generation_prompt"])

    assert row["error"].endswith(refused.value.words)


def test_chatml_adds_no_system_prompt_of_its_own():
    assert render([USER], [], "chatml").text == (
        "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n"
    )


def test_chatml_keeps_the_white_space_of_content():
    rendered = render([UserMessage(content="  hi \n")], [], "chatml", add_generation_prompt=False)

    assert rendered.text == "<|im_start|>user\n  hi \n<|im_end|>\n"


@pytest.mark.parametrize("row", [row for row in GOLDENS if row["template"] == "qwen2.5"], ids=of_row)
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
        render([USER], [], "llama4")

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


@pytest.mark.parametrize("product", ["'a' * 10 ** 10", "'ab' * 999999999", "[0] * 99999999", "9 ** 9 ** 9"])
def test_a_product_cannot_fill_the_memory(product):
    with pytest.raises(InputError):
        with_jinja("{{ " + product + " }}")


def test_small_products_are_written():
    assert with_jinja("{{ '-' * 3 }}{{ 6 * 7 }}{{ 3 * '=' }}") == "---42==="


def test_a_message_that_cannot_be_read_is_named_by_its_index():
    with pytest.raises(InputError, match="Message 1"):
        render([SystemMessage(content="a"), {"role": "narrator", "content": "b"}], [], "chatml")


LLAMA_SYSTEM = (
    "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\n"
    "Today Date: 26 Jul 2024\n\n<|eot_id|>"
)


def test_llama_trims_content_and_has_two_newlines_after_each_header_and_none_after_a_turn():
    rendered = render([UserMessage(content="  hi \n")], [], "llama3.1", add_generation_prompt=False)

    assert rendered.text == LLAMA_SYSTEM + "<|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>"


@pytest.mark.parametrize(("template", "token"), [("llama3.1", "<|begin_of_text|>"), ("mistral", "<s>")])
def test_the_token_that_begins_a_text_is_written_once(template, token):
    turns = [USER, AssistantMessage(content="Hi."), USER]

    assert render(turns, [], template).text.count(token) == 1


def test_mistral_puts_the_system_prompt_into_the_last_user_message():
    system = SystemMessage(content="S")

    assert render([system, UserMessage(content="q1")], [], "mistral").text == "<s>[INST]S\n\nq1[/INST]"


def test_mistral_writes_the_tools_before_each_user_message_that_equals_the_last():
    """As the published template compares messages, and not their places."""
    turns = [USER, AssistantMessage(content="Hi."), USER]

    rendered = render(turns, [ToolSchema(name="now")], "mistral")

    assert (rendered.text.count("[AVAILABLE_TOOLS]"), rendered.exact) == (2, True)


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ([UserMessage(content="q1"), UserMessage(content="q2")], 1),
        ([AssistantMessage(content="a")], 0),
        ([UserMessage(content="q1"), AssistantMessage(content="a"), SystemMessage(content="S")], 2),
    ],
)
def test_mistral_refuses_roles_that_do_not_alternate_and_the_message_is_named(turns, message):
    with pytest.raises(TemplateRefusal, match="roles must alternate") as refused:
        render(turns, [], "mistral")

    assert refused.value.message == message


def test_the_message_at_which_llama_refuses_two_calls_is_named():
    calls = tuple(ToolCall(id=id_, name="f", arguments="{}") for id_ in "ab")
    turns = [USER, AssistantMessage(content="Hi."), USER, AssistantMessage(tool_calls=calls)]

    with pytest.raises(TemplateRefusal) as refused:
        render(turns, [], "llama3.1")

    assert refused.value.message == 3


IDS = ["call_abc123", "9Ae3bDc2F", "turn1_0", "550e8400-e29b-41d4-a716-446655440000"]


@pytest.mark.parametrize(("id_", "valid"), list(zip(IDS, [False, True, False, False], strict=True)))
def test_mistral_takes_ids_of_nine_letters_or_digits(id_, valid):
    assert is_nine_characters(id_) is valid


@pytest.mark.parametrize("id_", ["call_abc123", "turn1_0"])
def test_mistrals_template_refuses_an_id_of_another_length(id_):
    call = ToolCall(id=id_, name="f", arguments="{}")

    with pytest.raises(TemplateRefusal, match="length 9"):
        render([USER, AssistantMessage(tool_calls=(call,))], [], "mistral")


def test_rewritten_ids_pair_as_before_and_never_collide():
    ids = [*IDS, "call_abc12", "call_abc13"]
    asked = AssistantMessage(tool_calls=tuple(ToolCall(id=id_, name="f", arguments="{}") for id_ in ids))
    results = [ToolResultMessage(tool_call_id=id_, content=id_) for id_ in ids]

    renamed, *answers = with_nine_character_ids([asked, *results])

    new = [call.id for call in renamed.tool_calls]
    assert [answer.tool_call_id for answer in answers] == new
    assert len(set(new)) == len(ids)
    assert all(map(is_nine_characters, new))
    assert new[1] == "9Ae3bDc2F"


@pytest.mark.parametrize("template", [None, 7, ["chatml"]])
def test_a_template_of_a_wrong_type_is_refused(template):
    with pytest.raises(InputError):
        render([USER], [], template)


@pytest.mark.parametrize("messages", [None, 7, "Hello!", {"role": "user"}, [7], [None], [["user", "hi"]]])
def test_messages_of_a_wrong_type_are_refused(messages):
    with pytest.raises(InputError):
        render(messages, [], "chatml")


@pytest.mark.parametrize("tools", [7, "f", {"name": "f"}, [7], [{"name": 7}], [{}], [{"function": "f"}]])
def test_tools_of_a_wrong_type_are_refused(tools):
    with pytest.raises(InputError):
        render([USER], tools, "chatml")
