"""Cuts, judged with sets of ids that the texts name, and a compaction written in another way."""

import re

import pytest

from core.teaching.exercises import check, make


def messages(made):
    """Role, ids of calls, id of a result, of each message."""
    found = []
    for _, role, text in made.given[0].rows:
        calls = set(re.findall(r"(call_\w+):", text)) if role == "assistant" else set()
        result = set(re.findall(r"^result of (call_\w+):", text)) if role == "tool" else set()
        found.append((role, calls, result))
    return found


def is_sound(made, cut):
    start, end = map(int, cut.split(" to "))
    left = [message for n, message in enumerate(messages(made)) if not start <= n <= end]
    return set().union(*(calls for _, calls, _ in left)) == set().union(*(result for _, _, result in left))


def dropped(made):
    """Go back from the cut until what is there is no result, then leave what is always kept."""
    keep = int(re.search(r"the last (\d+)\?", made.task)[1])
    roles = [role for role, _, _ in messages(made)]
    cut = len(roles) - keep
    while roles[cut] == "tool":
        cut -= 1
    question = max(n for n, role in enumerate(roles) if role == "user")
    return len([n for n in range(1, cut) if n != question])


def test_a_thousand_seeds_agree_with_sets_of_ids():
    for seed in range(1000):
        made = make("compaction", seed).made
        options = made.fields[0].options

        assert set(made.answers["cuts"]) == {cut for cut in options if is_sound(made, cut)}, seed
        assert made.answers["dropped"] == dropped(made), seed


def verdict(seed, field, answer):
    return next(v for v in check("compaction", seed, {field: answer}) if v.field == field)


def bad_cut(seed, takes_call):
    """A cut of this exercise that parts one pair, and takes its call, or its result."""
    made = make("compaction", seed).made
    for cut in made.fields[0].options:
        start, end = map(int, cut.split(" to "))
        gone = messages(made)[start : end + 1]
        calls = set().union(*(calls for _, calls, _ in gone))
        results = set().union(*(result for _, _, result in gone))
        if calls - results and not results - calls if takes_call else results - calls and not calls - results:
            return cut
    return None


@pytest.mark.parametrize(
    ("takes_call", "named"), [(True, "would lose its call"), (False, "would lose its result")]
)
def test_a_cut_through_a_pair_is_named(takes_call, named):
    seed = next(seed for seed in range(1000) if bad_cut(seed, takes_call))
    right = make("compaction", seed).made.answers["cuts"]
    cut = bad_cut(seed, takes_call)
    text = verdict(seed, "cuts", right | {cut}).text

    assert text.startswith(cut)
    assert named in text


def test_leaving_out_a_sound_cut_is_named():
    seed = next(seed for seed in range(1000) if len(make("compaction", seed).made.answers["cuts"]) == 2)
    one, other = make("compaction", seed).made.answers["cuts"]

    assert verdict(seed, "cuts", {one}).text == f"{other} may go too: no pair is parted."


def test_a_count_that_cuts_through_a_pair_is_named():
    """The last message is kept alone with its block: asking for as many as cut before a result."""
    for seed in range(1000):
        made = make("compaction", seed).made
        keep = int(re.search(r"the last (\d+)\?", made.task)[1])
        roles = [role for role, _, _ in messages(made)]
        question = max(n for n, role in enumerate(roles) if role == "user")
        plain = len([n for n in range(1, len(roles) - keep) if n != question])
        if plain != made.answers["dropped"]:
            assert "moved back before the call" in verdict(seed, "dropped", str(plain)).text
            return
    raise AssertionError
