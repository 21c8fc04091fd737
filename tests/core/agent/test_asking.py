"""What is left of a reply that breaks off, or that is cut where it says all that will count."""

from collections.abc import Generator
from typing import Any

import pytest

from core.agent import TEXT, run
from core.agent.asking import StopRun
from core.errors import InputError
from core.figures.loop_cards import cards_of
from core.lm.chat import Piece, Reply
from core.trace import TokenChoice, Trace

TOKENS = tuple(TokenChoice(text=text, logprob=-1.0) for text in ("Ber", "lin", "\nObservation", ":"))


class Teller:
    """Streams a token a piece, and then fails."""

    name, window = "teller", None

    def stream(self, messages: Any, tools: Any) -> Generator[Piece, None, Reply]:  # noqa: ARG002
        for token in TOKENS:
            yield Piece(text=token.text, tokens=(token,))
        raise InputError("The server is gone.")

    def reply(self, messages: Any, tools: Any) -> Reply:  # noqa: ARG002
        raise AssertionError("it streams")


def stop_at_lin(piece: Piece) -> None:
    if piece.text == "lin":
        raise StopRun


@pytest.mark.parametrize(
    ("options", "kept"),
    [({}, TOKENS), ({"watch": stop_at_lin}, TOKENS[:2]), ({"format": TEXT}, TOKENS)],
    ids=["fails", "stopped", "says all"],
)
def test_the_tokens_that_had_come_are_kept(options, kept):
    call = next(step.model_call for step in run(Teller(), "q", max_steps=1, **options) if step.model_call)
    assert call.tokens == kept


def test_a_reply_that_broke_off_shows_its_tokens():
    steps = tuple(run(Teller(), "q", watch=stop_at_lin))
    broken = cards_of(Trace(title="t", source="live", steps=steps))[0][-1]
    assert broken.drawn is not None
    assert (broken.text, [chip.text for chip in broken.drawn.chips]) == ("Berlin", ["Ber", "lin"])


def test_a_reply_that_never_came_has_no_card():
    class Silent(Teller):
        def stream(self, messages: Any, tools: Any) -> Generator[Piece, None, Reply]:  # noqa: ARG002
            raise InputError("The server is gone.")
            yield Piece()

    steps = tuple(run(Silent(), "q"))
    cards, _ = cards_of(Trace(title="t", source="live", steps=steps))
    assert [card.kind for card in cards] == ["UserMessage"]
