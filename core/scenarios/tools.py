"""The tools of the bundled demos. They really run, over the small data sets below and the help pages."""

import json
from typing import Annotated, Literal

from pydantic import Field

from core.agent.tools import Tool
from core.context.retrieval import search
from core.errors import InputError

WEATHER = {"Berlin": (12, "rainy"), "Paris": (18, "cloudy"), "Madrid": (21, "sunny"), "Oslo": (6, "snowy")}
FORECAST = {"Berlin": (14, "cloudy"), "Paris": (17, "rainy"), "Madrid": (24, "sunny"), "Oslo": (4, "snowy")}
"""Degrees Celsius and sky, now and tomorrow."""

ENROLLMENTS = {
    "asha@example.com": {"course": "Django REST APIs", "purchased_days_ago": 4, "progress": 12},
    "ben@example.com": {"course": "Practical SQL", "purchased_days_ago": 16, "progress": 55},
}
"""Progress in percent."""

PASSAGES = 2
"""How many passages a search returns: each costs tokens in every later call."""

Reason = Annotated[str, Field(description="One sentence: why this call is needed now.")]
"""An argument for the record of the run: the tools take it and do nothing with it."""


def get_weather(city: str) -> str:
    """Get the current weather for a city."""
    degrees, sky = _at(WEATHER, city)
    return f"{degrees}°C, {sky}"


def get_forecast(
    city: str,
    unit: Annotated[
        Literal["celsius", "fahrenheit"], Field(description="The unit of the temperature.")
    ] = "celsius",
) -> str:
    """Get tomorrow's weather for a city."""
    degrees, sky = _at(FORECAST, city)
    if unit == "fahrenheit":
        return f"{round(degrees * 9 / 5 + 32)}°F, {sky}"
    return f"{degrees}°C, {sky}"


def get_enrollment(
    email: Annotated[str, Field(description="The student's email address.")],
    reason: Reason,  # noqa: ARG001
) -> str:
    """Look up the course of the current student by email: course, days since purchase, progress in percent.
    Use it before answering a question about the student's own course or a refund."""
    enrollment = ENROLLMENTS.get(email.lower())
    return json.dumps(enrollment or {"error": "No enrollment found for this email."})


def search_docs(
    query: Annotated[str, Field(description="A short search query, such as 'refund window days'.")],
    reason: Reason,  # noqa: ARG001
) -> str:
    """Search the help pages. Returns the passages that fit best, with their ids.
    Use it for questions about rules, dates and features."""
    found = {hit.document.id: hit.document.text for hit in search(query, PASSAGES)}
    return json.dumps(found or {"result": "No matching documents."}, ensure_ascii=False)


def _at(table: dict[str, tuple[int, str]], city: str) -> tuple[int, str]:
    if city not in table:
        raise InputError(f"no weather station in {city}; there are stations in {', '.join(table)}")
    return table[city]


GET_WEATHER = Tool.from_function(get_weather)
GET_FORECAST = Tool.from_function(get_forecast)
GET_ENROLLMENT = Tool.from_function(get_enrollment)
SEARCH_DOCS = Tool.from_function(search_docs)
