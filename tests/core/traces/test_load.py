"""Every format: recognised by content, and read to the same conversation."""

import json

import pytest

from core.errors import InputError
from core.messages import AssistantMessage, SystemMessage, ToolResultMessage, Usage, UserMessage
from core.trace import StepKind
from core.traces import load, load_all, missing
from core.traces.examples import FILES, example
from core.traces.load import MOST_RUNS, MOST_STEPS

ASKED = "Which city is warmer now, Oslo or Rome?"
ANSWER = "Rome, by 25 degrees."
FORMATS = {
    "openai-chat.json": "OpenAI chat",
    "openai-responses.json": "OpenAI Responses",
    "anthropic.json": "Anthropic",
    "ollama.json": "Ollama",
    "react-paper.txt": "ReAct text",
    "react-langchain.txt": "ReAct text",
    "swe-agent.traj": "SWE-agent",
    "inspect.json": "Inspect",
    "inspect.eval": "Inspect",
    "otel-genai.json": "OpenTelemetry",
    "openinference.json": "OpenTelemetry",
    "langfuse.json": "Langfuse",
    "claude-code.jsonl": "Claude Code",
    "atif.json": "ATIF",
    "loopscope.json": "OpenAI chat",  # what it was exported from
}
PARALLEL = sorted(set(FILES) - {"react-paper.txt", "react-langchain.txt", "swe-agent.traj"})


@pytest.mark.parametrize("file", FILES)
def test_the_format_is_recognised_by_content(file):
    origin = load(example(file)).origin
    assert origin is not None
    assert origin.format == FORMATS[file]


@pytest.mark.parametrize("file", FILES)
def test_each_example_holds_one_imported_run(file):
    (trace,) = load_all(example(file), file)
    assert trace.source == "imported"


@pytest.mark.parametrize("file", FILES)
def test_the_run_begins_with_what_the_user_asked(file):
    trace = load(example(file))
    assert trace.messages[0] == UserMessage(content=ASKED)
    assert trace.steps[0].kind is StepKind.USER_INPUT


@pytest.mark.parametrize("file", sorted(set(FILES) - {"claude-code.jsonl"}))
def test_the_system_prompt_is_no_message_of_the_history(file):
    trace = load(example(file))
    assert trace.system == "Use the tool. Be brief."
    assert not any(isinstance(message, SystemMessage) for message in trace.messages)


@pytest.mark.parametrize("file", PARALLEL)
def test_two_calls_of_one_reply_are_paired_by_id_although_the_results_are_swapped(file):
    trace = load(example(file))
    answered = {
        json.loads(step.tool_call.arguments)["city"]: step.appended.content
        for step in trace.steps
        if step.kind is StepKind.OBSERVATION
    }
    # In the Inspect examples the station in Oslo does not answer.
    oslo = "The station in Oslo did not answer." if file.startswith("inspect") else "5"
    assert answered == {"Oslo": oslo, "Rome": "30"}


@pytest.mark.parametrize("file", PARALLEL)
def test_the_text_beside_the_calls_is_kept(file):
    reply = load(example(file)).calls[0].reply
    assert reply.content == "Checking both."


WITH_THOUGHTS = sorted(set(PARALLEL) - {"openinference.json", "langfuse.json"})


@pytest.mark.parametrize("file", WITH_THOUGHTS)
def test_the_reasoning_is_apart_from_the_text(file):
    assert load(example(file)).calls[0].reply.thinking == "Two cities, so two look-ups."


@pytest.mark.parametrize("file", sorted(set(FILES) - {"swe-agent.traj", "inspect.json", "inspect.eval"}))
def test_the_run_ends_with_the_answer(file):
    trace = load(example(file))
    assert trace.steps[-1].kind is StepKind.ANSWER
    assert trace.steps[-1].text == ANSWER
    assert trace.stop_reason == "answer"


