"""The loop as the lecture introduces it: one call, several, none, reasons, and the end of the budget."""

import time

from core.agent import Guards, Tool
from core.scenarios.scenario import Scenario, answer, call, calls
from core.scenarios.tools import GET_ENROLLMENT, GET_FORECAST, GET_WEATHER, SEARCH_DOCS, get_weather

BERLIN = Scenario(
    slug="berlin",
    title="The weather in Berlin",
    question="What's the weather in Berlin?",
    note="After a tool the loop always returns to the model. The only way out: a reply without a call (or "
    "the cap).",
    tools=(GET_WEATHER,),
    replies=(
        calls(call("call_1", "get_weather", city="Berlin")),
        answer("It's 12°C and rainy in Berlin."),
    ),
)

TWO_CITIES = calls(
    call("call_1", "get_weather", city="Berlin"),
    call("call_2", "get_weather", city="Paris"),
    thought="I need two temperatures, and neither depends on the other: I ask for both at once.",
)
WARMER = answer("It is warmer in Paris: 18°C there, 12°C in Berlin.")

PARALLEL = Scenario(
    slug="parallel",
    title="Two cities at once",
    question="Is it warmer in Berlin or in Paris?",
    note="A thought, two calls in one turn. Each needs its result: the model matches them by the id of the "
    "call.",
    tools=(GET_WEATHER,),
    replies=(TWO_CITIES, WARMER),
)


FAR = {"Berlin": 0.2}
"""Seconds that a station takes to answer; the others answer at once."""


def ask_station(city: str) -> str:
    """Ask the weather station of a city."""
    time.sleep(FAR.get(city, 0))
    return get_weather(city)


ASK_STATION = Tool.from_function(ask_station)

ARRIVAL = Scenario(
    slug="arrival",
    title="Results in another order",
    question=PARALLEL.question,
    note="Both calls run at once, and the second is back first. The ids say which result is whose.",
    tools=(ASK_STATION,),
    guards=Guards(parallel=True),
    replies=(
        calls(call("call_1", "ask_station", city="Berlin"), call("call_2", "ask_station", city="Paris")),
        WARMER,
    ),
)

REPAIR = Scenario(
    slug="repair",
    title="A wrong argument, repaired",
    question="How warm will it be in Madrid tomorrow, in Fahrenheit?",
    note="The first call breaks the schema. The error comes back as a result, and the model repairs it.",
    tools=(GET_WEATHER, GET_FORECAST),
    replies=(
        calls(call("call_1", "get_forecast", city="Madrid", unit="F")),
        calls(
            call("call_2", "get_forecast", city="Madrid", unit="fahrenheit"),
            thought="The unit has to be spelt out.",
        ),
        answer("It will be 75°F and sunny in Madrid tomorrow."),
    ),
)

REFUND = Scenario(
    slug="refund",
    title="Can Asha get a refund?",
    question="Hi, I'm asha@example.com. Can I still get a refund for my course?",
    note="ReAct with native tool calls: each states its reason in an argument, a thought kept for review.",
    system=(
        "You answer students of an online school. In every tool call, say in `reason` in one sentence "
        "why you need it. Check each result before you go on, never repeat a call, and use only facts "
        "from tool results. When you know enough, answer and name the facts you used."
    ),
    tools=(GET_ENROLLMENT, SEARCH_DOCS),
    replies=(
        calls(
            call(
                "call_1",
                "get_enrollment",
                email="asha@example.com",
                reason="I need the date of purchase and the progress of this student.",
            )
        ),
        calls(
            call(
                "call_2",
                "search_docs",
                query="refund days completed",
                reason="I need the rule that decides who gets a refund.",
            )
        ),
        answer(
            "Yes, you can. You bought Django REST APIs 4 days ago and have completed 12% of it "
            "(get_enrollment). Refunds are available within 7 days of purchase if less than 20% is "
            "completed (refund-policy#0)."
        ),
    ),
)

BUDGET = Scenario(
    slug="budget",
    title="The step budget runs out",
    question="In which city is it warmest right now?",
    note="One city a turn, three turns allowed: the loop stops at its cap, with a safe last word.",
    tools=(GET_WEATHER,),
    replies=(
        calls(call("call_1", "get_weather", city="Berlin"), thought="I start with Berlin."),
        calls(call("call_2", "get_weather", city="Lisbon"), thought="Next, Lisbon."),
        calls(call("call_3", "get_weather", city="Madrid"), thought="No station there. Madrid, then."),
    ),
    max_steps=3,
    guards=Guards(fallback="I could not finish this. A member of staff will answer you."),
)

NO_TOOL = Scenario(
    slug="no-tool",
    title="An answer without tools",
    question="What is a tool call?",
    note="A reply without tool calls is the answer: the loop ends in its first turn.",
    tools=(GET_WEATHER,),
    replies=(
        answer(
            "A request that I write as structured text: the name of a tool and its arguments. "
            "The program around me runs the tool and sends me the result."
        ),
    ),
)
