"""The code of the screens of loop, messages and context comes to the numbers of core."""

import pytest

from core.agent import validate_call
from core.agent.pasted import read_call
from core.context import TokenCounter
from core.errors import InputError
from core.lab import context
from core.lab.compare import compare_lab
from core.lab.context import context_lab
from core.lab.messages import messages_lab
from core.lab.react import react_lab
from core.lab.tools import tools_lab
from core.lm import load_tokenizer
from core.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)
from core.messages.templates import TemplateRefusal
from core.scenarios import SCENARIOS, trace
from core.teaching.tool_bench import BENCH, EXAMPLES
from core.trace import ModelCall, Step, StepKind, Trace, Validation
from core.traces import load_all
from core.traces.examples import FILES, example
from tests.core.lab.running import ran, ran_notebook

TOOLS = [bench.tool.schema for bench in BENCH.values()]
COUNTED = ("berlin", "arrival", "assembled", "bad-json")
ASK = AssistantMessage(
    tool_calls=(ToolCall(id="a", name="f", arguments="{}"), ToolCall(id="b", name="f", arguments="{}"))
)
RESULT_A, RESULT_B = (ToolResultMessage(tool_call_id=id_, content=f"of {id_}") for id_ in "ab")
ANSWER = AssistantMessage(content="Done.")


@pytest.fixture(scope="module")
def counted():
    counter = TokenCounter(load_tokenizer())
    return {slug: trace(slug, counter) for slug in COUNTED}


def imported(*messages) -> Trace:
    steps = tuple(Step(kind=StepKind.OBSERVATION, turn=1, appended=message) for message in messages)
    return Trace(title="a file", source="imported", steps=steps)


@pytest.mark.parametrize("slug", [scenario.slug for scenario in SCENARIOS if not scenario.library])
def test_the_loop_of_the_notebook_appends_the_messages_of_every_bundled_run(slug):
    made = react_lab(trace(slug))
    ran(made.snippet)
    assert len(made.snippet.splitlines()) < 250
    ran_notebook(made)


def test_the_snippet_runs_the_loop_to_the_same_answer():
    names, _ = ran(react_lab(trace("repair")).snippet)
    assert names["answer"] == trace("repair").messages[-1].content


def test_results_that_came_in_another_order_stand_in_that_of_their_calls():
    made = react_lab(imported(UserMessage(content="Go."), ASK, RESULT_B, RESULT_A, ANSWER))
    names, _ = ran(made.snippet)
    assert [message["content"] for message in names["context"] if message["role"] == "tool"] == [
        "of a",
        "of b",
    ]
    ran_notebook(made)


@pytest.mark.parametrize(
    "messages",
    [
        (UserMessage(content="Go."), ASK, RESULT_A),
        (UserMessage(content="Go."), ASK, RESULT_A, RESULT_B, ANSWER, ANSWER),
        (ANSWER,),
        (),
    ],
    ids=["a call without its result", "two answers", "no question", "nothing"],
)
def test_what_no_loop_has_appended_has_no_code(messages):
    with pytest.raises(InputError, match="not one loop"):
        react_lab(imported(*messages))


@pytest.mark.parametrize("file", FILES)
def test_bundled_files_are_one_loop(file):
    for run in load_all(example(file), file):
        ran_notebook(react_lab(run))


@pytest.mark.parametrize(
    "pair", [("act", "react"), ("dense", "sparse"), ("berlin", "berlin"), ("injection", "injection-obeyed")]
)
def test_the_rows_of_the_comparison_are_those_of_the_screen(pair):
    made = compare_lab(*map(trace, pair))
    ran(made.snippet)
    ran_notebook(made)


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("broken", EXAMPLES, ids=lambda broken: broken.title)
def test_the_short_checker_comes_to_the_verdict_of_the_runtime(broken, repair):
    pasted = read_call(broken.text, broken.tool)
    if pasted.refused:
        with pytest.raises(InputError, match="cut off"):
            tools_lab(pasted.call, TOOLS, Validation(ok=False, message=pasted.refused), repair)
        return
    verdict = validate_call(pasted.call, TOOLS, repair=repair)
    ran_notebook(tools_lab(pasted.call, TOOLS, verdict, repair))


def test_a_schema_with_other_keywords_is_not_checked_shortly():
    schema = ToolSchema(name="f", parameters={"type": "object", "properties": {"a": {"pattern": "x"}}})
    call = ToolCall(id="a", name="f", arguments="{}")
    with pytest.raises(InputError, match="pattern"):
        tools_lab(call, [schema], Validation(ok=True), repair=False)


@pytest.mark.parametrize("slug", COUNTED)
def test_chatml_by_hand_is_the_text_of_the_screen(slug, counted):
    run = counted[slug]
    messages = [SystemMessage(content=run.system), *run.messages]
    made = messages_lab(messages, run.tools, "chatml", load_tokenizer())
    ran(made.snippet)
    ran_notebook(made)


def test_the_pairing_is_checked_by_hand_where_it_is_broken():
    messages = [UserMessage(content="Go."), ASK, RESULT_A, RESULT_A, ANSWER]
    made = messages_lab(messages, (), "chatml", load_tokenizer())
    names = ran_notebook(made)
    assert names["screen_faults"] == [1, 3]  # call b has no result; the second result of a has no open call


def test_of_another_template_there_is_the_text():
    messages = [SystemMessage(content="Be brief."), UserMessage(content="Hello")]
    ran_notebook(messages_lab(messages, (), "llama3.1", load_tokenizer()))


def test_what_a_template_refuses_has_no_code():
    with pytest.raises(TemplateRefusal):
        messages_lab([UserMessage(content="a"), UserMessage(content="b")], (), "mistral", load_tokenizer())


@pytest.mark.parametrize("slug", COUNTED)
def test_the_budget_of_the_notebook_is_that_of_the_screen(slug, counted):
    made = context_lab(slug, counted[slug].calls, 8192)
    ran(made.snippet)
    ran_notebook(made)


def test_of_a_very_long_run_the_notebook_has_the_tokens_of_the_first_calls(counted, monkeypatch):
    monkeypatch.setattr(context, "MOST_TOKENS", 250)
    names = ran_notebook(context_lab("berlin", counted["berlin"].calls, 8192))
    assert (len(names["lengths"]), len(names["total"])) == (1, 2)


@pytest.mark.parametrize("calls", [(), (ModelCall(reply=ANSWER),)], ids=["no call", "unknown tokens"])
def test_where_nothing_is_counted_there_is_no_code(calls):
    with pytest.raises(InputError, match="not known"):
        context_lab("a file", calls, None)
