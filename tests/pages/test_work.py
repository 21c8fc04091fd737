"""Work in pieces: it goes on where it was, and begins anew after a press in the middle of a piece."""

from collections.abc import Iterator

import pytest

from pages.common import work


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """A session, and pieces of one number."""
    state: dict[str, object] = {}
    monkeypatch.setattr(work.st, "session_state", state)
    monkeypatch.setattr(work, "PIECE", -1.0)
    return state


def test_it_goes_on_where_it_was_until_it_is_done():
    assert [work.go_on("count", "of it", lambda: iter(range(3))) for _ in range(5)] == [0, 1, 2, None, 0]


def test_it_begins_anew_for_something_else():
    pieces = [work.go_on("count", of, lambda: iter(range(3))) for of in ("one", "one", "other", "other")]
    assert pieces == [0, 1, 0, 1]


def test_it_begins_anew_after_a_piece_that_did_not_come_to_its_end():
    pressed = iter((False, True, False, False))

    def counting() -> Iterator[int]:
        for number in range(3):
            if next(pressed):
                raise KeyboardInterrupt
            yield number

    assert work.go_on("count", "of it", counting) == 0
    with pytest.raises(KeyboardInterrupt):
        work.go_on("count", "of it", counting)
    assert [work.go_on("count", "of it", counting) for _ in range(2)] == [0, 1]
    assert work.last_told("count") == 1
