"""Two axes of a tool call, format and kind: one task in all four corners, each read and really run."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from core.agent.code_tool import RUN_PYTHON
from core.agent.execution import Executor
from core.agent.pasted import read_call
from core.agent.react_format import TEXT
from core.messages import AssistantMessage, ToolCall, to_wire
from core.scenarios.calculator import CALCULATE

TASK = "What is the sum of the first ten squares?"
FORMATS = ("native JSON", "prompt-based")
KINDS = ("specific tool", "code tool")
EXPRESSION = " + ".join(f"{n}**2" for n in range(1, 11))
PROGRAM = "total = 0\nfor n in range(1, 11):\n    total += n * n\nprint(total)"
TOOLS = (CALCULATE, RUN_PYTHON)

_FENCED = re.compile(r"```(?:py|python)\s*\n(.*?)\n```", re.DOTALL)


@dataclass(frozen=True)
class Corner:
    """What a model writes, how the runtime reads it, the call that it reads, and what came of it."""

    format: str
    kind: str
    whose: str
    written: str
    reading: str
    call: str
    result: str


def corners() -> tuple[Corner, ...]:
    """The four corners, row by row: format by format, and in each the specific tool first."""
    specific = ToolCall(id="call_1", name=CALCULATE.name, arguments=json.dumps({"expression": EXPRESSION}))
    general = ToolCall(id="call_1", name=RUN_PYTHON.name, arguments=json.dumps({"code": PROGRAM}))
    labelled = f"Thought: I add them up.\nAction: {specific.name}\nAction Input: {specific.arguments}"
    fenced = f"Thought: I add them up.\n```python\n{PROGRAM}\n```"
    parsed = "parsed out of the text"
    return (
        _corner(0, 0, "in this lecture", _native(specific), "a field of the response", _read_native),
        _corner(0, 1, "CodeAct as a tool", _native(general), "a field of the response", _read_native),
        _corner(1, 0, "ReAct as text", labelled, parsed, _read_labelled),
        _corner(1, 1, "smolagents", fenced, parsed, read_fenced),
    )


def read_fenced(text: str) -> ToolCall:
    """The call of the code tool that a text with a program in a Python fence stands for.

    As smolagents reads it (`parse_code_blobs` in its `utils.py`): the programs of all fences, one below the
    other. The text has to have one.
    """
    program = "\n\n".join(block.strip() for block in _FENCED.findall(text))
    return ToolCall(id="call_1", name=RUN_PYTHON.name, arguments=json.dumps({"code": program}))


def _read_native(text: str) -> ToolCall:
    return read_call(text, RUN_PYTHON.name).call


def _read_labelled(text: str) -> ToolCall:
    (call,) = TEXT.read(AssistantMessage(content=text), [tool.schema for tool in TOOLS]).message.tool_calls
    return call.model_copy(update={"id": "call_1"})


def _native(call: ToolCall) -> str:
    (message,) = to_wire([AssistantMessage(tool_calls=(call,))], [], "openai-chat")["messages"]
    return json.dumps(message["tool_calls"][0], indent=1)


def _corner(
    format_: int, kind: int, whose: str, written: str, reading: str, read: Callable[[str], ToolCall]
) -> Corner:
    call = read(written)
    *_, last = Executor(TOOLS).steps((call,), 1)
    return Corner(
        format=FORMATS[format_],
        kind=KINDS[kind],
        whose=whose,
        written=written,
        reading=reading,
        call=f"{call.name}({call.arguments})",
        result=last.text,
    )
