"""What is exported: our own file exactly, other formats as far as they go, and a page that is only data."""

import json
import os
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.context import TokenCounter
from core.errors import InputError
from core.figures.palette import DARK, LIGHT
from core.lm import load_tokenizer
from core.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)
from core.scenarios import SCENARIOS
from core.scenarios import trace as scenario
from core.trace import (
    Counting,
    ModelCall,
    Origin,
    Part,
    Segment,
    Step,
    StepKind,
    TokenChoice,
    Trace,
    Usage,
    Validation,
)
from core.traces import FORMATS, dump, load, load_all
from core.traces.examples import FILES, example

# --- random traces

TEXT = st.text(max_size=6)
COUNT = st.none() | st.integers(0, 2**40)
# What a schema or an argument may hold: JSON that equals itself.
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=2)


def whole(cls, **given):
    """Values with every field, also one that is new; `given` are those whose type says too little."""
    fields = {name: field.annotation for name, field in cls.model_fields.items() if name not in given}
    return st.builds(cls, **{name: st.from_type(kind) for name, kind in fields.items()}, **given)


def several(strategy):
    return st.lists(strategy, max_size=2).map(tuple)


CALL = st.builds(ToolCall, id=TEXT, name=TEXT, arguments=TEXT)
MESSAGE = st.one_of(
    st.builds(SystemMessage, content=TEXT),
    st.builds(UserMessage, content=TEXT),
    st.builds(AssistantMessage, content=TEXT, thinking=st.none() | TEXT, tool_calls=several(CALL)),
    st.builds(
        ToolResultMessage, tool_call_id=TEXT, content=TEXT, name=st.none() | TEXT, is_error=st.booleans()
    ),
)
SEGMENT = whole(
    Segment,
    part=st.sampled_from(Part),
    text=TEXT,
    message=COUNT,
    label=TEXT,
    token_ids=st.none() | several(st.integers(0, 10**6)),
    tokens=COUNT,
)
LOGPROB = st.none() | st.floats(allow_nan=False)  # minus infinity is the logarithm of zero
CHOICE = st.builds(TokenChoice, text=TEXT, token_id=COUNT, logprob=LOGPROB)
MODEL_CALL = whole(
    ModelCall,
    segments=st.none() | several(SEGMENT),
    counting=st.builds(Counting, method=st.sampled_from(["exact", "estimate", "unknown"]), tokenizer=TEXT),
    window=COUNT,
    reply=st.builds(AssistantMessage, content=TEXT, tool_calls=several(CALL)),
    finish_reason=st.none() | TEXT,
    usage=st.builds(Usage, input_tokens=COUNT, output_tokens=COUNT),
    tokens=st.none()
    | several(st.builds(TokenChoice, text=TEXT, logprob=LOGPROB, alternatives=several(CHOICE))),
)
VALIDATION = whole(
    Validation,
    ok=st.booleans(),
    stage=st.sampled_from([None, "json", "tool", "schema"]),
    message=TEXT,
    arguments=st.none() | OBJECT,
)
STEP = whole(
    Step,
    kind=st.sampled_from(StepKind),
    turn=st.integers(0, 99),
    line=COUNT,
    passed=several(st.integers(1, 9)),
    appended=st.none() | MESSAGE,
    model_call=st.none() | MODEL_CALL,
    tool_call=st.none() | CALL,
    validation=st.none() | VALIDATION,
    text=TEXT,
)
TRACE = whole(
    Trace,
    title=TEXT,
    source=st.sampled_from(["recorded", "scripted", "live", "imported"]),
    model=st.none() | TEXT,
    description=TEXT,
    system=st.none() | TEXT,
    tools=st.none() | several(st.builds(ToolSchema, name=TEXT, description=TEXT, parameters=OBJECT)),
    max_steps=COUNT,
    history=several(MESSAGE),
    steps=several(STEP),
    stop_reason=st.none() | TEXT,
    origin=st.none() | st.builds(Origin, format=TEXT, file=TEXT, notices=several(TEXT)),
)


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(TRACE)
def test_our_own_file_gives_back_an_equal_trace(trace):
    assert load(dump(trace, "loopscope")) == trace


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(TRACE, st.sampled_from(FORMATS))
def test_every_trace_is_written_in_every_format_or_refused_with_a_sentence(trace, form):
    try:
        data = dump(trace, form)
    except InputError as error:
        data = str(error).encode()
    assert data.decode("utf-8")


# --- runs


@pytest.fixture(scope="module", params=[entry.slug for entry in SCENARIOS[:7]])
def run(request):
    return scenario(request.param, TokenCounter(load_tokenizer()))


def test_a_bundled_run_comes_back_whole_with_its_tokens(run):
    assert load(dump(run, "loopscope")) == run


@pytest.mark.parametrize("form", ["openai-chat", "anthropic", "ollama"])
def test_a_providers_request_holds_the_conversation_of_the_run(run, form):
    back = load(dump(run, form))
    # Ollama has no ids: results are sent in the order of their calls.
    assert sorted(m.content for m in back.messages) == sorted(m.content for m in run.messages)
    # A request without tools does not say that it has none.
    assert (back.system, back.tools or (), back.model) == (run.system, run.tools, run.model)


def test_openai_chat_gives_back_the_messages_themselves(run):
    without_flag = [
        message.model_copy(update={"is_error": False}) if isinstance(message, ToolResultMessage) else message
        for message in run.messages
    ]
    assert list(load(dump(run, "openai-chat")).messages) == without_flag


