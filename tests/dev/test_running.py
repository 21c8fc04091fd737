"""A whole run of dev.py."""

import contextlib
import http.client
import os
import signal
import subprocess
import sys

import pytest

import dev
from tests.dev.asking import ROOT, unused_port

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the pretended Python is a script with #!"),
    pytest.mark.timeout(180),
]

RUN = """\
import pathlib, signal, sys
import dev
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
dev.ROOT, dev.VENV = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[1], ".venv")
dev.prepare = lambda command: None
dev.venv_python = lambda: sys.executable
def await_model(installer):
    installer.wait()
    raise dev.Stop("No registry can be reached.")
dev.await_model = await_model
sys.argv[1:] = ["run", "--headless", "--port", sys.argv[2]]
sys.exit(dev.main())
"""


@pytest.fixture
def start(project):
    """Starts the app given as text; gives what was printed up to the address, the process and its port."""
    started = []

    def start(app: str, until: str = "Loopscope runs at"):
        (project / "app.py").write_text(app, "utf-8")
        (project / ".streamlit").mkdir()
        (project / ".streamlit" / "config.toml").write_bytes(
            (ROOT / ".streamlit" / "config.toml").read_bytes()
        )
        port = unused_port()
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, str(project), str(port)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        printed = ""
        while until not in printed:
            line = process.stdout.readline()
            assert line, printed
            printed += line
        return printed, process, port

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=40)


def first_page(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/")
    return connection.getresponse().status


def test_a_run_answers_and_has_run_the_app_before_it_prints_its_address(start, project):
    _, _, port = start("import pathlib; pathlib.Path('has run').touch()")

    assert (project / "has run").exists()
    assert first_page(port) == 200


def test_a_run_without_the_model_says_so_and_starts(start):
    printed, _, _ = start("")

    assert "No registry can be reached. Loopscope starts without it, on the bundled examples." in printed


def test_a_run_whose_app_fails_says_so(start):
    printed, _, _ = start("raise ValueError")

    assert "The first page did not run through" in printed


@pytest.mark.parametrize("whom", ["the terminal's processes", "dev.py alone"])
def test_ctrl_c_stops_the_server_without_a_traceback(start, whom):
    _, process, port = start("")

    (os.kill if whom == "dev.py alone" else os.killpg)(process.pid, signal.SIGINT)
    rest, _ = process.communicate(timeout=40)

    assert process.returncode == 130  # what a shell reports for a program that Ctrl-C ended
    assert rest.strip().splitlines()[-1] == "Stopped."
    assert "Traceback" not in rest
    assert dev.is_free("127.0.0.1", port)


def test_a_server_that_ends_by_itself_is_reported(start):
    _, process, _ = start("import os, threading; threading.Timer(1, os._exit, [3]).start()")

    rest, _ = process.communicate(timeout=40)

    assert process.returncode == 1
    assert "Streamlit ended with exit code 3" in rest


def test_a_running_server_does_not_hold_the_lock(start, capsys):
    start("")

    with dev.only_start():
        assert "Another start" not in capsys.readouterr().out


# The real app


SECOND_START = """\
import pathlib, sys
import dev
dev.VENV = pathlib.Path(sys.argv[1], ".venv")
dev.venv_python = lambda: pathlib.Path(sys.executable)
dev.write_stamp([dev.fingerprint("run")])
sys.argv[1:] = ["run", "--headless", "--port", sys.argv[2]]
sys.exit(dev.main())
"""


def test_a_second_start_serves_the_real_app(project):
    port = unused_port()
    process = subprocess.Popen(
        [sys.executable, "-c", SECOND_START, str(project), str(port)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )
    try:
        assert any(f"Loopscope runs at http://127.0.0.1:{port}" in line for line in process.stdout)
        assert dev.status_of("127.0.0.1", port, "/") == 200
        assert dev.status_of("127.0.0.1", port, "/_stcore/script-health-check") == 200
    finally:
        process.terminate()
        process.wait(60)
