"""Three loops on one question, and two ways to think on the way: after Yao et al. (2023)."""

from core.agent import TEXT
from core.messages.types import ToolResultMessage, UserMessage
from core.scenarios.calculator import CALCULATE
from core.scenarios.scenario import Scenario, answer, call, calls
from core.scenarios.tools import GET_FORECAST, GET_WEATHER
from core.scenarios.website import OPEN_PAGE

QUESTION = "By how many degrees will it get warmer in Madrid by tomorrow?"
TOOLS = (GET_WEATHER, GET_FORECAST, CALCULATE)

OPEN_LOOP = Scenario(
    slug="open-loop",
    title="Reasoning alone: open loop",
    question=QUESTION,
    note="Chain of thought. All its facts come from memory, and no result can correct them: they are wrong.",
    system="Think step by step, then answer.",
    tools=(),
    replies=(
        answer(
            "By about 1 degree.",
            thinking=(
                "Madrid has about 30°C on a summer's day. The weather there is stable, so tomorrow will be "
                "like today or a little warmer: 31°C. 31 - 30 = 1."
            ),
        ),
    ),
)

ACT = Scenario(
    slug="act",
    title="Acting alone: no thoughts",
    question=QUESTION,
    note="The facts are right, but nothing is made of them: the answer is the last result, no difference.",
    tools=TOOLS,
    replies=(
        calls(call("call_1", "get_weather", city="Madrid")),
        calls(call("call_2", "get_forecast", city="Madrid")),
        answer("24°C, sunny."),
    ),
)

REACT = Scenario(
    slug="react",
    title="ReAct: reasoning and acting",
    question=QUESTION,
    note="Each thought reads the observation before it and decides on the next action. The loop is closed.",
    tools=TOOLS,
    replies=(
        calls(
            call("call_1", "get_weather", city="Madrid"),
            thought="I need two temperatures. First, today's.",
        ),
        calls(
            call("call_2", "get_forecast", city="Madrid"),
            thought="21°C today. Now tomorrow's, in the same unit.",
        ),
        calls(
            call("call_3", "calculate", expression="24 - 21"),
            thought="24°C tomorrow. What is asked is the difference.",
        ),
        answer("By 3 degrees: from 21°C today to 24°C tomorrow."),
    ),
)

TEXT_REACT = Scenario(
    slug="text",
    title="ReAct as text",
    question="What's the weather in Berlin?",
    note="The runtime parses the call out of the text, and cuts the observation that the model made up.",
    system=(
        "Get the weather with the tool get_weather(city). Write these lines, then stop:\n"
        "Thought: what you need\nAction: the tool\nAction Input: its arguments as JSON\n"
        "You then get an Observation. When you know enough, write\nFinal Answer: the answer"
    ),
    tools=(GET_WEATHER,),
    format=TEXT,
    replies=(
        answer(
            "Thought: I need the current weather in Berlin.\nAction: get_weather\n"
            'Action Input: {"city": "Berlin"}\nObservation: 25°C, sunny\nFinal Answer: It is 25°C and sunny.'
        ),
        answer("Thought: I have what I need.\nFinal Answer: It's 12°C and rainy in Berlin."),
    ),
)

FINISH = Scenario(
    slug="finish",
    title="ReAct as text: finish[answer]",
    question="What's the weather in Berlin?",
    note="As in Yao et al. (2023): the run ends by an action, finish[answer], and not by a missing call.",
    system=(
        "Get the weather with get_weather[city]. Write a Thought, then an Action: get_weather[city], or "
        "finish[answer] when you know enough. You then get an Observation."
    ),
    tools=(GET_WEATHER,),
    format=TEXT,
    replies=(
        answer("Thought 1: I need the current weather in Berlin.\nAction 1: get_weather[Berlin]"),
        answer("Thought 2: I have what I need.\nAction 2: finish[12°C and rainy]"),
    ),
)

FEW_SHOT = Scenario(
    slug="few-shot",
    title="ReAct as text: an example first",
    question="What's the weather in Berlin?",
    note="In-context learning: an example shows the format, sent again in every call. No weight changes.",
    system="Answer as in the example.",
    tools=(GET_WEATHER,),
    format=TEXT,
    history=(
        UserMessage(content="What's the weather in Oslo?"),
        calls(call("call_1", "get_weather", city="Oslo"), thought="I need the current weather in Oslo."),
        ToolResultMessage(tool_call_id="call_1", name="get_weather", content="6°C, snowy"),
        answer("It's 6°C and snowy in Oslo.", thinking="I have what I need."),
    ),
    replies=(
        answer(
            "Thought: I need the current weather in Berlin.\nAction: get_weather\n"
            'Action Input: {"city": "Berlin"}'
        ),
        answer("Thought: I have what I need.\nFinal Answer: It's 12°C and rainy in Berlin."),
    ),
)

PATH = ("/", "/courses", "/courses/databases", "/courses/practical-sql", "/courses/data-modelling")
FOUND = answer("Data Modelling has a mentor and costs 180 euros. Practical SQL has none at the moment.")


def _walk(slug: str, title: str, note: str, thoughts: tuple[str, ...]) -> Scenario:
    """The same five pages, opened with the thoughts given; an empty one is none."""
    steps = enumerate(zip(PATH, thoughts, strict=True), start=1)
    return Scenario(
        slug=slug,
        title=title,
        question="Which course on databases has a mentor, and what does it cost?",
        note=note,
        tools=(OPEN_PAGE,),
        replies=(
            *(
                calls(call(f"call_{n}", "open_page", path=path), thought=thought)
                for n, (path, thought) in steps
            ),
            FOUND,
        ),
    )


DENSE = _walk(
    "dense",
    "Dense thoughts",
    "A thought before every click. Most say what the click says, and all are sent again in each call.",
    (
        "I start at the first page of the website to see where the courses are.",
        "The courses have a page of their own, so I open that one next.",
        "Databases are one of the three subjects, so I open that subject now.",
        "There are two courses on databases. I open the first of them, Practical SQL.",
        "It has no mentor at the moment, so I open the other one, Data Modelling.",
    ),
)

SPARSE = _walk(
    "sparse",
    "Sparse thoughts",
    "The same clicks with two thoughts, where the course is set and where it changes: a smaller context.",
    ("I go by the subject, then look at each of its courses.", "", "", "", "No mentor here: the other one."),
)
