"""The types, told from who acts in the sentence."""

import pytest

from core.teaching.exercises import check, make


def solved(text):
    if text.startswith("The developer"):
        return "SystemMessage"
    if text.startswith("A person"):
        return "UserMessage"
    if text.startswith("The model"):
        return "AssistantMessage"
    if text.startswith(("The tool", "A call")):
        return "ToolResultMessage"
    raise AssertionError(text)


def test_a_thousand_seeds_agree_with_who_acts():
    for seed in range(1000):
        made = make("message-types", seed).made

        assert dict(made.answers) == {name: solved(text) for name, text in made.given[0].rows}, seed


@pytest.mark.parametrize(
    ("event", "chosen", "named"),
    [
        ("SYSTEM MESSAGE to the assistant", "SystemMessage", "This came out of a tool"),
        ("A person types: “SYSTEM", "SystemMessage", "whatever it says of itself"),
        ("raises an exception", "UserMessage", "Nobody typed this"),
        ("A call fails a check", "AssistantMessage", "Each call gets a result"),
        ("The model asks for", "ToolResultMessage", "answers a call, with its id"),
        ("asks for no tool", "UserMessage", "what the user said"),
    ],
)
def test_a_typical_mistake_is_named(event, chosen, named):
    seed, name = next(
        (seed, name)
        for seed in range(1000)
        for name, text in make("message-types", seed).made.given[0].rows
        if event in text
    )
    verdict = next(v for v in check("message-types", seed, {name: chosen}) if v.field == name)

    assert verdict.state == "wrong"
    assert named in verdict.text