@pytest.mark.parametrize("file", ["react-langchain.txt", "react-paper.txt"])
def test_react_text_gives_back_the_run(file):
    trace = load(example(file))
    back = load(dump(trace, "react-text"))
    assert [m.content for m in back.messages] == [m.content for m in trace.messages]
    assert back.system == trace.system


@pytest.mark.parametrize("system", ["Be brief.", None])
def test_a_dialogue_as_react_text_opens_again_as_one_run(system):
    said = [*([{"role": "system", "content": system}] if system else [])]
    for question, answer in (("Oslo?", "5."), ("And Rome?", "30.")):
        said += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    trace = load(json.dumps(said).encode())
    [back] = load_all(dump(trace, "react-text"))
    assert (back.messages, back.system) == (trace.messages, system)


def test_without_the_heading_of_a_dialogue_every_question_begins_a_run():
    text = b"Question: Oslo?\nFinal Answer: 5.\nQuestion: And Rome?\nFinal Answer: 30.\n"
    assert [run.messages[0].content for run in load_all(text)] == ["Oslo?", "And Rome?"]


def test_react_text_is_the_dialect_with_an_action_input():
    assert dump(load(example("atif.json")), "react-text").decode() == (
        "Use the tool. Be brief.\n"
        "Question: Which city is warmer now, Oslo or Rome?\n"
        "Thought: Two cities, so two look-ups.\n"
        "Thought: Checking both.\n"
        "Action: temperature\n"
        'Action Input: {"city": "Oslo"}\n'
        "Observation: 5\n"
        "Action: temperature\n"
        'Action Input: {"city": "Rome"}\n'
        "Observation: 30\n"
        "Final Answer: Rome, by 25 degrees.\n"
    )


def test_arguments_that_are_no_object_travel_to_anthropic_as_one():
    request = json.loads(dump(load(example("react-paper.txt")), "anthropic"))
    assert request["messages"][1]["content"][1]["input"] == {"input": "Oslo [Norway]"}


@pytest.mark.parametrize("form", ["", "json", "HTML", None, 3, ["html"]])
def test_a_format_that_is_not_known_is_told(form):
    with pytest.raises(InputError, match="Choose one of loopscope"):
        dump(load(example("atif.json")), form)


def test_what_is_no_trace_is_told():
    with pytest.raises(InputError, match="Only a trace"):
        dump({"title": "x"}, "loopscope")


# --- nothing secret


@pytest.mark.parametrize("form", FORMATS)
def test_no_key_of_this_computer_is_in_any_export(run, form, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-this-is-secret")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    try:
        data = dump(run, form)
    except InputError:
        return
    secrets = [
        value for name, value in os.environ.items() if "KEY" in name or "TOKEN" in name or "SECRET" in name
    ]
    assert not [secret for secret in secrets if len(secret) > 7 and secret.encode() in data]


def test_settings_of_the_connection_that_stand_beside_the_messages_are_left_behind():
    request = {
        "messages": [{"role": "user", "content": "q"}],
        "api_key": "sk-this-is-secret",
        "headers": {"Authorization": "Bearer sk-this-is-secret"},
        "base_url": "https://user:sk-this-is-secret@example.org",
    }
    trace = load(json.dumps(request).encode())
    assert not [form for form in FORMATS if b"sk-this-is-secret" in dump(trace, form)]


# --- the page


def page(*messages):
    return dump(load(json.dumps(list(messages)).encode()), "html").decode()


def test_the_page_reaches_for_nothing_outside_itself():
    written = page({"role": "user", "content": "q"})
    assert "default-src 'none'" in written
    assert not re.findall(r"""(?:src|href)\s*=|url\(|@import|https?:""", written)


def test_texts_of_the_run_cannot_leave_their_script_element():
    hostile = "</script><script>alert(1)</script><!--<script>"
    written = page({"role": "user", "content": hostile}, {"role": "assistant", "content": "]]>&amp;"})
    assert written.count("<script") == written.count("</script>") == 2  # the data and the page's own
    assert "alert(1)" in written
    assert "<!--" not in written.partition("<body>")[2]


def test_the_page_sets_no_text_as_markup():
    written = page({"role": "user", "content": "q"})
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|srcdoc", written)


@pytest.mark.parametrize("part", [Part.SYSTEM, Part.USER, Part.ASSISTANT, Part.TOOL_CALL, Part.TOOL_RESULT])
def test_the_page_has_the_colours_of_the_screens(part):
    name = part.value.replace(" ", "-")
    assert f"--part-{name}: light-dark({LIGHT[part]}, {DARK[part]});" in page(
        {"role": "user", "content": "q"}
    )


def test_the_data_of_the_page_are_the_messages_in_order_with_their_steps():
    written = dump(load(example("openai-chat.json")), "html").decode()
    data = json.loads(re.search(r'id="run">(.*?)</script>', written, re.DOTALL)[1])
    assert [(card["role"], card["since"]) for card in data["cards"]] == [
        ("system", 0),
        ("user", 1),
        ("assistant", 3),
        ("tool result", 5),
        ("tool result", 7),
        ("assistant", 9),
    ]
    assert len(data["steps"]) == 9


@pytest.mark.parametrize("file", FILES)
def test_every_example_is_exported_in_every_format_and_read_back(file):
    trace = load(example(file))
    for form in FORMATS:
        data = dump(trace, form)
        if form != "html":
            assert load_all(data)
