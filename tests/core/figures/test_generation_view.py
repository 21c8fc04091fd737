"""What the generation screen says of a text, against numbers that are worked out by hand."""

from types import SimpleNamespace

import pytest

from core.decoding import Tree, step, taken
from core.figures.generation_view import (
    advice,
    best,
    branches_view,
    chance_view,
    differing,
    panel_view,
    percent,
    prompt_view,
    repeated,
    sampling_address,
    text_view,
)
from core.sampling import SamplerSettings, distribution, logits_from_probs

# Twelve tokens, a to l; four of them lie beyond the eight that have a row.
PROBS = [0.3, 0.2, 0.1, 0.1, 0.08, 0.06, 0.05, 0.04, 0.03, 0.02, 0.01, 0.01]


class Letters:
    vocab_size = len(PROBS)

    def token_bytes(self, token_id: int) -> bytes:
        return b" " + bytes([ord("a") + token_id])

    def is_special(self, token_id: int) -> bool:
        return token_id == 11


LETTERS = Letters()
MODEL = SimpleNamespace(next_logits=lambda _: logits_from_probs(PROBS))
PLAIN, TOP_K = SamplerSettings(), SamplerSettings(top_k=2)


def drawn(u: float, settings: SamplerSettings = PLAIN):
    return step(MODEL, [0], settings, u)


def by_hand(token_id: int, settings: SamplerSettings = PLAIN):
    return taken(MODEL, [0], settings, token_id)


def greedy():
    return drawn(0.0, SamplerSettings(temperature=0))


def test_a_chip_has_the_models_probability_and_its_surprisal_on_a_scale_of_12_bits():
    chip = text_view(LETTERS, [by_hand(0)], None, 99)["chips"][0]
    assert chip["text"] == "·a"
    assert chip["probability"] == 0.3
    assert chip["surprisal"] == pytest.approx(1.737 / 12, abs=1e-4)  # -log2 0.3 = 1.737


def test_the_title_of_a_chip_tells_both_probabilities_rank_and_u():
    chip = text_view(LETTERS, [drawn(0.7, TOP_K)], None, 99)["chips"][0]
    assert chip["title"] == "20.0 % in the model, 2.3 bit · 40.0 % after the sampler · rank 2 · u = 0.7000"


@pytest.mark.parametrize(
    ("token", "kind"), [(by_hand(1), "hand"), (drawn(0.995), "special"), (drawn(0.1), "")], ids=str
)
def test_chips_put_by_hand_and_control_tokens_differ_from_others(token, kind):
    assert text_view(LETTERS, [token], None, 99)["chips"][0]["kind"] == kind


def test_a_cycle_of_greedy_is_greedys():
    text = text_view(LETTERS, [greedy()] * 4, None, 99)["cycle"]["text"]
    assert text == "Greedy repeats 1 token: 4 times so far; no draw can end it."


def test_a_cycle_that_was_drawn_is_the_texts():
    tokens = [drawn(0.1), drawn(0.4)] * 3
    assert text_view(LETTERS, tokens, None, 99)["cycle"] == {
        "start": 0,
        "period": 2,
        "text": "The text repeats 2 tokens: 3 times so far.",
    }


@pytest.mark.parametrize(
    ("ending", "longest", "said"),
    [
        ("end token", 99, "·a ends the text."),
        ("context", 99, "The context is full: the model reads no more tokens."),
        (None, 1, "1 token: this screen stops here."),
        (None, 2, ""),
    ],
)
def test_why_a_text_is_over_is_said(ending, longest, said):
    assert text_view(LETTERS, [by_hand(0)], ending, longest)["ending"] == said


def test_the_panel_outlines_what_was_taken_and_strikes_what_was_cut():
    rows = panel_view(LETTERS, drawn(0.7, TOP_K), 4, "x", ())["rows"]
    assert [(row["name"], row["label"], row["note"]) for row in rows[:3]] == [
        ("·a", "60.0 %", ""),
        ("·b", "40.0 %", "taken"),
        ("·c", "10.0 %", "cut by top-k"),
    ]


def test_the_tail_of_the_panel_has_the_mass_and_the_number_of_all_others():
    tail = panel_view(LETTERS, drawn(0.7), 0, "x", ())["tail"]
    assert (tail["name"], tail["label"], tail["note"], tail["cut"]) == ("4 more", "7.0 %", "4 kept", False)


def test_a_tail_that_was_cut_is_as_large_as_in_the_model():
    tail = panel_view(LETTERS, drawn(0.7, TOP_K), 0, "x", ())["tail"]
    assert (tail["label"], tail["note"], tail["cut"]) == ("7.0 %", "cut", True)


def test_a_token_from_the_tail_takes_the_last_row_and_leaves_its_place_there():
    # j, 0.02, has the row of h, 0.04, which joins the tail: 0.07 - 0.02 + 0.04.
    panel = panel_view(LETTERS, by_hand(9), 0, "x", ())
    assert (panel["rows"][-1]["name"], panel["rows"][-1]["rank"]) == ("·j", "10")
    assert (panel["tail"]["name"], panel["tail"]["label"]) == ("4 more", "9.0 %")