# Input and output of the calls as the files write them; Anthropic's 52 come with 100 from the cache.
USAGE = {
    "openai-responses.json": [(None, None), (152, 9)],
    "anthropic.json": [(None, None), (152, 9)],
    "ollama.json": [(None, None), (152, 9)],
    "inspect.json": [(90, 40), (150, 12)],
    "inspect.eval": [(90, 40), (150, 12)],
    "otel-genai.json": [(90, 40), (152, 9)],
    "openinference.json": [(90, 40), (152, 9)],
    "langfuse.json": [(90, 40), (152, 9)],
    "claude-code.jsonl": [(90, 40), (152, 9)],
    "atif.json": [(90, 40), (152, 9)],
}


@pytest.mark.parametrize("file", USAGE)
def test_usage_is_the_whole_input_of_each_call_counted_once(file):
    usage = [call.usage for call in load(example(file)).calls]
    assert usage == [Usage(input_tokens=told[0], output_tokens=told[1]) for told in USAGE[file]]


@pytest.mark.parametrize("file", FILES)
def test_no_context_is_invented(file):
    assert all(call.segments is None for call in load(example(file)).calls)


WITH_TOOLS = [
    "openai-chat.json",
    "openai-responses.json",
    "anthropic.json",
    "ollama.json",
    "inspect.json",
    "otel-genai.json",
    "openinference.json",
    "atif.json",
]


@pytest.mark.parametrize("file", WITH_TOOLS)
def test_tool_schemas_are_read_in_every_spelling(file):
    (tool,) = load(example(file)).tools
    assert (tool.name, tool.parameters["required"]) == ("temperature", ["city"])


def test_an_agent_that_ran_out_of_budget_stops_without_an_answer():
    trace = load(example("swe-agent.traj"))
    assert (trace.steps[-1].kind, trace.stop_reason) == (StepKind.STOP, "exit_cost")


def test_the_last_observation_of_swe_agent_stands_in_the_trajectory_alone():
    trace = load(example("swe-agent.traj"))
    assert [m.content for m in trace.messages if isinstance(m, ToolResultMessage)] == ["5", "30"]


def test_an_error_of_a_tool_is_the_result_of_its_call():
    trace = load(example("inspect.json"))
    (failed,) = [m for m in trace.messages if isinstance(m, ToolResultMessage) and m.is_error]
    assert failed.content == "The station in Oslo did not answer."


def test_what_the_file_does_not_tell_is_listed():
    assert missing(load(example("claude-code.jsonl"))) == (
        "the system prompt",
        "the tool schemas",
        "the text that each call sent",
        "the size of the window",
        "the alternatives of each token",
    )


def test_nested_brackets_belong_to_the_argument_of_an_action():
    call = load(example("react-paper.txt")).calls[0].reply.tool_calls[0]
    assert (call.name, call.arguments) == ("Temperature", "Oslo [Norway]")


def test_a_thought_before_finish_is_no_part_of_the_answer():
    reply = load(example("react-paper.txt")).calls[-1].reply
    assert reply == AssistantMessage(content=ANSWER, thinking="30 is more than 5.")


def test_a_file_of_prompts_holds_a_run_for_each_question():
    text = "Answer.\n\nQuestion: a\nThought: t\nFinal Answer: 1\nQuestion: b\nAnswer: 2\n"
    first, second = load_all(text.encode())
    assert (first.system, first.steps[-1].text, second.steps[-1].text) == ("Answer.", "1", "2")


def test_load_gives_the_first_of_several_runs():
    text = "Question: a\nFinal Answer: 1\nQuestion: b\nFinal Answer: 2\n"
    assert load(text.encode()).messages[0] == UserMessage(content="a")


def lines(*values):
    return "\n".join(json.dumps(value) for value in values).encode()


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def test_a_line_for_each_conversation_is_a_run_for_each_line():
    data = lines({"messages": [user("a"), assistant("1")]}, {"messages": [user("b"), assistant("2")]})
    assert [trace.messages[0].content for trace in load_all(data)] == ["a", "b"]


