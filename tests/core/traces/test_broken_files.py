"""Broken, hostile and huge files: what is readable is read, and the rest is one sentence."""

import io
import json
import time
import zipfile

import pytest
from hypothesis import example as given_example
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.traces import load, load_all
from core.traces.examples import FILES, example
from core.traces.run import MOST_MESSAGES


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def texts(trace):
    return [message.content for message in trace.messages]


def told(data):
    """The sentence with which a file is refused."""
    with pytest.raises(InputError) as caught:
        load(data)
    return str(caught.value)


# --- files that break off


def test_a_file_that_breaks_off_gives_what_stands_before_and_says_where():
    data = json.dumps([user("a"), assistant("b"), user("c")]).encode()
    cut = data[: data.index(b'"c"')]
    trace = load(cut)
    assert texts(trace) == ["a", "b"]
    where = f"line 1, column {len(cut)}"
    assert trace.origin.notices == (f"The file breaks off at {where}, in the middle of its JSON.",)


def test_a_message_in_which_the_file_breaks_off_does_not_become_an_answer():
    reply = {"role": "assistant", "content": "Let me look.", "tool_calls": [{"id": "1"}]}
    data = json.dumps([user("a"), reply])
    trace = load(data[: data.index('"tool_calls"') + 16].encode())
    assert texts(trace) == ["a"]


def test_json_that_is_wrong_in_the_middle_says_the_place_in_characters_of_that_line():
    data = '[{"role": "user", "content": "a"},\n {"role": "user" "content": "é"}]'.encode()
    trace = load(data)
    assert texts(trace) == ["a"]
    assert trace.origin.notices[0].startswith("The JSON is broken at line 2, column 18")


