"""The picture says what the distribution is; expected values are computed by hand."""

import pytest

from core.figures.distribution_view import Pick, distribution_view, percent, prompt_view, token_table
from core.lm import load_tokenizer
from core.sampling import SamplerSettings, distribution, logits_from_probs

FLAT = logits_from_probs([0.4, 0.3, 0.25, 0.03, 0.02])


def letter(token_id: int) -> str:
    return "ABCDE"[token_id]


def view(rows: int = 12, pick: Pick | None = None, **settings: float) -> dict:
    return distribution_view(distribution(FLAT, SamplerSettings(**settings)), letter, pick, rows)


def test_rows_hold_the_probabilities_before_and_after_the_cut():
    rows = view(top_k=2)["rows"]
    assert [row["before"] for row in rows] == pytest.approx([0.4, 0.3, 0.25, 0.03, 0.02])
    assert [row["after"] for row in rows] == pytest.approx([4 / 7, 3 / 7, 0, 0, 0])


def test_a_cut_token_shows_what_cut_it_and_its_last_probability():
    row = view(top_k=2)["rows"][2]
    assert (row["reason"], row["label"], row["state"]) == ("cut by top-k", "25.0 %", "is-cut")


def test_the_tail_is_one_bar_with_its_count_and_mass():
    tail = view(rows=3)["tail"]
    assert (tail["name"], tail["label"], tail["reason"]) == ("2 more", "5.0 %", "2 kept")


def test_a_cut_tail_shows_the_mass_it_had_and_what_cut_it():
    tail = view(rows=3, top_p=0.9)["tail"]
    assert (tail["label"], tail["reason"], tail["after"]) == ("5.0 %", "cut by top-p", 0)


def test_the_tail_is_marked_where_its_bar_is_longer_than_the_scale():
    assert view(rows=1)["tail"]["beyond"]
    assert not view(rows=3)["tail"]["beyond"]


def test_there_is_no_tail_where_every_token_has_a_row():
    assert view(rows=5)["tail"] is None


def test_a_picked_token_from_the_tail_takes_the_last_row_and_leaves_the_tail():
    picture = view(rows=3, pick=Pick(token_id=4, u=0.99))
    assert [row["rank"] for row in picture["rows"]] == ["1", "2", "5"]
    # Left in the tail: C with 0.25 and D with 0.03.
    assert picture["tail"]["label"] == "28.0 %"


def test_the_line_of_u_is_divided_as_the_kept_probabilities_are():
    line = view(top_p=0.9, pick=Pick(token_id=1, u=0.5))["draw"]
    assert [piece["share"] for piece in line["pieces"]] == pytest.approx(
        [0.4 / 0.95, 0.3 / 0.95, 0.25 / 0.95]
    )
    assert [piece["picked"] for piece in line["pieces"]] == [False, True, False]


def test_the_strip_follows_the_engines_order():
    titles = [stage["title"] for stage in view(engine="llama.cpp", temperature=0.5, top_k=2)["stages"]]
    assert titles == ["softmax", "top-k 2", "top-p off", "min-p off", "÷ T = 0.50", "renormalised", "token"]


def test_the_strip_says_what_each_stage_took_away():
    stages = {stage["title"]: (stage["value"], stage["note"]) for stage in view(top_p=0.9)["stages"]}
    assert stages["top-p 0.9"] == ("3 tokens", "− 5.0 %")
    assert stages["min-p off"] == ("3 tokens", "nothing cut")


def test_greedy_is_shown_without_u():
    picture = view(pick=Pick(token_id=0, u=None))
    assert picture["draw"]["label"] == "greedy: no u"
    assert picture["stages"][-1] == {"title": "token", "value": "A", "note": "the most probable"}


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0.0 %"), (1, "100.0 %"), (0.0004, "< 0.1 %"), (0.99951, "> 99.9 %"), (0.25, "25.0 %")],
)
def test_a_percentage_is_never_rounded_to_impossible_or_certain(share, text):
    assert percent(share) == text


def test_a_prompts_tokens_are_shown_with_what_was_appended_and_what_controls():
    tokenizer = load_tokenizer()
    ids = [*tokenizer.encode("<|im_start|>a b"), *tokenizer.encode(" c")]
    prompt = prompt_view(tokenizer, ids, added=1)
    assert [(token["text"], token["kind"]) for token in prompt["tokens"]] == [
        ("<|im_start|>", "special"),
        ("a", ""),
        ("·b", ""),
        ("·c", "drawn"),
    ]
    assert prompt["count"] == "4 tokens · exact"


def test_the_table_gives_bytes_and_says_what_was_cut():
    table = token_table(
        distribution(FLAT, SamplerSettings(top_k=1)), letter, lambda id_: letter(id_).encode(), 2
    )
    assert table["rows"] == [
        ["1", "A", "0", "41", "-0.9163", "0.400000", "1.000000", ""],
        ["2", "B", "1", "42", "-1.2040", "0.300000", "0", "cut by top-k"],
    ]


def test_a_forbidden_token_is_in_the_table_without_a_finite_logit():
    masked = distribution([0.0, float("-inf")], SamplerSettings())
    assert token_table(masked, letter, None, 2)["rows"][1] == [
        "2",
        "B",
        "1",
        "–",
        "−∞",
        "0.000000",
        "0",
        "cut by mask",
    ]
