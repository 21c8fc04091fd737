"""Imports run one way: core knows no Streamlit, its rooms build on each other, pages only show."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

FOR_ALL = {"errors", "values"}
BELOW_THE_SCREENS = {
    "sampling": set[str](),
    "messages": set[str](),
    "lm": {"sampling", "messages"},
    "decoding": {"lm"},
    "trace": {"messages"},
    "context": {"trace", "lm"},
    "agent": {"decoding", "context"},
    "scenarios": {"agent"},
    "traces": {"trace"},
}
ONLY_FOR_PAGES = {"figures", "teaching", "lab"}
NOT_IN_PAGES = {"numpy", "pandas", "scipy", "gguf", "tokenizers"}


def reach(room: str) -> set[str]:
    """The rooms that a room stands on, directly or through another."""
    below = BELOW_THE_SCREENS.get(room, set())
    return below.union(*(reach(other) for other in below))


def allowed_rooms(room: str) -> set[str]:
    if room in ONLY_FOR_PAGES:
        return {room} | FOR_ALL | set(BELOW_THE_SCREENS)
    return {room} | FOR_ALL | reach(room)


def imported_modules(file: Path, root: Path) -> set[str]:
    """Full dotted names, relative imports resolved; `from a import b` gives `a.b`, as b may be a module."""
    package = file.relative_to(root).parent.parts
    names = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*start, *([node.module] if node.module else [])])
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return names


def faults(root: Path) -> list[str]:
    """One line for every import that runs the wrong way."""
    found = []
    for file in sorted([*root.glob("core/**/*.py"), *root.glob("pages/**/*.py")]):
        where = file.relative_to(root)
        for name in sorted(imported_modules(file, root)):
            if is_wrong(where, name.split(".")):
                found.append(f"{where.as_posix()} imports {name}")
    return found


def is_wrong(where: Path, name: list[str]) -> bool:
    if where.parts[0] == "pages":
        return name[0] in NOT_IN_PAGES
    if name[0] in {"streamlit", "pages", "app"}:
        return True
    if name[0] != "core":
        return False
    room = where.parts[1].removesuffix(".py")
    if room == "__init__":  # importing any room runs it first, so it may import none
        return True
    return len(name) < 2 or name[1] not in allowed_rooms(room)


def test_every_import_in_core_and_pages_runs_the_right_way():
    assert faults(ROOT) == []


def test_every_room_of_core_has_its_place_in_the_rules():
    rooms = {path.name.removesuffix(".py") for path in (ROOT / "core").iterdir() if path.name[0] not in "_."}
    assert rooms <= FOR_ALL | set(BELOW_THE_SCREENS) | ONLY_FOR_PAGES


@pytest.mark.parametrize(
    ("file", "line", "fault"),
    [
        ("core/sampling/draws.py", "import streamlit as st", "streamlit"),
        (
            "core/agent/loop.py",
            "from streamlit.runtime import get_instance",
            "streamlit.runtime.get_instance",
        ),
        ("core/figures/bars.py", "def late():\n    import streamlit", "streamlit"),
        ("core/agent/loop.py", "from pages.common import run", "pages.common.run"),
        ("core/sampling/draws.py", "from core.lm import llama", "core.lm.llama"),
        ("core/sampling/draws.py", "from core import lm", "core.lm"),
        ("core/sampling/draws.py", "from ..lm import llama", "core.lm.llama"),
        ("core/sampling/draws.py", "from .. import lm", "core.lm"),
        ("core/lm/llama.py", "import core.decoding.generate", "core.decoding.generate"),
        ("core/trace.py", "from core.context import assemble", "core.context.assemble"),
        ("core/traces/load.py", "from core.agent import run", "core.agent.run"),
        ("core/agent/loop.py", "from core.figures.palette import COLOURS", "core.figures.palette.COLOURS"),
        ("core/figures/bars.py", "from core.teaching import lessons", "core.teaching.lessons"),
        ("core/errors.py", "from core.trace import Trace", "core.trace.Trace"),
        ("core/__init__.py", "from core.lm import llama", "core.lm.llama"),
        ("pages/sampling.py", "import numpy as np", "numpy"),
    ],
)
def test_the_check_finds_an_import_that_runs_the_wrong_way(tmp_path, file, line, fault):
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(line, "utf-8")

    assert faults(tmp_path) == [f"{file} imports {fault}"]


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("core/decoding/generate.py", "from core.lm import llama\nfrom core.sampling import draw"),
        ("core/lm/scripted.py", "from core.messages import Message\nfrom . import llama"),
        ("core/context/count.py", "from core.lm.tokenizer import Tokenizer"),
        ("core/figures/bars.py", "from core.trace import Trace\nfrom core.errors import InputError"),
        ("core/messages/types.py", "from core.values import Value\nimport json"),
        ("pages/sampling.py", "import streamlit\nfrom core import figures\nfrom pages.common import run"),
    ],
)
def test_the_check_allows_an_import_that_runs_the_right_way(tmp_path, file, line):
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(line, "utf-8")

    assert faults(tmp_path) == []


def test_all_of_core_can_be_imported_where_there_is_no_streamlit():
    files = (path.relative_to(ROOT).with_suffix("") for path in (ROOT / "core").rglob("*.py"))
    modules = sorted(".".join(file.parts).removesuffix(".__init__") for file in files)
    script = (
        "import importlib, sys\n"
        "sys.modules['streamlit'] = None\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
    )

    result = subprocess.run(
        [sys.executable, "-c", script, *modules], cwd=ROOT, capture_output=True, text=True, timeout=120
    )

    assert modules
    assert result.returncode == 0, result.stderr