@pytest.mark.parametrize("file", sorted(set(FILES) - {"inspect.eval"}))
def test_nine_tenths_of_each_example_are_readable_up_to_there(file):
    whole = example(file)
    trace = load(whole[: len(whole) * 9 // 10])
    complete = load(whole)
    kept = len(trace.messages)
    assert 0 < kept <= len(complete.messages)
    assert [m.role for m in trace.messages] == [m.role for m in complete.messages][:kept]
    assert trace.origin.notices


def test_a_line_that_is_not_json_is_left_out_and_named():
    good = [json.dumps(user("a")), json.dumps(assistant("b"))]
    trace = load("\n".join([good[0], '{"role": "us', good[1]]).encode())
    assert texts(trace) == ["a", "b"]
    assert trace.origin.notices == ("Line 2 is not JSON and was left out.",)


def test_a_session_that_breaks_off_in_its_second_line_gives_the_first():
    line = {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "message": user("a")}
    assert texts(load(json.dumps(line).encode() + b'\n{"type": "assist')) == ["a"]


def test_our_own_file_gives_the_steps_before_its_fault():
    whole = example("loopscope.json")
    trace = load(whole[: len(whole) // 2])
    complete = load(whole)
    assert 0 < len(trace.steps) < len(complete.steps)
    assert trace.steps == complete.steps[: len(trace.steps)]
    assert "breaks off" in trace.origin.notices[-1]


def test_a_newer_version_of_our_own_file_is_refused_with_the_way_out():
    data = json.dumps({"format": "loopscope", "version": 99, "trace": {}}).encode()
    assert "Open it with the Loopscope that wrote it" in told(data)


# --- encodings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_json_in_any_unicode_encoding_is_read(encoding):
    assert texts(load(json.dumps([user("né")], ensure_ascii=False).encode(encoding))) == ["né"]


def test_a_text_that_is_not_utf_8_is_read_as_windows_1252_and_says_so():
    trace = load("Question: Müsli?\nFinal Answer: ja\n".encode("cp1252"))
    assert trace.messages[0].content == "Müsli?"
    assert "not UTF-8" in trace.origin.notices[0]


def test_half_of_a_surrogate_pair_becomes_the_replacement_character():
    assert texts(load(b'[{"role": "user", "content": "cut \\ud83d"}]')) == ["cut �"]


def test_a_whole_pair_beside_the_half_one_is_kept():
    assert texts(load(b'[{"role": "user", "content": "\\ud83d\\ude00 \\\\ud83d \\udc00"}]')) == [
        "😀 \\ud83d �"
    ]


# --- what is no run


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not a text file"),
        (b"Dear all, see you tomorrow.", "No known format"),
        (b"null", "No known format"),
        (b"[1, 2]", "No known format"),
        (b'{"messages": []}', "No known format"),
        (b"PK\x03\x04 no zip", "zip is damaged"),
        (b"\xff\xfe\x00\xd8", "UTF-16"),
    ],
)
def test_what_is_no_run_is_told_in_a_sentence(data, word):
    assert word in told(data)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_deep_nesting_is_told(opening):
    assert "nested too deeply" in told(opening * 100_000)


def test_a_cycle_of_parents_loses_no_message():
    def line(uuid, parent):
        return {"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": user(uuid)}

    data = "\n".join(json.dumps(line(*pair)) for pair in ("ab", "ba", "cb")).encode()
    assert texts(load(data)) == ["a", "b", "c"]


def test_parents_of_spans_that_form_a_cycle_end():
    def span(name, parent):
        attributes = [
            {"key": "openinference.span.kind", "value": {"stringValue": "LLM"}},
            {"key": "llm.input_messages.0.message.role", "value": {"stringValue": "user"}},
            {"key": "llm.input_messages.0.message.content", "value": {"stringValue": name}},
        ]
        return {"traceId": "t", "spanId": name, "parentSpanId": parent, "attributes": attributes}

    spans = [span("a", "b"), span("b", "a"), span("c", "")]
    data = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()
    assert [texts(trace) for trace in load_all(data)] == [["c"]]


def test_numbers_that_are_none_do_not_become_counts():
    data = b'{"messages": [{"role": "user", "content": "a"}], "choices": [{"message": {"content": "b"}}], '
    data += b'"usage": {"prompt_tokens": NaN, "completion_tokens": 1e999}}'
    (call,) = load(data).calls
    assert (call.usage.input_tokens, call.usage.output_tokens) == (None, None)


# --- zips


def zipped(members, method):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def test_a_zip_bomb_is_told_before_it_unpacks():
    bomb = zipped({"samples/1.json": b" " * (200 * 2**20)}, zipfile.ZIP_DEFLATED)
    assert len(bomb) < 2**20
    assert "unpacks to more than" in told(bomb)


def test_a_zip_of_something_else_is_told():
    assert "no samples" in told(zipped({"word/document.xml": "<a/>"}, zipfile.ZIP_DEFLATED))


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_zip_that_breaks_off_is_told(share):
    whole = example("inspect.eval")
    assert "damaged" in told(whole[: int(len(whole) * share)])


def test_a_sample_that_is_not_json_does_not_keep_the_others():
    sample = json.dumps({"id": 1, "messages": [user("a")]})
    trace = load(zipped({"samples/1.json": "{", "samples/2.json": sample}, zipfile.ZIP_DEFLATED))
    assert texts(trace) == ["a"]
    assert "samples/1.json" in trace.origin.notices[0]


def test_a_damaged_sample_does_not_keep_the_others():
    samples = {f"samples/{text}.json": json.dumps({"messages": [user(text)]}) for text in ("broken", "whole")}
    data = zipped(samples, zipfile.ZIP_STORED).replace(b'"broken"', b'"BROKEN"', 1)  # its checksum is another
    trace = load(data)
    assert texts(trace) == ["whole"]
    assert "samples/broken.json is damaged" in trace.origin.notices[0]


# --- size


def seconds(data):
    """Of the processor: what a busy machine does in between does not count."""
    start = time.thread_time()
    load_all(data)
    return time.thread_time() - start


def long_conversation(turns, characters):
    messages = [user("q")]
    for number in range(turns):
        function = {"name": "f", "arguments": json.dumps({"n": number})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "x\n" * (characters // 2)})
    return messages


def test_ten_megabytes_with_hundreds_of_calls_take_less_than_two_seconds():
    data = json.dumps(long_conversation(500, 14_000)).encode()
    assert len(data) > 10e6
    assert seconds(data) < 2


def test_ten_megabytes_of_a_session_take_less_than_two_seconds():
    lines, parent = [], None
    for number in range(1000):
        block = {"type": "tool_use", "id": f"t{number}", "name": "f", "input": {"x": "y" * 5000}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "z" * 5000}
        for role, content in (("assistant", block), ("user", result)):
            uuid = f"{role}{number}"
            message = {"role": role, "content": [content]}
            line = {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message}
            lines.append(json.dumps(line))
            parent = uuid
    data = "\n".join(lines).encode()
    assert len(data) > 10e6
    assert seconds(data) < 2


def test_what_no_run_has_is_cut_and_noted():
    data = json.dumps([user("a")] * (MOST_MESSAGES + 7)).encode()
    trace = load(data)
    assert len(trace.messages) == MOST_MESSAGES
    assert trace.origin.notices == ("Of 5,007 messages the first 5,000 were read.",)


def test_a_reply_with_thousands_of_calls_is_told():
    call = {"id": "c", "function": {"name": "f", "arguments": "{}"}}
    data = json.dumps([{"role": "assistant", "content": None, "tool_calls": [call] * 2000}]).encode()
    assert "more than 1,000 tool calls" in told(data)


def test_a_file_beyond_the_limit_is_told_at_once():
    assert "at most 32 MB" in told(b" " * (33 * 2**20))


# --- anything at all


def check(data):
    """The file is read or refused; what is said of it are single lines for a person."""
    refusal, traces = "", ()
    try:
        traces = load_all(data)
    except InputError as error:
        refusal = str(error)
    assert bool(refusal.strip()) is not bool(traces)
    sentences = [notice for trace in traces if trace.origin for notice in trace.origin.notices]
    assert not any("\n" in sentence for sentence in [refusal, *sentences])


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=200))
@given_example(b'{"format": "loopscope", "version": 1, "trace": null}')
@given_example(b'{"trajectory": [{"observation": 1, "action": null}], "history": [{"agent": 1}]}')
def test_arbitrary_bytes_raise_nothing_else(data):
    check(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
SEEDS = [(file, example(file)) for file in FILES]


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(SEEDS), st.data())
def test_an_example_with_other_bytes_in_it_raises_nothing_else(seed, data):
    whole = seed[1]
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(start + 40, len(whole))))
    check(whole[:start] + data.draw(st.binary(max_size=6)) + whole[end:])


def places(value, way=()):
    """The ways to all members of a JSON value."""
    yield way
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, member in members:
        yield from places(member, (*way, key))


def replaced(value, way, new):
    if not way:
        return new
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[way[0]] = replaced(value[way[0]], way[1:], new)
    return changed


@settings(deadline=None, max_examples=300)
@given(st.sampled_from([seed for seed in SEEDS if seed[0].endswith((".json", ".traj"))]), st.data())
def test_an_example_with_another_value_in_it_raises_nothing_else(seed, data):
    value = json.loads(seed[1])
    for _ in range(data.draw(st.integers(1, 3))):
        way = data.draw(st.sampled_from(list(places(value))))
        value = replaced(value, way, data.draw(JSON))
    check(json.dumps(value).encode())
