"""Write core/scenarios/data/embedded_run.json.gz: one run of the embedded model in the real loop.

    python -m scripts.record_embedded_run

Run it again when the loop, the templates, the tools or the form of a trace change. The model is greedy, so
the text is the same on every run; log-probabilities vary in their last bits from one BLAS to another and are
rounded. Each token keeps the eight that were most probable.
"""

import gzip
import math

from core.agent import record, run
from core.agent.embedded_chat import EmbeddedChat
from core.lm.embedded import embedded
from core.messages.reply import TokenChoice
from core.scenarios.embedded_run import BUNDLED, QUESTION
from core.scenarios.tools import GET_FORECAST, GET_WEATHER
from core.trace import Step, Trace

DESCRIPTION = (
    "A model of 135 million parameters, greedy. A grammar held its first reply to a call of one of the two "
    "tools, and its second one to text; which tool, which city and which words were its own choice."
)


def rounded(token: TokenChoice) -> TokenChoice:
    """The token with its log-probabilities to 4 decimals."""
    logprob = token.logprob
    if logprob is not None and math.isfinite(logprob):
        logprob = round(logprob, 4)
    alternatives = tuple(map(rounded, token.alternatives))
    return token.model_copy(update={"logprob": logprob, "alternatives": alternatives})


def rounded_step(step: Step) -> Step:
    """The step with rounded tokens, if it holds a call of the model."""
    if step.model_call is None or step.model_call.tokens is None:
        return step
    tokens = tuple(map(rounded, step.model_call.tokens))
    return step.model_copy(update={"model_call": step.model_call.model_copy(update={"tokens": tokens})})


def recorded() -> Trace:
    """The run, made now."""
    model = EmbeddedChat(embedded(), "guided", max_tokens=64)
    tools = [GET_WEATHER, GET_FORECAST]
    steps = run(model, QUESTION, tools, counter=model.counter, max_steps=4)
    return record(
        map(rounded_step, steps),
        title="A small model calls a tool",
        source="recorded",
        model=model.name,
        description=DESCRIPTION,
        tools=[tool.schema for tool in tools],
        max_steps=4,
    )


if __name__ == "__main__":
    text = recorded().model_dump_json()
    BUNDLED.parent.mkdir(exist_ok=True)
    BUNDLED.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{BUNDLED}: {BUNDLED.stat().st_size:,} bytes")
