"""The second objective: chain of thought, ReAct, and the loop that runs the agent."""

from core.teaching.lessons import drawing, running
from core.teaching.lessons.step import Choice, Lesson, LessonStep, Number

APPLES = "Question: Tom has 3 apples and buys 4 more. How many apples does he have?\nAnswer:"
AT_ONCE = "216.35"
IN_STEPS = "1094.8581.553.216.35.13855.284.34680.216.36.540.28.338.1530.384.553.216.35.1232.216.36.446.216.39"
"""What the embedded model writes at T = 0, as token ids: to the number at once, and in steps."""

SIDES = ("the left one", "the right one", "both", "neither")
LINES = ("line 2", "line 5", "line 8", "line 9")

LOOP = Lesson(
    title="Chain of thought, ReAct, the loop",
    objective="Explain chain of thought, describe ReAct, and write the agent execution loop.",
    steps=(
        LessonStep(
            screen="home",
            address={},
            look="One draw after another makes a reply; replies in a loop with tools make an agent.",
            ask="The weather in Berlin, with one tool: how many calls of the model?",
            question=Number(lambda _: len(running.run_of("berlin").calls)),
            why="One writes the tool call, one reads its result and answers. What follows goes through both.",
        ),
        LessonStep(
            screen="generation",
            address={"prompt": APPLES, "T": "0", "added": AT_ONCE},
            look="Asked at once, the model has one pass for its number, and it is wrong.",
            ask="“Let's think step by step”: how many tokens come before the 7?",
            question=Number(lambda address: drawing.passes_before("7", address), tolerance=5),
            then={
                "prompt": f"{APPLES} Let's think step by step.",
                "added": IN_STEPS,
                "token": "24",
            },
            why="Each is one more pass, and reads what the others wrote. One text is no proof, though.",
        ),
        LessonStep(
            screen="compare",
            address={"left": "react", "right": "react", "step": "1"},
            look="ReAct on one question, on both sides: it thinks, acts and reads what came back.",
            ask="At the left, thoughts but no tools. Whose answer has a number from no result?",
            question=Choice(SIDES, running.unsupported),
            then={"left": "open-loop", "step": "21"},
            why="An open loop takes its facts from memory, and nothing returns to correct them.",
        ),
        LessonStep(
            screen="compare",
            address={"left": "open-loop", "right": "react", "step": "21"},
            look="Asked is by how many degrees it gets warmer in Madrid.",
            ask="At the left, tools but no thoughts. Who says the difference of the results?",
            question=Choice(SIDES, running.says_difference),
            then={"left": "act"},
            why="The facts are right on both sides. A thought is where something is made of them.",
        ),
        LessonStep(
            screen="compare",
            address={"left": "sparse", "right": "sparse", "step": "1"},
            look="Five clicks on a website with two thoughts between them, on both sides.",
            ask="At the left, a thought before each click: how much more does it send in all?",
            question=Number(running.percent_more, tolerance=5, unit="% more", digits=0),
            then={"left": "dense", "step": "33"},
            why="A thought is text, and sent again with every later call.",
        ),
        LessonStep(
            screen="react",
            address={"scenario": "berlin", "step": "7"},
            look="Prompt-ToolLoop, at its second call of the model. The result is in the context.",
            ask="Which line ends this run?",
            question=Choice(LINES, running.line),
            then={"step": "8"},
            why="A reply without tool calls is the answer: the end is read off the form of the reply.",
        ),
        LessonStep(
            screen="react",
            address={"scenario": "budget", "step": "15"},
            look="The third turn of a run with MAX_STEPS = 3, and the model asks for one more tool.",
            ask="And which line ends this one?",
            question=Choice(LINES, running.line),
            then={"step": "20"},
            why="The for loop of line 2 is used up. Without the cap, the model alone would decide.",
        ),
        LessonStep(
            screen="react",
            address={"scenario": "parallel", "step": "3"},
            look="A thought, and two calls in the same turn. The context so far is at the right.",
            ask="When both have run: how many entries follow c₀ in the context?",
            question=Number(running.entries_after_prefix),
            then={"step": "11"},
            why="The question, the thought, two actions, and an observation for each.",
        ),
    ),
)
