"""What changed in each step of a run, in a sentence or two."""

import re
from collections.abc import Iterator
from itertools import islice

from core.agent import PROMPT_TOOL_LOOP, Finish, parse_react
from core.agent.guards import EXHAUSTED
from core.agent.validation import CHECKS
from core.figures.loop_ladder import is_policy
from core.figures.loop_sent import total_of
from core.figures.loop_timeline import counted
from core.messages.types import AssistantMessage, SystemMessage, ToolResultMessage, UserMessage
from core.trace import ModelCall, Step, StepKind, Trace

FINISH = re.compile(r"\bfinish\s*\[", re.IGNORECASE)


def change_at(trace: Trace, index: int) -> str:
    """Return what changed in the step with this index."""
    step = trace.steps[index]
    reply = "The reply is appended to the context. " if isinstance(step.appended, AssistantMessage) else ""
    match step.kind:
        case StepKind.USER_INPUT:
            if isinstance(step.appended, SystemMessage):
                return (
                    "A system message in mid-run is appended to the context, where it stands: instructions "
                    "of the runtime, not a question. Some templates and servers refuse one that is not the "
                    "first."
                )
            return (
                "The user's message calls Prompt-ToolLoop once and is appended to the context, which is made "
                "once and kept: the session."
            )
        case StepKind.MODEL_CALL:
            return _model_called(step.model_call)
        case StepKind.THOUGHT:
            return (
                f"{reply}A thought acts on nothing and returns no observation: that it stands in the context "
                "is all it does."
            )
        case StepKind.TOOL_CALL:
            return f"{reply}The loop takes up a call. It is a request only: no tool has run for it yet."
        case StepKind.VALIDATION:
            return _validated(trace, index)
        case StepKind.EXECUTION:
            if step.text.startswith("ERROR: "):
                return "The tool raised an error. The loop catches it: it becomes the result of the call."
            return "The tool has run. Its result is not in the context yet."
        case StepKind.OBSERVATION:
            return _observed(step)
        case StepKind.GUARD if step.guard == "goal test":
            return f"{reply}The runtime tests whether the goal is reached. {step.text or 'It is.'}"
        case StepKind.GUARD:
            return f"A guard fires: {step.guard or 'not in this trace'}. {step.text}".strip()
        case StepKind.ANSWER:
            return f"{reply}{_ended(trace, index)}"
        case StepKind.STOP:
            if step.line == PROMPT_TOOL_LOOP[-1].number:
                return f"The step budget is spent: the loop ends without an answer. {_fallback(step)}".strip()
            return f"The run stops. {step.text}".strip()


def _ended(trace: Trace, index: int) -> str:
    """Return how an answer ends the run: by its form, by an action, or because the goal is reached."""
    if trace.steps[index - 1].guard == "goal test":
        return "The goal is reached: its text is the answer and the loop ends."
    written = next((call.reply.content for call in _calls_before(trace, index)), "")
    if any(isinstance(item, Finish) for item in parse_react(written)) and FINISH.search(written):
        return "finish[answer] is an action, which acts on nothing but the run: it ends it."
    if any(step.model_call is not None for step in trace.steps[index + 1 :]):
        return "It asks for no tool, so its text is the answer. The next message begins the loop anew."
    cut = any(call.finish_reason == "length" for call in islice(_calls_before(trace, index), 1))
    text = "Its text, cut off at the most that a reply may have," if cut else "Its text"
    return f"It asks for no tool: the model has decided to stop. {text} is the answer and the loop ends."


def _calls_before(trace: Trace, index: int) -> Iterator[ModelCall]:
    """Yield the model calls before a step, the latest first."""
    return (step.model_call for step in reversed(trace.steps[:index]) if step.model_call is not None)


def _fallback(step: Step) -> str:
    """Return what is said in place of an answer, if that is more than that there is none."""
    return f"What is said instead: “{step.text}”" if step.text not in ("", EXHAUSTED) else ""


def _model_called(call: ModelCall | None) -> str:
    if call is None:
        return "The model is called with the whole context."
    if call.failure:
        came = "after a part of the reply" if call.reply.content or call.reply.thinking else "without a reply"
        return f"The whole context is sent, and the call breaks off {came}. {call.failure}"
    has_text = bool(call.reply.content or call.reply.thinking)
    calls = len(call.reply.tool_calls)
    reply = " and ".join(["text"] * has_text + [counted(calls, "tool call")] * bool(calls)) or "nothing"
    total = total_of(call.segments)
    sent = f": {total:,} tokens" if total is not None else ""
    return f"The whole context is sent{sent}. The model replies with {reply}."


def _validated(trace: Trace, index: int) -> str:
    step, upcoming = trace.steps[index], trace.steps[index + 1 : index + 2]
    verdict = step.validation
    if verdict is None:
        return "The call is checked; how it went is not in this trace."
    if step.tool_call is None:
        return (
            "The reply is appended to the context, but it is not in the format: there is nothing to execute."
        )
    if is_policy(verdict):
        if verdict.ok:
            return "The policy permits the call. That it is well-formed would not be enough."
        return "The call is well-formed, but the policy does not permit it: the tool does not run."
    if verdict.ok and any(is_policy(other.validation) for other in upcoming):
        return "The call passes all three checks: it is well-formed. Whether it is permitted is decided next."
    if verdict.ok:
        return "The call passes all three checks, so the tool may run."
    if verdict.stage not in CHECKS:
        return "The call is refused before the first check."
    return f"The call fails at the check “{CHECKS[verdict.stage]}”, so the tool does not run."


def _observed(step: Step) -> str:
    result = step.appended
    if isinstance(result, UserMessage):
        return "What is wrong with the reply is appended in place of an observation. The model can read it."
    if not isinstance(result, ToolResultMessage):
        return "The result of the call comes back."
    what = "The error is appended as the result" if result.is_error else "The result is appended"
    end = " The model can read it and repair the call." if result.is_error else ""
    return f"{what}, with the id of its call: {result.tool_call_id}.{end}"
