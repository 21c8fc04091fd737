"""The picture of the home screen; expected values come from numpy and the tokenizer alone."""

from pathlib import Path

import numpy as np
import pytest

from core.context import TokenCounter
from core.figures.home_view import HomeView, home_view
from core.lm import load_examples, load_tokenizer
from core.scenarios import trace

PAGES = Path(__file__).parents[3] / "pages"
EXAMPLE = load_examples()[0]


@pytest.fixture(scope="module")
def run():
    return trace("berlin", TokenCounter(load_tokenizer()))


@pytest.fixture(scope="module")
def view(run) -> HomeView:
    return home_view(EXAMPLE, load_tokenizer(), "berlin", run)


def sent_text(run, call: int) -> str:
    return "".join(segment.text for segment in run.calls[call].segments)


def token_ids(text: str) -> list[int]:
    return list(load_tokenizer().encode(text))


def test_the_text_is_the_prompts_tokens(view):
    assert "".join(view.token.text) == "The·capital·of·France·is"


def test_rows_hold_the_largest_logits_and_their_softmax(view):
    logits = EXAMPLE.logits.astype(float)
    probs = np.exp(logits) / np.exp(logits).sum()
    largest = np.argsort(-logits)[:5]
    assert [row.logit for row in view.token.rows] == [f"{logits[token]:.2f}" for token in largest]
    assert [row.prob for row in view.token.rows] == pytest.approx(probs[largest])
    assert view.token.rows[0].name == "·Paris"


def test_the_tail_is_every_token_without_a_row(view):
    assert view.token.tail.name == "49,147 more"
    assert view.token.tail.prob == pytest.approx(1 - sum(row.prob for row in view.token.rows))


def test_u_picks_the_token_under_it_on_the_line(view):
    assert view.token.u == np.random.default_rng(0).random()
    under = int(np.searchsorted(np.cumsum(view.token.pieces), view.token.u, side="right"))
    assert view.token.drawn == view.token.rows[under].name


def test_the_loop_shows_the_call_and_what_the_tool_returned(view):
    shown = [station.shown for station in view.loop.stations]
    assert shown[1:] == ['get_weather(city="Berlin")', "valid, executed", "12°C, rainy"]


def test_the_first_call_reads_as_many_tokens_as_its_text_has(run, view):
    assert view.loop.stations[0].shown == f"reads {len(token_ids(sent_text(run, 0)))} tokens"


def test_the_context_is_the_whole_text_of_the_second_call(run, view):
    whole = len(token_ids(sent_text(run, 1)))
    assert view.context.total == f"{whole} tokens"
    assert sum(entry.tokens for entry in view.context.entries) == whole
    assert sum(int(part.tokens) for part in view.context.parts) == whole


def test_re_sent_is_what_both_calls_begin_with(run, view):
    first, second = (token_ids(sent_text(run, call)) for call in (0, 1))
    assert second[: len(first)] == first
    new = len(second) - len(first)
    assert (view.context.resent, view.context.fresh) == (f"{len(first)} re-sent", f"{new} new")
    assert sum(stretch.new for entry in view.context.entries for stretch in entry.stretches) == new


def test_symbols_stand_for_the_prefix_and_one_message_each(run, view):
    assert [entry.symbol for entry in view.context.entries] == ["c_0", "o_1", "a_1", "o_2", ""]
    prefix, _ = sent_text(run, 1).split("<|im_start|>user", 1)
    assert view.context.entries[0].tokens == len(token_ids(prefix))


def test_the_answer_is_that_of_the_run(view):
    assert view.context.answer == "It's 12°C and rainy in Berlin."


def test_each_door_names_a_screen_that_exists(view):
    assert [door.label for door in view.doors] == ["Sampling", "ReAct", "Context budget"]
    assert all((PAGES / f"{door.screen}.py").is_file() for door in view.doors)


def test_the_door_to_the_context_opens_at_the_call_in_the_picture(run, view):
    step = run.steps[int(view.doors[2].address["step"]) - 1]
    assert step.model_call is run.calls[1]
