"""How long a run of many calls takes to appear on the context screen, and to be supposed otherwise.

    python benchmarks/context.py [calls]

Only ratios of one run of this script are worth comparing: each step is told in seconds of processor time and
as a multiple of encoding all text of the run once, which is the least that counting it can cost.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

from core.context import Strategy, Supposition, TokenCounter, run_budget
from core.context.prefix_cache import Server, cached_calls
from core.context.recount import recounted
from core.context.what_if import Replay
from core.figures.budget_view import budget_view
from core.figures.loop_view import loop_view
from core.lm import load_tokenizer
from core.traces import load

CALLS = 500
WORDS = ("the", "file", "lists", "errors", "in", "module", "while", "reading", "line", "of", "input")
SUPPOSED = {
    "a clock at the head": Supposition.of(clock="head"),
    "as Ollama does": Supposition.of(window=32_768, strategy=Strategy.OLLAMA),
    "drop whole pairs": Supposition.of(window=32_768, strategy=Strategy.BLOCKS),
    "compact": Supposition.of(window=32_768, strategy=Strategy.COMPACT),
    "elide results": Supposition.of(window=32_768, strategy=Strategy.ELIDE),
}

Made = TypeVar("Made")


def file_of(calls: int) -> bytes:
    """A run of so many calls, each with a result of about 600 characters, as a file of the chat protocol."""
    random.seed(1)

    def said(words: int) -> str:
        return " ".join(random.choices(WORDS, k=words))

    messages = [{"role": "system", "content": said(250)}, {"role": "user", "content": said(30)}]
    for number in range(calls - 1):
        function = {"name": "read", "arguments": json.dumps({"path": said(4)})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": said(12), "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": said(100)})
    messages.append({"role": "assistant", "content": "Done."})
    return json.dumps({"messages": messages}).encode()


def timed(name: str, unit: float, make: Callable[[], Made]) -> Made:
    """Do it, and print what it took, in seconds and in units."""
    start = time.process_time()
    made = make()
    took = time.process_time() - start
    print(f"{name:24} {took:6.2f} s {took / unit:6.1f} x")
    return made


def main() -> None:
    """Print one line for each step of the way from the file to the screen."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    data, tokenizer = file_of(calls), load_tokenizer()
    text = "".join(message.content for message in load(data).messages)
    tokenizer.encode(text[:1000], special=False)
    start = time.process_time()
    tokenizer.encode(text, special=False)
    unit = time.process_time() - start
    print(f"{calls:,} calls, {len(data) / 1e6:.1f} MB; all text encoded once: {unit:.2f} s")
    counter = TokenCounter(tokenizer, is_the_models=False)
    trace = timed("read the file", unit, lambda: load(data))
    counted = timed("count it", unit, lambda: recounted(trace, counter))
    timed("the loop's screen", unit, lambda: loop_view(counted).model_dump())
    budget = timed("the budget", unit, lambda: run_budget(counted))
    timed("the context screen", unit, lambda: budget_view(counted, budget, None).model_dump())
    timed("the prompt cache", unit, lambda: cached_calls(counted.calls, Server()))
    replay = timed("write it for what-ifs", unit, lambda: Replay(counted, counter))
    for name, supposition in SUPPOSED.items():
        made = timed(name, unit, lambda asked=supposition: replay.suppose(asked))
        view = budget_view(counted, made.budget, supposition.window, made).model_dump()
        print(f"{'':24} {len(json.dumps(view)) / 1e6:6.2f} MB for the browser")


if __name__ == "__main__":
    main()
