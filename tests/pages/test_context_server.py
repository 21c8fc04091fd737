"""The context screen of a live run on an Ollama: its own count beside ours, and the sign that it cut."""

import pytest

from core.lm.servers import read_servers
from core.scenarios.live import Begun, Request
from pages.common.shelf import st_shelf
from tests.core.lm.fake_ollama import FakeOllama, call, last, line
from tests.core.lm.fake_server import fake_server
from tests.pages.app import components, open_page

PATIENCE = 60  # seconds
NAME = "qwen3:4b"
WINDOW = 256


@pytest.fixture
def ran(monkeypatch):
    """A run of two calls on an Ollama that reads all of the first and half of its window of the second."""
    asks = line(NAME, tool_calls=[call("search_docs", {"query": "refund days", "reason": "To know."})])
    with fake_server() as server:
        monkeypatch.setenv("LOOPSCOPE_OLLAMA", server.url)
        replies = [
            [asks, last(NAME, read=230)],
            [line(NAME, "Seven days."), last(NAME, read=WINDOW // 2 + 2)],
        ]
        FakeOllama(server, {NAME: ("completion", "tools")}, replies, window=WINDOW)
        request = Request(
            question="Can I have a refund?", kind="ollama", model=NAME, calls="native", tools=("search_docs",)
        )
        begun = Begun(request, read_servers())
        begun.live.wait(PATIENCE)
    return f"live-{st_shelf().put(begun)}"


def test_the_server_s_count_stands_beside_ours_and_a_cut_context_is_marked(ran):
    first, second = components(open_page("context", scenario=ran))[0]["view"]["calls"]
    fewer = first["total"] - 230
    assert first["server"] == {
        "text": f"230 counted by what answered: {fewer} fewer than this estimate",
        "short": False,
    }
    assert first["mark"] == ""
    fewer = second["total"] - 130
    assert second["server"] == {
        "text": f"130 counted by what answered: {fewer} fewer than this estimate, in a window of 256: it has "
        "probably cut the context",
        "short": True,
    }
    assert second["mark"] == "damaged"
