"""What the sampling screen is sent; expected values are computed by hand."""

import struct

import pytest

from core.figures.distribution_view import (
    engines,
    logits_bytes,
    names_view,
    prompt_view,
    stage_table,
    tally_view,
    token_table,
)
from core.lm import load_tokenizer
from core.sampling import SamplerSettings, distribution, logits_from_probs, presort

FLAT = logits_from_probs([0.4, 0.3, 0.25, 0.03, 0.02])


def letter(token_id: int) -> str:
    return "ABCDE"[token_id]


def test_a_models_logits_travel_as_float32_in_falling_order():
    payload = logits_bytes(presort([0.5, 2.0, -1.0]))
    assert payload[8] == 4
    assert struct.unpack("<3f", payload[16:]) == (2.0, 0.5, -1.0)


def test_logits_that_float32_would_change_travel_as_float64():
    payload = logits_bytes(presort(FLAT))
    assert payload[8] == 8
    assert struct.unpack("<5d", payload[16:]) == tuple(sorted(FLAT, reverse=True))


def test_other_logits_have_another_key():
    assert logits_bytes(presort([0.5, 2.0]))[:8] != logits_bytes(presort([0.5, 2.5]))[:8]


def test_names_go_by_rank_with_their_ids():
    assert names_view(presort([0.5, 2.0, -1.0]), letter) == {"names": ["B", "A", "C"], "ids": [1, 0, 2]}


def test_the_browser_gets_each_engines_order_and_tie_rule():
    assert engines()["llama.cpp"] == {
        "order": ["top-k", "top-p", "min-p", "temperature"],
        "keepsTies": False,
    }


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
    greedy = distribution(FLAT, SamplerSettings(top_k=1))
    rows = token_table(greedy, letter, lambda id_: letter(id_).encode(), 2)["rows"]
    assert rows == [
        ["1", "A", "0", "41", "-0.9163", "0.400000", "1.000000", ""],
        ["2", "B", "1", "42", "-1.2040", "0.300000", "0", "cut by top-k"],
    ]


def test_a_forbidden_token_is_in_the_table_without_a_finite_logit():
    masked = distribution([0.0, float("-inf")], SamplerSettings())
    row = token_table(masked, letter, None, 2)["rows"][1]
    assert row == ["2", "B", "1", "–", "−∞", "0.000000", "0", ""]


@pytest.mark.parametrize("data", [b"<b>", b"$5", b"\xe2\x80"])
def test_a_tokens_bytes_are_given_in_hexadecimal(data):
    rows = token_table(distribution([0.0], SamplerSettings()), letter, lambda _: data, 1)["rows"]
    assert bytes.fromhex(rows[0][3]) == data


def test_a_tally_stands_beside_what_is_expected():
    view = tally_view(distribution(FLAT, SamplerSettings(top_k=2)), seed=1, count=1000, rows=3)
    # 1,000 draws with 4/7 and 3/7: 571.4 ± sqrt(1000 * 4/7 * 3/7) = 15.6. The third was cut.
    assert [mark["title"] for mark in view["marks"][:2]] == ["expected 571.4 ± 15.6", "expected 428.6 ± 15.6"]
    assert sum(mark["share"] for mark in view["marks"]) == pytest.approx(1)
    assert [mark["possible"] for mark in view["marks"]] == [True, True, False]


def test_a_tally_counts_the_tail_as_one():
    view = tally_view(distribution(FLAT, SamplerSettings()), seed=1, count=1000, rows=3)
    assert view["tail"]["title"] == "expected 50.0 ± 6.9"  # sqrt(1000 * 0.05 * 0.95)


def test_the_stages_in_numbers_are_those_of_the_lecture():
    rows = stage_table(distribution(FLAT, SamplerSettings(top_p=0.9)))["rows"]
    # 1 / 0.95 raises 0.4, 0.3, 0.25; their entropy is 1.5574 bit.
    assert rows[3] == ["top-p", "3", "0.050000", "0.95", "1.5574 bit", "2.94"]
    assert rows[4][0] == "min-p (off)"
