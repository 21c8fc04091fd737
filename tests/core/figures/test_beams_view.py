"""What a beam search says, worked out by hand."""

import math

from core.decoding.beams import START, Beam
from core.figures.beams_view import beam_lane, search_line
from tests.core.decoding.masks_toy import ToyVocabulary

WORDS = ToyVocabulary(["a", "b", " c", "<eos>"])
BEST, GREEDY = Beam((1, 2), (0.5, 0.5)), Beam((0, 0), (0.6, 0.25))


def test_a_beam_is_a_text_with_its_log_probability():
    lane = beam_lane(WORDS, BEST, 0)
    assert (lane["title"], lane["note"], lane["best"]) == ("Beam 1", "2 tokens · log P = −1.39", True)
    assert [chip["text"] for chip in lane["text"]["chips"]] == ["b", "·c"]
    assert lane["text"]["chips"][0]["probability"] == 0.5
    assert lane["text"]["chips"][0]["title"] == "50.0 % in the model"


def test_before_the_first_step_nothing_is_best():
    assert (beam_lane(WORDS, START, 0)["best"], search_line([START], START)) == (False, "")


def test_the_best_beam_is_set_beside_greedy():
    said = search_line([BEST, GREEDY], GREEDY)
    assert said == "Best: log P = −1.39, more than greedy's −1.90 after 2 tokens."
    assert math.log(0.15) == GREEDY.log_prob  # -1.897


def test_beams_that_share_their_beginning_say_so():
    other = Beam((1, 0), (0.5, 0.4))
    assert search_line([BEST, other], BEST) == (
        "So far the greedy text is the best beam. All beams share their first 1 token."
    )