def test_requests_that_go_on_with_a_conversation_are_one_run():
    data = lines(
        {"messages": [user("a")], "choices": [{"message": assistant("1")}]},
        {"messages": [user("a"), assistant("1"), user("b")], "choices": [{"message": assistant("2")}]},
        {"messages": [user("another")], "choices": [{"message": assistant("3")}]},
    )
    assert [[m.content for m in trace.messages] for trace in load_all(data)] == [
        ["a", "1", "b", "2"],
        ["another", "3"],
    ]


def test_a_request_without_the_earlier_messages_is_noted():
    data = lines(
        {"messages": [user("a")], "choices": [{"message": assistant("1")}]},
        {"messages": [user("a"), user("b")], "choices": [{"message": assistant("2")}]},
    )
    trace = load(data)
    assert [message.content for message in trace.messages] == ["a", "1", "b", "2"]
    assert trace.origin.notices[0].startswith("Call 2 was not sent the whole conversation")


def test_the_pieces_of_a_streamed_reply_are_joined():
    pieces = [{"message": assistant(text), "done": False} for text in ("Hel", "lo")]
    data = lines(*pieces, {"message": assistant(""), "done": True, "eval_count": 2, "prompt_eval_count": 5})
    (call,) = load(data).calls
    assert (call.reply.content, call.usage) == ("Hello", Usage(input_tokens=5, output_tokens=2))


def test_the_alternatives_of_a_reply_are_read():
    token = {"token": "Hi", "logprob": -0.5, "top_logprobs": [{"token": "Ho", "logprob": -1.5}]}
    choice = {"message": assistant("Hi"), "finish_reason": "stop", "logprobs": {"content": [token]}}
    (call,) = load(json.dumps({"messages": [user("a")], "choices": [choice]}).encode()).calls
    assert call.tokens[0].alternatives[0].text == "Ho"
    assert call.finish_reason == "stop"


def test_the_older_function_call_is_a_call_whose_result_is_paired_by_name():
    data = lines(
        user("q"),
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "r"},
    )
    observation = load(data).steps[-1]
    assert observation.tool_call.name == "f"
    assert observation.appended.tool_call_id == observation.tool_call.id


def test_an_agents_session_of_response_items_is_one_run():
    data = lines(
        {"type": "session_meta", "payload": {"instructions": "Be brief."}},
        {"type": "response_item", "payload": {"type": "message", **user("q")}},
        {
            "type": "response_item",
            "payload": {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        },
        {
            "type": "event_msg",
            "payload": {
                "type": "token_count",
                "info": {"last_token_usage": {"input_tokens": 7, "output_tokens": 3}},
            },
        },
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c", "output": "r"}},
    )
    trace = load(data)
    assert trace.system == "Be brief."
    assert [step.kind.value for step in trace.steps] == [
        "user input",
        "model call",
        "tool call",
        "observation",
    ]
    assert trace.calls[0].usage == Usage(input_tokens=7, output_tokens=3)


def claude(uuid, parent, role, content, **more):
    message = {"role": role, "content": content}
    return {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message} | more


def test_a_rewound_branch_is_left_out_and_noted():
    data = lines(
        claude("1", None, "user", "hello"),
        claude("2", "1", "assistant", [{"type": "text", "text": "hi"}]),
        claude("3", "2", "user", "taken back"),
        claude("4", "3", "assistant", [{"type": "text", "text": "gone"}]),
        claude("5", "2", "user", "instead"),
    )
    trace = load(data)
    assert [message.content for message in trace.messages] == ["hello", "hi", "instead"]
    assert "2 lines of abandoned branches" in trace.origin.notices[0]


def test_a_subagent_is_a_run_of_its_own():
    data = lines(
        claude("1", None, "user", "main"),
        claude("a", None, "user", "look it up", isSidechain=True),
        claude("b", "a", "assistant", [{"type": "text", "text": "found"}], isSidechain=True),
        claude("2", "1", "assistant", [{"type": "text", "text": "done"}]),
    )
    main, side = load_all(data)
    assert [message.content for message in main.messages] == ["main", "done"]
    assert [message.content for message in side.messages] == ["look it up", "found"]


def test_compaction_is_noted():
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "2"}
    data = lines(claude("1", None, "user", "hello"), boundary, claude("3", "2", "user", "summary"))
    assert "compacted" in load(data).origin.notices[0]


