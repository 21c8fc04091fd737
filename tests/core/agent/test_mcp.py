"""Tools from an MCP server: discovery, calls, what crosses the wire, and servers that fail."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.agent import validate_call
from core.agent.mcp_client import discover
from core.errors import InputError
from core.messages import ToolCall

FAKE = Path(__file__).with_name("mcp_fake_server.py")


@pytest.fixture(scope="module")
def library():
    with discover() as connection:
        yield connection


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log"


@pytest.fixture
def fake(log):
    with discover([sys.executable, str(FAKE), str(log)], timeout=30) as connection:
        yield connection


def tool(connection, name):
    return next(tool for tool in connection.tools if tool.name == name)


def methods(connection):
    sent = [json.loads(line.text) for line in connection.messages if line.direction == "to server"]
    return [message["method"] for message in sent]


def test_the_library_offers_its_tools(library):
    assert [tool.name for tool in library.tools] == ["search_catalogue", "find_room", "opening_hours"]


def test_a_discovered_tool_runs_on_the_server(library):
    assert (
        tool(library, "find_room").execute({"seats": 5, "day": "wednesday"})
        == "Alan (12 seats), Emmy (30 seats)"
    )


def test_the_schema_of_a_discovered_tool_is_checked_before_the_server_is_asked(library):
    crossed = len(library.messages)
    call = ToolCall(id="1", name="find_room", arguments='{"seats": 5, "day": "sunday"}')
    verdict = validate_call(call, library.tools)

    assert (verdict.stage, "$.day" in verdict.message) == ("schema", True)
    assert len(library.messages) == crossed


def test_an_error_of_a_tool_of_the_library_is_its_sentence(library):
    with pytest.raises(InputError, match="No book of the library has all of these words"):
        tool(library, "search_catalogue").execute({"words": "cooking"})


def test_a_tool_that_the_server_does_not_have_is_an_error(library):
    with pytest.raises(InputError, match="nope"):
        library.call("nope", {})


def test_the_library_offers_a_resource_for_the_application_to_read(library):
    crossed = len(library.messages)
    [rules] = library.resources()

    assert rules.name == "library://rules"
    assert "28 days" in library.read(rules.name)
    assert methods(library)[-2:] == ["resources/list", "resources/read"]
    assert len(library.messages) == crossed + 4


def test_the_library_offers_a_prompt_that_becomes_a_message_of_the_user(library):
    [offered] = library.prompts()
    [message] = library.prompt(offered.name, {"topic": "robots"})

    assert (offered.name, offered.arguments) == ("reading_list", ("topic",))
    assert (message.role, "reading list on robots" in message.content) == ("user", True)
    assert methods(library)[-2:] == ["prompts/list", "prompts/get"]


@pytest.mark.parametrize("ask", ["library.read('library://none')", "library.prompt('reading_list', {})"])
def test_what_cannot_be_read_is_a_sentence_of_the_server(library, ask):
    with pytest.raises(InputError, match="The MCP server refuses"):
        eval(ask, {"library": library})


def test_the_handshake_is_the_newest_where_the_server_knows_it(library):
    assert methods(library)[:2] == ["server/discover", "tools/list"]


def test_the_handshake_is_the_older_one_where_the_server_knows_no_other(fake):
    assert methods(fake)[:4] == ["server/discover", "initialize", "notifications/initialized", "tools/list"]


def test_the_messages_are_the_lines_that_the_server_read_and_wrote(fake, log):
    tool(fake, "echo").execute({"text": "é 🙂", "n": [1, 2.50]})
    marks = {"to server": "> ", "from server": "< "}

    recorded = "".join(f"{marks[line.direction]}{line.text}\n" for line in fake.messages)
    assert recorded == log.read_text("utf-8")
    assert '"content" : [{"type" : "text" ,  "text" : ' in fake.messages[-1].text


def test_a_list_of_tools_is_read_to_its_last_page(fake):
    assert [tool.name for tool in fake.tools] == ["echo", "fail", "die", "hang", "picture"]


def test_an_argument_may_have_any_name(fake):
    arguments = {"self": 1, "name": 2, "arguments": 3}

    assert json.loads(tool(fake, "echo").execute(arguments)) == arguments


def test_an_error_of_a_tool_is_an_error_here(fake):
    with pytest.raises(InputError, match=r"^out of paper$"):
        tool(fake, "fail").execute({})


def test_what_is_not_text_is_named(fake):
    assert tool(fake, "picture").execute({}) == "here:\n[image]"


def test_calls_from_many_threads_get_their_own_results(fake):
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda n: tool(fake, "echo").execute({"n": n}), range(40)))

    assert [json.loads(result)["n"] for result in results] == list(range(40))


def test_a_server_that_dies_in_a_call_is_a_sentence_and_so_is_the_next_call(fake):
    with pytest.raises(InputError, match="has ended"):
        tool(fake, "die").execute({})
    with pytest.raises(InputError, match="Connect to it again"):
        tool(fake, "echo").execute({})


def test_a_server_that_hangs_is_a_sentence_after_its_time(log):
    start = time.perf_counter()
    with (
        discover([sys.executable, str(FAKE), str(log)], timeout=2) as connection,
        pytest.raises(InputError, match="did not answer in time"),
    ):
        tool(connection, "hang").execute({})

    assert time.perf_counter() - start < 30  # the tool takes 60


def test_a_closed_connection_says_so_and_closes_twice(fake):
    fake.close()
    fake.close()

    with pytest.raises(InputError, match="closed"):
        tool(fake, "echo").execute({})


def test_closing_during_a_call_ends_the_call_with_a_sentence(log):
    connection = discover([sys.executable, str(FAKE), str(log)], timeout=30)
    with ThreadPoolExecutor(1) as other:
        call = other.submit(connection.call, "hang", {})
        time.sleep(0.3)
        connection.close()

        with pytest.raises(InputError, match="Connect to it again"):
            call.result(timeout=30)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["/there/is/no/such/program"], "cannot be started"),
        ([sys.executable, "-c", "pass"], "has ended"),
        ([sys.executable, "-c", "print('hello')"], "has ended"),
        ([sys.executable, "-c", "import sys; sys.exit('no')"], "has ended"),
    ],
)
def test_what_is_not_a_server_is_a_sentence(command, sentence):
    with pytest.raises(InputError, match=sentence):
        discover(command, timeout=1)


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
def test_a_silent_server_and_what_it_started_are_killed(tmp_path, monkeypatch):
    monkeypatch.setattr("mcp.client.session.DISCOVER_TIMEOUT_SECONDS", 0.5)
    pid = tmp_path / "pid"
    with pytest.raises(InputError, match="did not answer in time"):
        discover(["sh", "-c", f"sleep 60 & echo $! > {pid}; trap '' TERM; sleep 60"], timeout=0.5)

    assert gone(lambda: not _runs(int(pid.read_text())))


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("end", ["connection.close()", "pass", "os.kill(os.getpid(), 9)"])
def test_no_server_outlives_its_connection_or_this_process(tmp_path, end):
    code = f"""
