"""Variants of the loop: a plan made first, a goal that the runtime tests, an agent behind a tool.

The loop is the same. A plan is the result of a tool; who decides that the run is over, and what stands behind
a tool, is a matter of the runtime.
"""

import json
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from core.agent import Tool, run
from core.lm.chat import Reply
from core.messages.types import AssistantMessage, Message, ToolResultMessage, ToolSchema, UserMessage
from core.scenarios.scenario import Scenario, answer, call, calls
from core.scenarios.tools import GET_ENROLLMENT, GET_FORECAST, GET_WEATHER, SEARCH_DOCS

TRIP = "I go to the warmest of Lisbon, Madrid and Paris tomorrow. Which is it?"
WARMEST = answer("Madrid with 24°C; Paris has 17°C. For Lisbon there is no forecast, so I cannot tell.")


def write_plan(
    steps: Annotated[list[str], Field(description="What is to be done, in order.", min_length=1)],
) -> str:
    """Write the plan, or write it anew. Use it before the first step, and when a step has failed."""
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))


WRITE_PLAN = Tool.from_function(write_plan)

IMPLICIT = Scenario(
    slug="implicit-plan",
    title="An implicit plan",
    question=TRIP,
    note="There is no plan anywhere: each thought decides on the next step, from the whole history.",
    tools=(GET_FORECAST,),
    replies=(
        calls(call("call_1", "get_forecast", city="Lisbon"), thought="I begin with Lisbon."),
        calls(call("call_2", "get_forecast", city="Madrid"), thought="None for Lisbon. Madrid, then."),
        calls(call("call_3", "get_forecast", city="Paris"), thought="24°C. Now Paris, to compare."),
        WARMEST,
    ),
)

PLAN = Scenario(
    slug="plan",
    title="An explicit plan, replanned",
    question=TRIP,
    note="First a plan, then its steps. One fails, so the plan is written anew, and followed to its end.",
    tools=(WRITE_PLAN, GET_FORECAST),
    max_steps=8,
    replies=(
        calls(
            call(
                "call_1",
                "write_plan",
                steps=["Forecast of Lisbon", "Forecast of Madrid", "Forecast of Paris", "Compare all three"],
            )
        ),
        calls(call("call_2", "get_forecast", city="Lisbon")),
        calls(
            call(
                "call_3",
                "write_plan",
                steps=["Forecasts of Madrid and Paris", "Compare the two, and say that Lisbon is missing"],
            ),
            thought="The first step has failed and cannot be mended: I plan anew without Lisbon.",
        ),
        calls(call("call_4", "get_forecast", city="Madrid"), call("call_5", "get_forecast", city="Paris")),
        WARMEST,
    ),
)

CITIES = ("Berlin", "Paris", "Madrid", "Oslo")


def all_looked_up(messages: Sequence[Message]) -> str:
    """The goal, a result for each of the cities: what is missing of it in a sentence, or nothing."""
    there = {message.tool_call_id for message in messages if isinstance(message, ToolResultMessage)}
    asked = (said for said in messages if isinstance(said, AssistantMessage))
    found = {
        json.loads(one.arguments).get("city") for said in asked for one in said.tool_calls if one.id in there
    }
    missing = [city for city in CITIES if city not in found]
    return f"No temperature was looked up for {' and '.join(missing)}." if missing else ""


GOAL = Scenario(
    slug="goal-test",
    title="A goal tested by the runtime",
    question="Look at Berlin, Paris, Madrid and Oslo. Where is it warmest right now?",
    note="The runtime tests the goal (a goal loop; Sanoja, 2026), and only then lets the run end.",
    tools=(GET_WEATHER,),
    goal=all_looked_up,
    replies=(
        calls(call("call_1", "get_weather", city="Berlin"), call("call_2", "get_weather", city="Madrid")),
        answer("In Madrid: it has 21°C, and Berlin only 12°C."),
        calls(call("call_3", "get_weather", city="Paris"), call("call_4", "get_weather", city="Oslo")),
        answer("In Madrid: 21°C. Paris has 18°C, Berlin 12°C and Oslo 6°C."),
    ),
)


class Quoting:
    """The model of the agent behind the tool. By a rule: it searches once, and quotes what fits best."""

    name, window = "quoting", None

    def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:  # noqa: ARG002
        """See `core.lm.chat.ChatModel`."""
        match messages[-1]:
            case UserMessage(content=question):
                asked = call("call_1", "search_docs", query=question, reason="It is what I was asked.")
                return Reply(message=calls(asked), finish_reason="tool_calls")
            case ToolResultMessage(content=found):
                id_, passage = next(iter(json.loads(found).items()))
                return Reply(message=answer(f"{passage} ({id_})"), finish_reason="stop")
        return Reply(message=answer("I was asked nothing."), finish_reason="stop")


def ask_librarian(
    question: Annotated[str, Field(description="One question about the school's rules.")],
) -> str:
    """Ask the librarian, an agent of its own, who searches the help pages and answers with a passage."""
    *_, last = run(Quoting(), question, (SEARCH_DOCS,), max_steps=3)
    return last.text


ASK_LIBRARIAN = Tool.from_function(ask_librarian)

AGENT_TOOL = Scenario(
    slug="agent-tool",
    title="An agent used as a tool",
    question="Hi, I'm asha@example.com. Can I still get a refund for my course?",
    note="Behind ask_librarian runs a loop with a context of its own. Only its answer comes back.",
    tools=(GET_ENROLLMENT, ASK_LIBRARIAN),
    replies=(
        calls(
            call("call_1", "get_enrollment", email="asha@example.com", reason="I need days and progress."),
            call("call_2", "ask_librarian", question="Until when is a refund available?"),
        ),
        answer(
            "Yes, you can: you bought the course 4 days ago and have completed 12%; refunds are available "
            "within 7 days if less than 20% is completed (refund-policy#0)."
        ),
    ),
)
