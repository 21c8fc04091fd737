"""The room, subtracted row by row from the given table."""

import re

import pytest

from core.context import TokenCounter, assemble
from core.lm.tokenizer import load_tokenizer
from core.messages import Part, SystemMessage
from core.teaching.exercises import check, make
from core.teaching.exercises.context_budget import SYSTEMS, prefix
from core.teaching.tool_bench import BENCH


def rows(made):
    return [(part, int(tokens.replace(",", ""))) for part, tokens in made.given[0].rows]


def solved(made):
    room = history = 0
    for part, tokens in rows(made):
        if part == "window":
            room += tokens
        elif part == "history":
            history = tokens
        else:
            copies = re.match(r"(\d+) retrieved", part)
            room -= tokens * (int(copies[1]) if copies else 1)
    return {
        "room": room,
        "fits": "it fits" if history <= room else "it does not fit",
        "left": abs(room - history),
    }


def test_a_thousand_seeds_agree_with_a_subtraction():
    for seed in range(1000):
        made = make("budget", seed).made

        assert dict(made.answers) == solved(made), seed
        assert solved(made)["room"] > 0


def test_about_half_of_the_histories_fit():
    fits = [make("budget", seed).made.answers["fits"] == "it fits" for seed in range(200)]

    assert 60 < sum(fits) < 140


def test_the_counts_are_those_of_the_text_that_a_call_sends():
    names = ("get_weather", "calculate")
    text = "".join(
        segment.text
        for segment in assemble(
            [SystemMessage(content=SYSTEMS[0])],
            [BENCH[name].tool.schema for name in names],
            TokenCounter(None),
        )
    )

    counts = prefix(SYSTEMS[0], names)

    assert sum(counts.values()) == len(load_tokenizer().encode(text))
    assert set(counts) == {Part.SYSTEM, Part.TOOLS, Part.TEMPLATE}


@pytest.mark.parametrize(
    ("forgotten", "named"),
    [
        ("reserve for the answer", "The reserve is missing"),
        ("schemas of", "no part of the history, but they are sent"),
        ("markers of the chat template", "own markers take tokens too"),
        ("long-term memory", "The memory is missing"),
        ("system prompt", "The system prompt is missing"),
    ],
)
def test_a_part_that_was_forgotten_is_named(forgotten, named):
    made = make("budget", 4).made
    tokens = next(tokens for part, tokens in rows(made) if part.startswith(forgotten))
    verdict = check("budget", 4, {"room": str(solved(made)["room"] + tokens)})[0]

    assert named in verdict.text


def test_counting_one_document_is_named():
    made = make("budget", 4).made
    copies, each = next(
        (int(part.split(" ")[0]), tokens) for part, tokens in rows(made) if "retrieved" in part
    )
    verdict = check("budget", 4, {"room": str(solved(made)["room"] + (copies - 1) * each)})[0]

    assert verdict.text.startswith("That is one document")
