"""The decisions of dev.py, in a project folder of the test's own and with a Python that only pretends."""

import ast
import contextlib
import http.client
import io
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import dev

ROOT = Path(dev.__file__).parent
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the pretended Python is a script with #!"),
    pytest.mark.timeout(180),
]

OFFLINE = """\
WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by 'NewConnectionError('<pip._vendor\
.urllib3.connection.HTTPSConnection>: Failed to establish a new connection: [Errno 111]')': /simple/numpy/
ERROR: Could not find a version that satisfies the requirement numpy==2.4.6 (from versions: none)
ERROR: No matching distribution found for numpy==2.4.6
"""
DISK_FULL = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n"
DAMAGED = (
    "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated ...\n"
)
HALF = "ERROR: Wheel 'numpy' located at /tmp/pip-unpack/numpy-2.4.6.whl is invalid.\n"
NO_WHEEL = "error: subprocess-exited-with-error\nERROR: Failed building wheel for numpy\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty project folder that dev.py takes for its own."""
    for name in dev.REQUIREMENTS["test"]:
        (tmp_path / name).write_text(f"# {name}\n", "utf-8")
    (tmp_path / ".venv").mkdir()
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "VENV", tmp_path / ".venv")
    return tmp_path


class PretendedPython:
    """An executable in place of .venv's: notes how it is called, says `stderr` and ends with `code`."""

    def __init__(self, project: Path) -> None:
        self.path, self.log, self.answer = dev.venv_python(), project / "calls", project / "answer"
        self.make()
        self.answers("", code=0)

    def make(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(
            f"#!{sys.executable} -S\n"
            "import sys\n"
            f"open({str(self.log)!r}, 'a').write(sys.argv[2].splitlines()[0] + '\\n')\n"
            f"code, text = open({str(self.answer)!r}).read().split('\\n', 1)\n"
            "sys.stderr.write(text)\n"
            "sys.exit(int(code))\n",
            "utf-8",
        )
        self.path.chmod(0o755)

    def answers(self, stderr: str, code: int = 1) -> None:
        self.answer.write_text(f"{code}\n{stderr}", "utf-8")

    def calls(self) -> list[str]:
        return self.log.read_text("utf-8").splitlines() if self.log.exists() else []

    def forget_calls(self) -> None:
        self.log.unlink(missing_ok=True)


@pytest.fixture
def python(project, monkeypatch):
    python = PretendedPython(project)

    def make_venv() -> None:
        with python.log.open("a") as log:
            log.write("make venv\n")
        python.make()

    monkeypatch.setattr(dev, "make_venv", make_venv)
    return python


@pytest.fixture
def ready(python):
    """A project whose environment is complete."""
    dev.prepare("test")
    python.forget_calls()
    return python


def refusal(act, *arguments) -> str:
    with pytest.raises(dev.Stop) as stop:
        act(*arguments)
    return str(stop.value)


# The environment


@pytest.mark.parametrize("command", ["run", "test"])
def test_a_complete_environment_costs_no_process(ready, command):
    dev.prepare(command)

    assert ready.calls() == []


def test_changed_requirements_are_installed_once(ready, project):
    (project / "constraints.txt").write_text("numpy==2.4.7\n", "utf-8")

    dev.prepare("run")
    dev.prepare("run")

    assert ready.calls().count("pip") == 1


def test_an_environment_for_running_is_completed_for_the_tests(python):
    dev.prepare("run")
    python.forget_calls()

    dev.prepare("test")

    assert "pip" in python.calls()


def test_an_environment_whose_making_was_interrupted_is_made_anew(ready):
    dev.write_stamp([*dev.read_stamp(), dev.UNFINISHED])

    dev.prepare("run")

    assert ready.calls() == ["make venv", "pip"]


def test_an_environment_without_a_python_is_made_anew(ready):
    ready.path.unlink()

    dev.prepare("run")

    assert ready.calls() == ["make venv", "pip"]


def test_an_environment_made_by_hand_is_kept(python):
    dev.prepare("run")

    assert "make venv" not in python.calls()


def test_an_environment_made_by_hand_without_pip_is_made_anew(python, monkeypatch):
    python.answers("ModuleNotFoundError: No module named 'pip'")
    monkeypatch.setattr(dev, "make_venv", lambda: python.answers("", code=0))

    dev.prepare("run")

    assert dev.fingerprint("run") in dev.read_stamp()


def test_making_an_environment_clears_what_was_left_but_not_the_lock(project, monkeypatch):
    (project / ".venv" / "lib").mkdir()
    (project / ".venv" / "lib" / "half.py").touch()
    (project / ".venv" / dev.LOCK_NAME).touch()
    monkeypatch.setattr(dev, "call", lambda *_, **__: subprocess.CompletedProcess([], 0, "", ""))

    dev.make_venv()

    assert {path.name for path in (project / ".venv").iterdir()} == {dev.LOCK_NAME, dev.STAMP_NAME}
    assert dev.read_stamp() == [dev.UNFINISHED]


@pytest.mark.usefixtures("project")
def test_a_python_without_ensurepip_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(dev.importlib.util, "find_spec", lambda name: None if name == "ensurepip" else 1)

    assert "apt install python3." in refusal(dev.make_venv)


# Installations that fail


@pytest.fixture
def outdated(ready, project):
    (project / "requirements.txt").write_text("numpy==2.4.7\n", "utf-8")
    return ready


@pytest.mark.parametrize(
    ("stderr", "sentence"),
    [
        (OFFLINE, "No package registry could be reached"),
        (DISK_FULL, "The disk is full"),
        (OFFLINE + DISK_FULL, "The disk is full"),
        (DAMAGED, "arrived damaged"),
        (HALF, "arrived damaged"),
        (NO_WHEEL, "The installation failed: Failed building wheel for numpy"),
    ],
    ids=["offline", "disk full", "both", "damaged", "half a download", "anything else"],
)
def test_a_failure_of_pip_is_one_sentence(outdated, monkeypatch, stderr, sentence):
    monkeypatch.setattr(dev, "venv_works", lambda: True)
    outdated.answers(stderr)

    told = refusal(dev.prepare, "run")

    assert sentence in told
    assert "\n" not in told


@pytest.mark.parametrize("stderr", [DISK_FULL, DAMAGED, NO_WHEEL], ids=["disk full", "damaged", "else"])
def test_after_a_failed_installation_the_environment_is_made_anew(outdated, monkeypatch, stderr):
    monkeypatch.setattr(dev, "venv_works", lambda: True)
    outdated.answers(stderr)
    refusal(dev.prepare, "run")
    outdated.answers("", code=0)
    outdated.forget_calls()

    dev.prepare("run")

    assert outdated.calls() == ["make venv", "pip"]


def test_without_a_network_the_earlier_environment_still_serves_the_earlier_requirements(
    outdated, project, monkeypatch
):
    monkeypatch.setattr(dev, "venv_works", lambda: True)
    outdated.answers(OFFLINE)
    refusal(dev.prepare, "run")
    outdated.forget_calls()

    (project / "requirements.txt").write_text("# requirements.txt\n", "utf-8")
    dev.prepare("run")

    assert outdated.calls() == []


@pytest.mark.usefixtures("outdated")
def test_an_installation_that_is_interrupted_leaves_the_environment_unfinished(monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(dev, "call", interrupt)
    monkeypatch.setattr(dev, "venv_works", lambda: True)

    with pytest.raises(KeyboardInterrupt):
        dev.prepare("run")

    assert dev.UNFINISHED in dev.read_stamp()


def test_a_full_disk_under_dev_itself_is_one_sentence():
    assert "The disk is full" in dev.explain_os_error(OSError(28, os.strerror(28)))


def test_a_full_disk_is_noticed_where_venv_hides_it(monkeypatch):
    monkeypatch.setattr(dev.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9, 0))

    assert "The disk is full" in dev.explain_pip("ensurepip returned non-zero exit status 1.")


def test_the_model_is_refused_with_the_sentence_of_its_installer(python):
    python.answers("Downloading\nThe embedded model could not be fetched: check the network.\n")

    installer = dev.start_model_installer()

    assert (
        refusal(dev.await_model, installer) == "The embedded model could not be fetched: check the network."
    )


# Two starts at once

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


# Ports


@pytest.fixture
def taken():
    """A port of this machine that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


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


# Chromium


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


# Other Pythons


def test_an_older_python_is_told_so_in_one_sentence():
    script = "import sys; sys.version_info = (3, 9, 2); sys.version = '3.9.2 (default)'\n"
    script += "exec(open('dev.py').read())"

    result = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)

    assert result.stderr == "Loopscope needs Python 3.11 or newer, and this is 3.9.2: start a newer one.\n"
    assert result.returncode == 1


def test_an_older_python_can_read_the_file_at_all():
    ast.parse((ROOT / "dev.py").read_text("utf-8"), feature_version=(3, 7))


# A whole run, of a small app in place of Loopscope

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
