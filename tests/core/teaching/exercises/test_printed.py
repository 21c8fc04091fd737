"""The sheet to print."""

import re
from html import unescape

from core.teaching.exercises import (
    KINDS,
    ChoiceField,
    Code,
    Exercise,
    Kind,
    Made,
    OrderField,
    Step,
    Table,
    TextField,
    sheet,
    shown,
)
from core.teaching.exercises.printed import printed

HOSTILE = "<img src=x onerror=alert(1)>"


def test_texts_are_escaped_wherever_they_stand():
    made = Made(
        task=HOSTILE,
        given=(Table((HOSTILE, "b"), ((HOSTILE, HOSTILE),)), Code(HOSTILE, HOSTILE)),
        fields=(
            ChoiceField("one", HOSTILE, (HOSTILE, "other")),
            OrderField("order", HOSTILE, (HOSTILE, "z")),
            TextField("text", HOSTILE, HOSTILE),
        ),
        answers={"one": HOSTILE, "order": ("z", HOSTILE), "text": HOSTILE},
        hint="",
        steps=(Step(HOSTILE, Code(HOSTILE)),),
        checks={"text": lambda _: ""},
    )
    page = printed([Exercise(Kind("x", HOSTILE, "A", 1, lambda _: made), 1, made)], "A", 1)

    assert "<img" not in page
    assert page.count("&lt;img") > 15


def test_the_key_comes_after_all_tasks_on_a_page_of_its_own():
    exercises = sheet(3)
    tasks, key = printed(exercises, "A", 3).split("Key to A, sheet 3")

    assert len(re.findall("<section>", tasks)) == len(re.findall("<section>", key)) == len(KINDS)
    assert 'class="key"' in tasks.split("</section>")[-1]
    assert re.search(r"\.key \{ break-before: page", tasks)


def test_the_key_has_every_answer_and_the_tasks_have_none_of_the_steps():
    exercises = sheet(3)
    tasks, key = unescape(printed(exercises, "A", 3)).split("Key to A, sheet 3")

    for exercise in exercises:
        for field in exercise.made.fields:
            assert f"<dd>{shown(field, exercise.made.answers[field.name])}</dd>" in key
        assert exercise.made.task in tasks
        assert not any(f"<li>{step.text}" in tasks for step in exercise.made.steps)


def test_the_same_number_is_the_same_sheet_and_it_needs_nothing_else():
    page = printed(sheet(12), "A", 12)

    assert page == printed(sheet(12), "A", 12) != printed(sheet(13), "A", 13)
    assert not re.search(r"(src|href)=|@import|url\(|<script", page)


def test_the_sheet_and_its_key_can_be_had_apart():
    exercises = sheet(3)
    alone, key = (unescape(printed(exercises, "B", 3, (what,))) for what in ("exercises", "key"))

    assert "<title>Exercises B, sheet 3</title>" in alone
    assert "<title>Key to B, sheet 3</title>" in key
    for exercise in exercises:
        assert exercise.made.task in alone
        assert exercise.made.task not in key
        assert f"<li>{exercise.made.steps[0].text}" in key
        assert f"<li>{exercise.made.steps[0].text}" not in alone
