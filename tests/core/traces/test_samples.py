"""Public files of other people's runs, where they lie beside the repository.

The numbers were counted in the files themselves, by a script of its own that reads raw JSON:

* messages: items of the list whose role is not `system`; for Claude Code, prompts, distinct `message.id` of
  replies, and `tool_result` blocks; for ATIF, steps, and results that have content or a call; for ReAct text,
  lines that begin with `Question:`, `Claim:`, `Action n:`, `Observation n:` or `Answer:`
* replies: messages of the assistant; for ReAct text, actions and answers
* calls: items of `tool_calls`, blocks `tool_use`, SWE-agent's `action`s, ReAct's actions without `Finish`
* pairs: results whose id is that of an earlier call without a result
* tokens: the sums of all usages, that of Claude Code once for each `message.id`, caches included
"""

from pathlib import Path

import pytest

from core.agent import states
from core.context import run_budget
from core.figures.budget_view import budget_view
from core.figures.loop_view import loop_view
from core.trace import StepKind
from core.traces import FORMATS, dump, load, load_all

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "traces"

# file: format, runs, messages, replies, calls, pairs, tokens in, tokens out
COUNTED = {
    "anthropic/tool-no-args.json": ("Anthropic", 1, 1, 1, 1, 0, 602, 93),
    "atif/harbor_terminus2_summarization.json": ("ATIF", 1, 17, 7, 7, 7, 6502, 690),
    "atif/parallel_tools_mixed_results.json": ("ATIF", 1, 6, 2, 3, 3, 1200, 105),
    "atif/simple_trajectory.json": ("ATIF", 1, 4, 2, 1, 1, 1120, 124),
    "claude-code/compaction_session.jsonl": ("Claude Code", 1, 5, 2, 0, 0, 180, 40),
    "claude-code/representative_messages.jsonl": ("Claude Code", 1, 11, 5, 2, 2, 218, 445),
    "claude-code/sample-project.jsonl": ("Claude Code", 1, 21, 7, 12, 12, 116010, 953),
    "claude-code/simple_conversation.jsonl": ("Claude Code", 1, 4, 2, 0, 0, 250, 50),
    "claude-code/tool_call_conversation.jsonl": ("Claude Code", 1, 4, 2, 1, 1, 600, 90),
    "inspect/browser.json": ("Inspect", 1, 10, 5, 4, 4, 15235, 281),
    "inspect/log_message_deduplication.eval": ("Inspect", 1, 12, 6, 5, 5, 0, 0),
    "inspect/log_tool_call_error.json": ("Inspect", 1, 11, 0, 0, 0, 0, 0),
    "langfuse/langfuse-1.json": ("Langfuse", 1, 3, 2, 0, 0, 1115, 101),
    "openai-chat/tau_airline.json": ("OpenAI chat", 1, 41, 20, 12, 12, 0, 0),
    "openai-responses/lmstudio-tool-call.json": ("OpenAI Responses", 1, 1, 1, 1, 0, 1189, 11),
    "openai-responses/parallel-tool-calls.json": ("OpenAI Responses", 1, 1, 1, 1, 0, 34, 28),
    "otel/openinference-3.json": ("OpenTelemetry", 1, 2, 1, 0, 0, 629, 19),
    "react-text/fever.json": ("ReAct text", 12, 44, 22, 10, 10, 0, 0),
    "react-text/prompts_naive.json": ("ReAct text", 51, 208, 104, 53, 53, 0, 0),
    "swe-agent/function_calling_simple.traj": ("SWE-agent", 1, 11, 5, 5, 5, 0, 0),
    "swe-agent/marshmallow-default.traj": ("SWE-agent", 1, 29, 14, 14, 14, 0, 0),
    "swe-agent/marshmallow-function-calling.traj": ("SWE-agent", 1, 23, 11, 11, 11, 0, 0),
}
# Where the folder is absent there are no cases; a file that was added since only has to open.
FOUND = (
    sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.*")) if SAMPLES.is_dir() else []
)


def counts(name):
    traces = load_all(SAMPLES.joinpath(name).read_bytes(), name)
    steps = [step for trace in traces for step in trace.steps]
    usages = [call.usage for trace in traces for call in trace.calls]
    return (
        traces[0].origin.format,
        len(traces),
        sum(len(trace.messages) for trace in traces),
        len(usages),
        sum(step.kind is StepKind.TOOL_CALL for step in steps),
        sum(step.kind is StepKind.OBSERVATION and step.tool_call is not None for step in steps),
        sum(usage.input_tokens or 0 for usage in usages),
        sum(usage.output_tokens or 0 for usage in usages),
    )


if FOUND:  # not `skipif`: where there are no files, nothing is left out

    @pytest.mark.parametrize("name", [name for name in FOUND if name in COUNTED])
    def test_the_counts_are_those_of_the_file(name):
        assert counts(name) == COUNTED[name]

    @pytest.mark.parametrize("name", FOUND)
    def test_every_sample_has_what_the_screens_need(name):
        for trace in load_all(SAMPLES.joinpath(name).read_bytes(), name)[:3]:
            assert len(loop_view(trace).frames) == len(states(trace)) == len(trace.steps) > 0
            assert len(budget_view(trace, run_budget(trace), None).calls) == len(trace.calls)

    @pytest.mark.parametrize("name", FOUND)
    def test_every_sample_is_exported_and_our_own_file_gives_it_back(name):
        trace = load(SAMPLES.joinpath(name).read_bytes(), name)
        assert load(dump(trace, "loopscope")) == trace
        assert all(dump(trace, form) for form in FORMATS)
