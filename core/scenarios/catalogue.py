"""The bundled demos: scripted models that the real loop runs with real tools.

Only the replies of the model are written here. Every observation, error and count of a trace comes from
running it.
"""

import json
from dataclasses import dataclass

from core.agent import Tool, record, run
from core.context import TokenCounter
from core.errors import InputError
from core.lm.scripted import ScriptedModel
from core.messages.types import AssistantMessage, ToolCall
from core.scenarios.tools import GET_ENROLLMENT, GET_FORECAST, GET_WEATHER, SEARCH_DOCS
from core.trace import Trace

WINDOW = 8192
"""Tokens: the window of SmolLM2, whose tokenizer counts the contexts of the demos."""


@dataclass(frozen=True)
class Scenario:
    """A demo: what the user asks, what may be called, and what the scripted model replies."""

    slug: str
    title: str
    question: str
    note: str
    tools: tuple[Tool, ...]
    replies: tuple[AssistantMessage, ...]
    system: str = "You are a helpful assistant."
    max_steps: int = 6


def trace(slug: str, counter: TokenCounter | None = None) -> Trace:
    """The trace of a demo, made by running it.

    Args:
        slug: which demo; see `SCENARIOS`.
        counter: how contexts are written and counted. Without it they are written in ChatML and not counted.

    Raises:
        InputError: there is no demo with this slug.
    """
    scenario = scenario_of(slug)
    steps = run(
        ScriptedModel("scripted", scenario.replies, window=WINDOW),
        scenario.question,
        scenario.tools,
        system=scenario.system,
        max_steps=scenario.max_steps,
        counter=counter or TokenCounter(None),
    )
    return record(
        steps,
        title=scenario.title,
        source="scripted",
        model="scripted",
        description=scenario.note,
        system=scenario.system,
        tools=[tool.schema for tool in scenario.tools],
        max_steps=scenario.max_steps,
    )


def scenario_of(slug: str) -> Scenario:
    """The demo with this slug.

    Raises:
        InputError: there is none.
    """
    for scenario in SCENARIOS:
        if scenario.slug == slug:
            return scenario
    known = ", ".join(scenario.slug for scenario in SCENARIOS)
    raise InputError(f"There is no demo {slug!r}. Choose one of {known}.")


def _call(id: str, name: str, **arguments: str) -> ToolCall:
    return ToolCall(id=id, name=name, arguments=json.dumps(arguments, ensure_ascii=False))


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        slug="berlin",
        title="The weather in Berlin",
        question="What's the weather in Berlin?",
        note="One tool call, two turns. The second call of the model sends everything again, and the result.",
        tools=(GET_WEATHER,),
        replies=(
            AssistantMessage(tool_calls=(_call("call_1", "get_weather", city="Berlin"),)),
            AssistantMessage(content="It's 12°C and rainy in Berlin."),
        ),
    ),
    Scenario(
        slug="parallel",
        title="Two cities at once",
        question="Is it warmer in Berlin or in Paris?",
        note="A thought and two calls in one turn. Each result carries the id of the call that it answers.",
        tools=(GET_WEATHER,),
        replies=(
            AssistantMessage(
                content="I need two temperatures, and neither depends on the other: I ask for both at once.",
                tool_calls=(
                    _call("call_1", "get_weather", city="Berlin"),
                    _call("call_2", "get_weather", city="Paris"),
                ),
            ),
            AssistantMessage(content="It is warmer in Paris: 18°C there, 12°C in Berlin."),
        ),
    ),
    Scenario(
        slug="repair",
        title="A wrong argument, repaired",
        question="How warm will it be in Madrid tomorrow, in Fahrenheit?",
        note="The first call breaks the schema. The error comes back as a result, and the model repairs it.",
        tools=(GET_WEATHER, GET_FORECAST),
        replies=(
            AssistantMessage(tool_calls=(_call("call_1", "get_forecast", city="Madrid", unit="F"),)),
            AssistantMessage(
                content="The unit has to be spelt out.",
                tool_calls=(_call("call_2", "get_forecast", city="Madrid", unit="fahrenheit"),),
            ),
            AssistantMessage(content="It will be 75°F and sunny in Madrid tomorrow."),
        ),
    ),
    Scenario(
        slug="refund",
        title="Can Asha get a refund?",
        question="Hi, I'm asha@example.com. Can I still get a refund for my course?",
        note="Every call states its reason in an argument: a thought, kept where it can be reviewed.",
        system=(
            "You answer students of an online school. In every tool call, say in `reason` in one sentence "
            "why you need it. Check each result before you go on, never repeat a call, and use only facts "
            "from tool results. When you know enough, answer and name the facts you used."
        ),
        tools=(GET_ENROLLMENT, SEARCH_DOCS),
        replies=(
            AssistantMessage(
                tool_calls=(
                    _call(
                        "call_1",
                        "get_enrollment",
                        email="asha@example.com",
                        reason="I need the date of purchase and the progress of this student.",
                    ),
                )
            ),
            AssistantMessage(
                tool_calls=(
                    _call(
                        "call_2",
                        "search_docs",
                        query="refund days completed",
                        reason="I need the rule that decides who gets a refund.",
                    ),
                )
            ),
            AssistantMessage(
                content=(
                    "Yes, you can. You bought Django REST APIs 4 days ago and have completed 12% of it "
                    "(get_enrollment). Refunds are available within 7 days of purchase if less than 20% is "
                    "completed (refund-policy#0)."
                )
            ),
        ),
    ),
    Scenario(
        slug="budget",
        title="The step budget runs out",
        question="In which city is it warmest right now?",
        note="One city a turn, three turns allowed: the loop stops at its cap and there is no answer.",
        tools=(GET_WEATHER,),
        replies=(
            AssistantMessage(
                content="I start with Berlin.",
                tool_calls=(_call("call_1", "get_weather", city="Berlin"),),
            ),
            AssistantMessage(
                content="Next, Lisbon.", tool_calls=(_call("call_2", "get_weather", city="Lisbon"),)
            ),
            AssistantMessage(
                content="No station there. Madrid, then.",
                tool_calls=(_call("call_3", "get_weather", city="Madrid"),),
            ),
        ),
        max_steps=3,
    ),
    Scenario(
        slug="no-tool",
        title="An answer without tools",
        question="What is a tool call?",
        note="A reply without tool calls is the answer: the loop ends in its first turn.",
        tools=(GET_WEATHER,),
        replies=(
            AssistantMessage(
                content=(
                    "A request that I write as structured text: the name of a tool and its arguments. "
                    "The program around me runs the tool and sends me the result."
                )
            ),
        ),
    ),
)
"""In the order in which a lecture needs them."""
