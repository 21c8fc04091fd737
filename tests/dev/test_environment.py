"""The environment that dev.py makes, completes, and makes anew."""

import subprocess
import sys

import pytest

import dev
from tests.dev.asking import refusal

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the pretended Python is a script with #!"),
    pytest.mark.timeout(180),
]


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