def test_spans_that_an_sdk_printed_are_read_like_otlp():
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "q"}]}]),
        "gen_ai.output.messages": json.dumps(
            [{"role": "assistant", "parts": [{"type": "text", "content": "a"}], "finish_reason": "stop"}]
        ),
    }
    span = {"name": "chat", "context": {"trace_id": "t", "span_id": "s"}, "attributes": attributes}
    trace = load(json.dumps(span).encode())
    assert [message.content for message in trace.messages] == ["q", "a"]


def test_a_part_that_is_no_text_leaves_its_kind_and_a_notice():
    data = json.dumps([{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]).encode()
    trace = load(data)
    assert trace.messages[0].content == "[image_url]"
    assert "image_url" in trace.origin.notices[0]


def test_the_name_of_the_file_is_kept_and_says_nothing_about_the_format():
    origin = load(example("anthropic.json"), "run.jsonl").origin
    assert (origin.file, origin.format) == ("run.jsonl", "Anthropic")


@pytest.mark.parametrize(("data", "name"), [("text", ""), (None, ""), (b"[]", 3)])
def test_arguments_of_wrong_types_are_told(data, name):
    with pytest.raises(InputError, match="must be"):
        load(data, name)


def test_an_unknown_example_is_told():
    with pytest.raises(InputError, match="Choose one of"):
        example("../load.py")


def test_more_runs_than_are_shown_are_told():
    data = "\n".join(f"Question: {number}\nFinal Answer: x" for number in range(MOST_RUNS + 3)).encode()
    traces = load_all(data)
    assert len(traces) == MOST_RUNS
    assert "more than 200 runs" in traces[0].origin.notices[-1]


def test_spans_without_a_model_call_say_what_they_are_instead():
    span = {"traceId": "t", "spanId": "s", "name": "GET /weather", "attributes": []}
    data = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
    with pytest.raises(InputError, match=r"No span of this trace is a model call.*GET /weather"):
        load(data)


def test_the_output_of_a_tool_in_the_ai_sdk_is_its_value():
    call = {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}}
    output = {"type": "json", "value": {"a": 1}}
    result = {"type": "tool-result", "toolCallId": "c", "toolName": "f", "output": output}
    sent = [user("q"), {"role": "assistant", "content": [call]}, {"role": "tool", "content": [result]}]
    generation = {"id": "g", "type": "GENERATION", "startTime": "1", "input": sent, "output": "done"}
    trace = load(json.dumps([generation]).encode())
    observation = next(step for step in trace.steps if step.kind is StepKind.OBSERVATION)
    assert (observation.tool_call.id, observation.text) == ("c", '{"a": 1}')


