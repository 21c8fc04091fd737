"""Prompt-ToolLoop, line by line, with the numbers that the steps of a run refer to."""

from core.values import Value


class CodeLine(Value):
    """A numbered line of pseudocode; `indent` counts levels."""

    number: int
    text: str
    indent: int = 0
    comment: str = ""


PROMPT_TOOL_LOOP: tuple[CodeLine, ...] = (
    CodeLine(number=1, text="context.append(user_input)"),
    CodeLine(number=2, text="for step = 1 … MAX_STEPS do"),
    CodeLine(number=3, indent=1, text="response ← LLM(context)"),
    CodeLine(number=4, indent=1, text="context.append(response)"),
    CodeLine(
        number=5,
        indent=1,
        text="if response.tool_calls = ∅ then return response.text",
        comment="a text-only turn is the answer",
    ),
    CodeLine(number=6, indent=1, text="for each call ∈ response.tool_calls do"),
    CodeLine(number=7, indent=2, text='try result ← execute(call) catch e: result ← "ERROR: " + message(e)'),
    CodeLine(
        number=8,
        indent=2,
        text="context.append(tool_result(call.id, result))",
        comment="the result carries the id of its call",
    ),
    CodeLine(number=9, text='return "stopped: step budget exhausted"'),
)
