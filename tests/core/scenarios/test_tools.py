"""The tools of the bundled demos, by themselves."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent import validate_call
from core.context.retrieval import documents
from core.errors import InputError
from core.messages import ToolCall
from core.scenarios.tools import GET_ENROLLMENT, GET_FORECAST, GET_WEATHER, SEARCH_DOCS
from core.scenarios.website import OPEN_PAGE, PAGES, READ_FORUM, SEND_MAIL


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ("refund policy window", ["refund-policy#0", "refund-policy#1"]),
        ("Certificate!", ["certificates#1", "certificates#0"]),
    ],
)
def test_a_search_returns_the_best_passages_with_their_ids(query, pages):
    found = json.loads(SEARCH_DOCS.execute({"query": query, "reason": ""}))
    texts = {document.id: document.text for document in documents()}

    assert list(found.items()) == [(page, texts[page]) for page in pages]


def test_a_search_without_a_hit_says_so():
    assert SEARCH_DOCS.execute({"query": "quantum", "reason": ""}) == '{"result": "No matching documents."}'


@given(st.text())
def test_the_reason_changes_no_result(reason):
    for tool, arguments in [
        (GET_ENROLLMENT, {"email": "asha@example.com"}),
        (SEARCH_DOCS, {"query": "refund"}),
    ]:
        assert tool.execute({**arguments, "reason": reason}) == tool.execute({**arguments, "reason": ""})


@pytest.mark.parametrize("tool", [GET_ENROLLMENT, SEARCH_DOCS])
def test_a_call_without_a_reason_fails_the_schema(tool):
    argument = {"get_enrollment": "email", "search_docs": "query"}[tool.name]
    verdict = validate_call(ToolCall(id="1", name=tool.name, arguments=json.dumps({argument: "x"})), [tool])

    assert "$.reason is missing" in verdict.message


def test_an_address_is_found_whatever_its_case_and_a_strange_one_is_said():
    known, strange = (
        json.loads(GET_ENROLLMENT.execute({"email": email, "reason": ""}))
        for email in ("Asha@Example.com", "?")
    )

    assert known["course"] == "Django REST APIs"
    assert strange == {"error": "No enrollment found for this email."}


@pytest.mark.parametrize(
    ("city", "celsius", "fahrenheit"),
    [("Berlin", "14°C", "57°F"), ("Madrid", "24°C", "75°F"), ("Oslo", "4°C", "39°F")],
)
def test_a_forecast_comes_in_both_units(city, celsius, fahrenheit):
    forecasts = [GET_FORECAST.execute({"city": city, "unit": unit}) for unit in ("celsius", "fahrenheit")]

    assert [text.partition(",")[0] for text in forecasts] == [celsius, fahrenheit]


@pytest.mark.parametrize("tool", [GET_WEATHER, GET_FORECAST])
def test_a_city_without_a_station_is_told_those_that_have_one(tool):
    with pytest.raises(InputError, match="no weather station in Lisbon; there are stations in Berlin, Paris"):
        tool.execute({"city": "Lisbon"})


def test_every_page_of_the_courses_can_be_reached_by_its_links():
    seen, open_pages = set(), ["/"]
    while open_pages:
        page = open_pages.pop()
        seen.add(page)
        words = OPEN_PAGE.execute({"path": page}).replace(",", " ").replace(".", " ").split()
        open_pages += [word for word in words if word in PAGES and word not in seen]

    assert seen == set(PAGES)


def test_a_page_that_does_not_exist_is_an_error_with_the_way_out():
    with pytest.raises(InputError, match="start at /"):
        OPEN_PAGE.execute({"path": "/nowhere"})


def test_the_forum_has_the_topics_that_its_schema_names():
    topics = READ_FORUM.schema.parameters["properties"]["topic"]["enum"]

    assert all(READ_FORUM.execute({"topic": topic}) for topic in topics)


def test_no_mail_is_ever_sent():
    with pytest.raises(InputError, match="sends no mail"):
        SEND_MAIL.execute({"to": "a@example.com", "subject": "s", "text": "t"})
