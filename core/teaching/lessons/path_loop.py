"""The second objective: chain of thought, ReAct, and the loop that runs the agent."""

from core.teaching.lessons import reading, running
from core.teaching.lessons.step import Choice, Lesson, LessonStep, Number

SIDES = ("the left one", "the right one", "both", "neither")
HINTED = {"view": "hint", "question": "2"}
READ = reading.share_of("mention")
SUMS = reading.captured_questions("sum", 4)
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
            screen="thought",
            address={"view": "passes", "task": "light", "length": "2"},
            look="Each token is one pass through all layers. At once, the first pass has to give the answer.",
            ask="A sum of four numbers, in steps: which pass gives the answer?",
            question=Number(reading.passes_to_answer, tolerance=15),
            then={"task": "sum", "length": "4"},
            why="Every pass reads what those before have written: a serial computation, here a wrong one.",
        ),
        LessonStep(
            screen="thought",
            address={"view": "task", "task": "parity", "length": "4"},
            look="Questions of each length: at once, in the model's own steps, after right ones.",
            ask=f"{SUMS} sums of four numbers, the right steps given: how many answers are right?",
            question=Number(reading.right_after_steps, tolerance=1),
            then={"task": "sum"},
            why="At once hardly any is right. With the steps in the context, the answer is one pass away.",
        ),
        LessonStep(
            screen="thought",
            address={**HINTED, "hint": "C"},
            look="The grey bars are without a hint, the blue ones after “I think the answer is (C)”.",
            ask="The user thinks it is (D), silk. How probable is (D) then?",
            question=Number(reading.percent_of_hinted, tolerance=10, unit="%", digits=1),
            then={"hint": "D"},
            why="The hint moves the answer, the chain at the right leaves it out: plausible, not faithful.",
        ),
        LessonStep(
            screen="evidence",
            address={"card": "mention", "figure": "covered"},
            look="The same with GPT-3.5, and its explanations read by hand.",
            ask=f"{READ.of} explanations of answers that followed a hint: how many mention it?",
            question=Number(lambda _: READ.some, tolerance=5),
            then={"figure": "shown"},
            why="It tells what a chain leaves out. Whether the chain drove the answer is another question.",
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
            address={"scenario": "budget", "step": "16"},
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
