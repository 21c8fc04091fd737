"""The tools of the bundled demos. They really run, over the small data sets below."""

import json
import math
import re
from collections import Counter
from typing import Annotated, Literal

from pydantic import Field

from core.agent.tools import Tool
from core.errors import InputError

WEATHER = {"Berlin": (12, "rainy"), "Paris": (18, "cloudy"), "Madrid": (21, "sunny"), "Oslo": (6, "snowy")}
FORECAST = {"Berlin": (14, "cloudy"), "Paris": (17, "rainy"), "Madrid": (24, "sunny"), "Oslo": (4, "snowy")}
"""Degrees Celsius and sky, now and tomorrow."""

ENROLLMENTS = {
    "asha@example.com": {"course": "Django REST APIs", "purchased_days_ago": 4, "progress": 12},
    "ben@example.com": {"course": "Practical SQL", "purchased_days_ago": 16, "progress": 55},
}
"""Progress in percent."""

HELP_PAGES = {
    "refund-policy#0": (
        "Refunds are available within 7 days of purchase if less than 20% of the course is completed."
    ),
    "refund-policy#1": "Approved refunds reach the original payment method within 5 to 7 business days.",
    "certificates#0": "A certificate is issued once every lesson and the final project are completed.",
    "access#0": "A purchased course stays open for two years, on any number of devices.",
    "live-classes#0": "Live classes are recorded; the recording appears on the course page the next morning.",
}

Reason = Annotated[str, Field(description="One sentence: why this call is needed now.")]


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
    reason: Reason,  # noqa: ARG001 - for the record of the run, not for the tool
) -> str:
    """Look up the course of the current student by email: course, days since purchase, progress in percent.
    Use it before answering a question about the student's own course."""
    enrollment = ENROLLMENTS.get(email.lower())
    return json.dumps(enrollment or {"error": "No enrollment found for this email."})


def search_docs(
    query: Annotated[str, Field(description="A short search query, such as 'refund window days'.")],
    reason: Reason,  # noqa: ARG001 - for the record of the run, not for the tool
) -> str:
    """Search the help pages. Returns the passages that fit best, with their ids.
    Use it for questions about rules, dates and features."""
    return json.dumps(best_passages(query) or {"result": "No matching documents."}, ensure_ascii=False)


def best_passages(query: str, most: int = 2) -> dict[str, str]:
    """The help passages that share words with the query, best first.

    A shared word counts the more, the fewer passages contain it: log(N / n), the inverse document frequency
    (Spärck Jones 1972).
    """
    words = {page: _words(text) for page, text in HELP_PAGES.items()}
    containing = Counter(word for found in words.values() for word in found)
    score = {
        page: sum(math.log(len(words) / containing[word]) for word in _words(query) & found)
        for page, found in words.items()
    }
    hits = sorted((page for page in words if score[page] > 0), key=lambda page: -score[page])
    return {page: HELP_PAGES[page] for page in hits[:most]}


def _words(text: str) -> set[str]:
    """Words without the plural s, so that `refund` finds `refunds`."""
    return {word.removesuffix("s") for word in re.findall(r"[a-z0-9]+", text.lower())}


def _at(table: dict[str, tuple[int, str]], city: str) -> tuple[int, str]:
    if city not in table:
        raise InputError(f"no weather station in {city}; there are stations in {', '.join(table)}")
    return table[city]


GET_WEATHER = Tool.from_function(get_weather)
GET_FORECAST = Tool.from_function(get_forecast)
GET_ENROLLMENT = Tool.from_function(get_enrollment)
SEARCH_DOCS = Tool.from_function(search_docs)