import os, sys
from core.agent.mcp_client import discover
connection = discover([sys.executable, {str(FAKE)!r}, {str(tmp_path / "log")!r}])
print(os.popen(f"ps -o pid= --ppid {{os.getpid()}}").read(), flush=True)
{end}
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )

    assert ended.stdout.split()
    assert gone(lambda: not any(_is_fake(int(pid)) for pid in ended.stdout.split()))


def gone(is_gone: Callable[[], bool], patience: float = 20) -> bool:
    """Whether it is so at last: a process, or the thread waiting for it, ends a moment after it is told."""
    deadline = time.monotonic() + patience
    while not is_gone() and time.monotonic() < deadline:
        time.sleep(0.05)
    return is_gone()


def _is_fake(pid: int) -> bool:
    return FAKE.name in os.popen(f"ps -ww -o args= -p {pid}").read()


def _runs(pid: int) -> bool:
    state = os.popen(f"ps -o stat= -p {pid}").read().strip()
    return bool(state) and not state.startswith("Z")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_server_that_is_killed_from_outside_closes_in_peace(log):
    with discover([sys.executable, str(FAKE), str(log)], timeout=30) as connection:
        children = os.popen(f"ps -ww -o pid=,args= --ppid {os.getpid()}").read().splitlines()
        [pid] = [int(child.split()[0]) for child in children if FAKE.name in child]
        os.kill(pid, signal.SIGTERM)
        time.sleep(0.3)
        with pytest.raises(InputError, match="Connect to it again"):
            connection.call("echo", {})


def test_the_server_sees_no_secrets_of_this_process(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "swordfish")
    seen = tmp_path / "env"
    with pytest.raises(InputError):
        discover([sys.executable, "-c", f"import os; open({str(seen)!r}, 'w').write(repr(os.environ))"])

    assert "PATH" in seen.read_text()
    assert "swordfish" not in seen.read_text()


def test_no_thread_is_left_behind(log):
    before = set(threading.enumerate())
    discover([sys.executable, str(FAKE), str(log)]).close()

    assert gone(lambda: set(threading.enumerate()) <= before)


def test_the_sdk_is_loaded_by_the_first_connection_only():
    code = "import sys, core.agent.mcp_client; sys.exit('mcp' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