def test_rows_and_tail_make_up_the_whole():
    panel = panel_view(LETTERS, by_hand(9), 0, "x", ())
    rows = sum(row["before"] for row in panel["rows"])
    assert rows + panel["tail"]["before"] == pytest.approx(1)


def test_the_link_to_the_sampling_screen_has_the_context_the_settings_and_the_draw():
    address = sampling_address(drawn(0.7, SamplerSettings(0.5, 2)), "Her name was", (4, 5))
    assert address == {
        "prompt": "Her name was",
        "added": "4.5",
        "T": "0.5",
        "top_k": "2",
        "by": "hand",
        "u": "0.7",
    }


def test_the_link_of_a_greedy_token_is_greedy_and_of_one_put_by_hand_picks_none():
    assert sampling_address(greedy(), "x", ()) == {"prompt": "x", "T": "0", "by": "greedy"}
    assert sampling_address(by_hand(2), "x", ()) == {"prompt": "x"}


def test_branches_say_where_they_part_and_how_they_go_on():
    tree = Tree().add(by_hand(0)).add(by_hand(1)).add(by_hand(2)).branch(1, by_hand(5))
    assert branches_view(LETTERS, tree) == [
        {"where": "from token 1", "text": "·a·b·c", "count": "3 tokens", "current": False},
        {"where": "from token 2", "text": "·f", "count": "2 tokens", "current": True},
    ]


def test_one_branch_alone_is_not_listed():
    assert branches_view(LETTERS, Tree().add(by_hand(0))) == []


def test_of_a_long_prompt_the_end_is_shown_and_the_rest_counted():
    assert prompt_view(LETTERS, [0, 1, 2], shown=2) == {"tokens": ["·b", "·c"], "before": "1 token before"}
    assert prompt_view(LETTERS, [0, 1], shown=2)["before"] == ""


@pytest.mark.parametrize(
    ("settings", "is_said"),
    [
        (SamplerSettings(1.5), False),
        (SamplerSettings(1.5, top_p=0.95), False),
        (SamplerSettings(1.5, top_p=0.5), True),
        (SamplerSettings(top_k=5, min_p=0.1), True),
        (SamplerSettings(), False),
    ],
)
def test_several_parameters_at_once_are_remarked_on(settings, is_said):
    assert bool(advice(settings)) == is_said


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0.0 %"), (0.0004, "< 0.1 %"), (0.123, "12.3 %"), (0.9996, "> 99.9 %"), (1, "100.0 %")],
)
def test_a_share_is_never_rounded_to_none_or_all(share, text):
    assert percent(share) == text


def test_the_probabilities_of_this_file_are_a_distribution():
    assert distribution(logits_from_probs(PROBS), SamplerSettings()).probs.tolist() == pytest.approx(PROBS)


def test_the_probability_of_a_text_is_the_product_of_its_tokens():
    # ln 0.3 + ln 0.1 = -1.204 - 2.303, whatever the sampler made of them.
    text = [by_hand(0, SamplerSettings(temperature=0.5)), by_hand(2, TOP_K)]
    assert chance_view(text) == "P(text | prompt) = 30.0 % · 10.0 %, log P = −3.51, −1.75 a token"


def test_of_a_long_product_the_first_factors_and_the_last_are_written():
    assert "30.0 % · 20.0 % · 10.0 % · 10.0 % · … · 6.0 %, log" in chance_view(
        [by_hand(token_id) for token_id in (0, 1, 2, 3, 4, 5)]
    )


def test_the_best_of_several_texts_has_the_highest_log_probability_a_token():
    # -1.204 a token, -1.609, and (-1.204 - 1.204) / 2: the first of equals.
    a, b = by_hand(0), by_hand(1)
    assert best([(b,), (a,), (a, a)]) == 1
    assert best([(a,), ()]) is None


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([(0, 1), (0, 1, 2), (0, 2)], "So far 2 different candidates in 3 texts, by their first 2 tokens."),
        ([(0,), (0, 3)], "So far 1 different candidate in 2 texts, by their first 1 token."),
        ([(0,), ()], ""),
    ],
)
def test_candidates_differ_where_their_beginnings_of_one_length_do(texts, said):
    assert differing([[by_hand(token) for token in text] for text in texts]) == said


@pytest.mark.parametrize(
    ("texts", "temperatures", "said"),
    [
        ([(0, 1), (0, 1, 2), (0, 2), (1,)], [0, 0, 1, 1], "T = 0: 2 seeds, 1 text. T = 1: 2 seeds, 2 texts."),
        ([(0,), (0,)], [0, 0.5], ""),
        ([(0,), ()], [0, 0], ""),
    ],
)
def test_what_the_seeds_of_one_temperature_gave_is_counted_by_their_shortest_text(texts, temperatures, said):
    assert repeated([[by_hand(token) for token in text] for text in texts], temperatures) == said