def test_results_that_no_later_call_was_sent_come_from_the_tools_own_observations():
    reply = {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": "f"}}]}
    observations = [
        {"id": "g", "type": "GENERATION", "startTime": "1", "input": [user("q")], "output": reply},
        {"id": "t", "type": "TOOL", "startTime": "2", "name": "f", "output": "found"},
    ]
    trace = load(json.dumps(observations).encode())
    assert trace.steps[-1].text == "found"


def test_messages_of_an_inspect_sample_that_stand_in_its_pool_are_put_together():
    choice = {"message": {"id": "b", **assistant("done")}}
    event = {"event": "model", "input": [], "input_refs": [[0, 1], [2, 3]], "output": {"choices": [choice]}}
    sample = {"id": 1, "epoch": 1, "messages": [], "message_pool": [user("x"), user("no"), user("y")]}
    log = {"eval": {"task": "t"}, "samples": [sample | {"events": [event]}]}
    assert [m.content for m in load(json.dumps(log).encode()).messages] == ["x", "y", "done"]


def test_subagents_embedded_in_a_trajectory_are_runs_of_their_own():
    def trajectory(text, **more):
        return {"agent": {}, "steps": [{"source": "user", "message": text}], **more}

    data = trajectory("outer", schema_version="ATIF-v1.7", subagent_trajectories=[trajectory("inner")])
    assert [trace.messages[0].content for trace in load_all(json.dumps(data).encode())] == ["outer", "inner"]


def test_a_trajectory_without_a_history_is_read_from_its_steps():
    step = {"response": "List.", "action": "ls -a", "observation": "a b", "query": [user("q")]}
    trace = load(json.dumps({"trajectory": [step]}).encode())
    call = trace.calls[0].reply.tool_calls[0]
    assert [message.content for message in trace.messages] == ["q", "List.", "a b"]
    assert (call.name, call.arguments) == ("ls", "-a")


def test_labels_in_bold_are_labels():
    lines = ("Question: q", "**Thought 1:** t", "**Action 1:** Search[x]", "**Observation 1**: o")
    trace = load("\n".join([*lines, "**Final Answer:** a"]).encode())
    assert [message.content for message in trace.messages] == ["q", "t", "o", "a"]


def test_content_that_is_an_object_without_a_type_is_shown_as_json():
    data = json.dumps([{"role": "user", "content": {"city": "Oslo"}}]).encode()
    assert load(data).messages[0].content == '{"city": "Oslo"}'


def test_results_of_tools_that_the_server_ran_come_after_the_reply_that_asked_for_them():
    blocks = [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"type": "web_search_result"}]},
        {"type": "text", "text": "found"},
    ]
    trace = load(json.dumps([user("q"), {"role": "assistant", "content": blocks}]).encode())
    observation = next(step for step in trace.steps if step.kind is StepKind.OBSERVATION)
    assert observation.tool_call.name == "web_search"


@pytest.mark.parametrize("logprob", ["1" + "0" * 400, "NaN", "1e999", '"x"'])
def test_a_logarithm_that_is_none_is_not_known(logprob):
    choice = '{"message": {"content": "a"}, "logprobs": {"content": [{"token": "a", "logprob": LOGPROB}]}}'
    data = f'{{"choices": [{choice}]}}'.replace("LOGPROB", logprob)
    assert load(data.encode()).calls[0].tokens[0].logprob is None


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda messages: messages,
        lambda messages: {"messages": messages, "model": "m"},
        lambda messages: {"traj": messages, "reward": 1.0},
        lambda messages: {"messages": json.dumps(messages)},
        lambda messages: {"custom_id": "1", "body": {"messages": messages}},
        lambda messages: [{"messages": messages}],
        lambda messages: {
            "request": {"messages": messages[:1]},
            "response": {"choices": [{"message": messages[1]}]},
        },
    ],
)
def test_a_conversation_is_found_in_its_wrappers(wrapped):
    trace = load(json.dumps(wrapped([user("q"), assistant("a")])).encode())
    assert [message.content for message in trace.messages] == ["q", "a"]


@pytest.mark.parametrize("as_own", [False, True])
def test_a_run_of_more_steps_than_a_screen_can_show_is_refused_in_a_sentence(as_own):
    calls = [{"id": f"c{number}", "function": {"name": "f", "arguments": ""}} for number in range(1_000)]
    reply = {"role": "assistant", "content": None, "tool_calls": calls}
    data = {"messages": [reply] * (MOST_STEPS // 1_000 + 1)}
    if as_own:
        step = {"kind": "thought", "turn": 1}
        data = {
            "format": "loopscope",
            "version": 1,
            "trace": {"title": "t", "source": "live", "steps": [step] * (MOST_STEPS + 1)},
        }

    with pytest.raises(InputError, match="steps; at most 12,000 are shown"):
        load(json.dumps(data).encode())


def test_prose_with_an_answer_is_no_react_text():
    with pytest.raises(InputError):
        load(b"We asked.\nAnswer: yes", "notes.txt")
