"""Kinds of tools: a specific one and a code tool on the same task, and tools that a server offers by MCP."""

from core.agent.code_tool import RUN_PYTHON
from core.scenarios.calculator import CALCULATE
from core.scenarios.scenario import Scenario, answer, call, calls

POINTS = "My quizzes had 62, 64, 64, 64, 65, 65, 67 and 69 points. What are mean and standard deviation?"
SPREAD = answer("The mean is 65 points and the standard deviation 2.")

CALCULATOR = Scenario(
    slug="calculator",
    title="A specific tool: three calls",
    question=POINTS,
    note="It can do one thing: easy to validate and to restrict. Each step needs the result before it.",
    tools=(CALCULATE,),
    replies=(
        calls(call("call_1", "calculate", expression="(62 + 64 + 64 + 64 + 65 + 65 + 67 + 69) / 8")),
        calls(call("call_2", "calculate", expression="((-3)**2 + 3 * (-1)**2 + 2 * 0**2 + 2**2 + 4**2) / 8")),
        calls(call("call_3", "calculate", expression="4 ** 0.5")),
        SPREAD,
    ),
)

PROGRAM = """\
points = [62, 64, 64, 64, 65, 65, 67, 69]
mean = sum(points) / len(points)
variance = sum((p - mean) ** 2 for p in points) / len(points)
print(f"mean {mean:g}, standard deviation {variance ** 0.5:g}")"""

CODE = Scenario(
    slug="code",
    title="A code tool (CodeAct): one call",
    question=POINTS,
    note="The same JSON call, a program in it: loops, variables. "
    "Any code runs: it needs a sandbox, is hard to restrict.",
    tools=(RUN_PYTHON,),
    replies=(calls(call("call_1", "run_python", code=PROGRAM)), SPREAD),
)

MCP = Scenario(
    slug="mcp",
    title="Tools from an MCP server",
    question="Is there a book by Jurafsky in the library, and until when can I fetch it on Friday?",
    note="The runtime asked a server for its tools. The model sees no difference: its calls are ordinary.",
    tools=(),
    library=True,
    replies=(
        calls(
            call("call_1", "search_catalogue", words="Jurafsky"),
            call("call_2", "opening_hours", day="friday"),
        ),
        answer(
            "Yes: Speech and Language Processing stands on shelf C 2.114, with 2 copies available. On Friday "
            "the library is open until 18:00."
        ),
    ),
)
