"""A project folder of the test's own, with a Python that only pretends."""

import sys
from pathlib import Path

import pytest

import dev


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
