"""Two starts at once, ports, the browser of the tests, and other Pythons."""

import ast
import io
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import dev
from tests.dev.asking import ROOT, refusal, unused_port

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the pretended Python is a script with #!"),
    pytest.mark.timeout(180),
]

HOLDER = """\
import pathlib, sys, time
import dev
dev.VENV = pathlib.Path(sys.argv[1])
with dev.only_start():
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def hold_lock(project: Path, seconds: float) -> subprocess.Popen[bytes]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(project / ".venv"), str(seconds)], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert isinstance(holder.stdout, io.BufferedReader)
    assert holder.stdout.readline() == b"held\n"
    return holder


def test_a_second_start_says_that_it_waits_and_goes_on_after_the_first(project, capsys):
    with hold_lock(project, 1.5) as holder, dev.only_start():
        ended = holder.wait(30) == 0

    assert ended
    assert capsys.readouterr().out.count("Another start is at work") == 1


def test_a_start_that_was_killed_leaves_no_lock(project, capsys):
    with hold_lock(project, 60) as holder:
        holder.kill()
        holder.wait()
        with dev.only_start():
            pass

    assert capsys.readouterr().out == ""


@pytest.fixture
def taken():
    """A port of this machine that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_the_asked_port_is_used_if_it_is_free():
    port = unused_port()

    assert dev.choose_port("127.0.0.1", port) == port


def test_an_asked_port_that_is_taken_is_refused_by_its_number(taken):
    told = refusal(dev.choose_port, "127.0.0.1", taken)

    assert str(taken) in told
    assert "--port" in told


def test_a_default_port_that_is_taken_gives_way_to_the_next_and_says_so(taken, monkeypatch, capsys):
    monkeypatch.setattr(dev, "DEFAULT_PORT", taken)

    port = dev.choose_port("127.0.0.1", None)

    assert taken < port < taken + 100
    assert capsys.readouterr().out == f"Port {taken} is taken, so Loopscope takes {port}.\n"


@pytest.mark.parametrize("host", ["192.0.2.1", "no such host"])
def test_a_host_that_is_not_this_machine_is_one_sentence(host):
    assert f"cannot listen on {host}, port 8501" in refusal(dev.choose_port, host, 8501)


def test_a_number_that_is_no_port_is_one_sentence():
    assert "65535" in refusal(dev.choose_port, "127.0.0.1", 70000)


@pytest.mark.parametrize(
    ("host", "shown"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::1", "[::1]"), ("::", "[::1]")],
)
def test_the_printed_address_can_be_opened_on_this_machine(host, shown):
    assert dev.reachable(host) == shown


def test_the_named_chromium_comes_first(tmp_path, monkeypatch):
    (tmp_path / "chrome").touch()
    monkeypatch.setenv("CHROME_PATH", str(tmp_path / "chrome"))

    assert dev.find_chromium() == str(tmp_path / "chrome")


def test_a_named_chromium_that_is_missing_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("CHROME_PATH", str(tmp_path / "chrome"))

    assert str(tmp_path / "chrome") in refusal(dev.find_chromium)


def test_a_chrome_on_the_path_is_found(tmp_path, monkeypatch):
    (tmp_path / "google-chrome").write_text("#!/bin/sh\n")
    (tmp_path / "google-chrome").chmod(0o755)
    monkeypatch.delenv("CHROME_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert dev.find_chromium() == str(tmp_path / "google-chrome")


def test_an_older_python_is_told_so_in_one_sentence():
    script = "import sys; sys.version_info = (3, 9, 2); sys.version = '3.9.2 (default)'\n"
    script += "exec(open('dev.py').read())"

    result = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)

    assert result.stderr == "Loopscope needs Python 3.11 or newer, and this is 3.9.2: start a newer one.\n"
    assert result.returncode == 1


def test_an_older_python_can_read_the_file_at_all():
    ast.parse((ROOT / "dev.py").read_text("utf-8"), feature_version=(3, 7))
