"""The third objective: function calling, tool schemas, and how the model requests a tool."""

from core.lm import load_examples
from core.teaching.lessons import drawing, reading, running
from core.teaching.lessons.step import Address, Choice, Lesson, LessonStep, Number
from core.teaching.tool_bench import BENCH

WITH_TOOL = load_examples()[4].text
WITHOUT_TOOL = WITH_TOOL[WITH_TOOL.index("<|im_start|>user") :]
CHECKS = (*running.CHECKS.values(), running.RUNS)
PYTHON = "{'city': 'Berlin'}"
GENERAL = reading.plot_of("general").rows[0]
OF_A_FRIEND = '{"email": "ben@example.com", "reason": "A friend."}'


def _city(address: Address) -> str:
    return "yes" if drawing.says_the_fact(address) else "no"


CALLING = Lesson(
    title="Function calling",
    objective="Explain tool schemas, and how the model requests a tool.",
    steps=(
        LessonStep(
            screen="tools",
            address={"tool": "get_weather"},
            look="A tool is text to the model. At the left the schema, at the right what is sent of it.",
            ask="get_forecast has a unit more, an enum. What does it add to every call?",
            question=Number(running.schema_cost, tolerance=20, unit="tokens"),
            then={"tool": "get_forecast"},
            why="Name, description and arguments are in every call: the model knows no tool of itself.",
        ),
        LessonStep(
            screen="sampling",
            address={"prompt": WITHOUT_TOOL, "T": "1"},
            look="The model writes a call of a tool that it was never told of: it guesses the argument.",
            ask="The tool is put into the context. How probable is “city” then?",
            question=Number(drawing.percent_of_first, tolerance=10, unit="%", digits=1),
            then={"prompt": WITH_TOOL},
            why="Nothing forces the name. What stands in the context makes it probable.",
        ),
        LessonStep(
            screen="constrained",
            address={"example": "call"},
            look="Now the call under a grammar made of the schema: only what keeps it valid can be drawn.",
            ask="Of the first ten tokens, how many does the grammar leave no choice?",
            question=Number(drawing.forced, tolerance=1),
            then={"tokens": "10"},
            why="Where the schema fixes the text, one token is left. Elsewhere the model chooses.",
        ),
        LessonStep(
            screen="constrained",
            address={"example": "call", "tokens": "10"},
            look="Whatever comes next, the call will parse and match its schema.",
            ask="Will it also ask for Berlin, as the user did?",
            question=Choice(("yes", "no"), _city),
            then={"tokens": "25"},
            why="The form is certain, the meaning is the model's. This once it is right; the date was not.",
        ),
        LessonStep(
            screen="tools",
            address={"view": "call", "tool": "get_weather"},
            look="A call on its way through the runtime. The next one is written with single quotes.",
            ask=f"{PYTHON}: where does it stop?",
            question=Choice(CHECKS, running.stopped_at),
            then={"call": PYTHON},
            why="That is Python. Nothing has run; the error goes back to the model as a result.",
        ),
        LessonStep(
            screen="tools",
            address={"view": "call", "tool": "get_enrollment", "call": BENCH["get_enrollment"].call},
            look="Asha is signed in, and the model looks up her course. Next it looks up Ben's.",
            ask="The call for ben@example.com: where does it stop?",
            question=Choice(CHECKS, running.stopped_at),
            then={"call": OF_A_FRIEND},
            why="It is well-formed in every way. Whether it is permitted is another question.",
        ),
        LessonStep(
            screen="tools",
            address={"view": "interface", "tool": "run_python"},
            look="A code tool: one argument, a program. Specific tools needed three calls for a task.",
            ask="How many calls does the code tool need for the same task?",
            question=Number(running.tool_calls),
            then={"view": "kinds"},
            why="One program holds all steps. It can do anything, and so it runs in a sandbox.",
        ),
        LessonStep(
            screen="react",
            address={"scenario": "repair", "step": "4"},
            look="The schema check has failed: “F” is not in the enum.",
            ask="As what does the error reach the model?",
            question=Choice(("UserMessage", "ToolResultMessage", "SystemMessage"), running.kind_of_message),
            then={"step": "5"},
            why="With the id of its call, like any result. The model reads it and repairs the call.",
        ),
        LessonStep(
            screen="evidence",
            address={"card": "general", "figure": "covered"},
            look="A model can be trained to write calls, on whole runs with tools. Other data are mixed in.",
            ask=f"With them it has {GENERAL.first} % of MMLU right. Without them?",
            question=Number(lambda _: GENERAL.second, tolerance=5, unit="%", digits=1),
            then={"figure": "shown"},
            why="The format is trained into the weights, and costs what is not trained along with it.",
        ),
    ),
)
