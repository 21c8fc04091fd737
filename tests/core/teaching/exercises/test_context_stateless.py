"""A request holds what stands above the reply that it gets; counted on the roles of the messages."""

import re

import pytest

from core.teaching.exercises import check, make


def k_of(made):
    return int(re.search(r"call (\d+)", made.task)[1])


def requests(made):
    """For each call of the model, how many messages stand before its reply."""
    roles = [role for _, role, _ in made.given[0].rows]
    return [place for place, role in enumerate(roles) if role == "assistant"]


def solved(made):
    sizes = requests(made)[: k_of(made)]
    sent = {"tool schemas", *(f"message {n}" for n in range(1, sizes[-1] + 1))}
    return {"sent": sent, "total": sum(sizes)}


def test_a_thousand_seeds_agree_with_the_roles_counted():
    for seed in range(1000):
        made = make("sent-again", seed).made

        assert {"sent": set(made.answers["sent"]), "total": made.answers["total"]} == solved(made), seed


@pytest.fixture
def seed():
    """One that asks for the second call of three or more."""
    return next(
        seed
        for seed in range(1000)
        if k_of(make("sent-again", seed).made) == 2 and len(requests(make("sent-again", seed).made)) > 2
    )


def verdict(seed, field, answer):
    return next(v for v in check("sent-again", seed, {field: answer}) if v.field == field)


@pytest.mark.parametrize(
    ("without", "named"),
    [
        ({"tool schemas"}, "the model knows no tool"),
        ({"message 1"}, "first message of every call"),
        ({"tool schemas", "message 1"}, "both make up the prefix c0"),
        ({"message 3"}, "does not remember that it wrote them"),
    ],
)
def test_what_is_left_out_is_named(seed, without, named):
    sent = solved(make("sent-again", seed).made)["sent"]

    assert named in verdict(seed, "sent", sent - without).text


def test_sending_only_what_is_new_is_named(seed):
    sizes = requests(make("sent-again", seed).made)
    new = {f"message {n}" for n in range(sizes[0] + 1, sizes[1] + 1)}

    assert "so what it has read before is sent again" in verdict(seed, "sent", new).text


def test_a_reply_in_its_own_request_is_named(seed):
    sizes = requests(make("sent-again", seed).made)
    sent = solved(make("sent-again", seed).made)["sent"]

    assert "is what call 2 returns" in verdict(seed, "sent", sent | {f"message {sizes[1] + 1}"}).text


def test_counting_only_the_last_request_is_named(seed):
    assert "alone" in verdict(seed, "total", str(requests(make("sent-again", seed).made)[1])).text
