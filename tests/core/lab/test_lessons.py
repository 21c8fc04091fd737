"""The lessons as files: they run, need little, and become notebooks."""

import json
import sys

import nbformat
import pytest

from core.lab.cells import Cell, cells_of, notebook_text
from core.lab.lab import LESSONS, lab, lesson
from tests.core.lab.running import code_of, imported, ran

NAMES = sorted(path.stem for path in LESSONS.glob("*.py"))
SOURCE = """Its docstring.

# %% [markdown]
# # A title
#
# Words.

# %%
import numpy as np

# %% state
x = 1

# %% notebook
assert x
"""


def test_a_file_is_read_in_cells():
    assert cells_of(SOURCE) == (
        Cell("# A title\n\nWords.", is_markdown=True),
        Cell("import numpy as np"),
        Cell("x = 1", "state"),
        Cell("assert x", "notebook"),
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_runs_as_it_is_and_comes_to_its_own_numbers(name):
    ran(code_of(lesson(name)))


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_has_a_place_for_the_state_and_for_the_numbers_of_the_screen(name):
    names = [cell.name for cell in lesson(name) if not cell.is_markdown]
    assert (names.count("state"), names.count("screen")) == (1, 1)


@pytest.mark.parametrize("name", NAMES)
def test_a_snippet_needs_numpy_at_most_and_a_notebook_plotly_too(name):
    made = lab(name, "", "", "")
    assert imported(made.snippet) <= {"numpy"} | sys.stdlib_module_names
    assert imported(code_of(made.cells)) <= {"numpy", "plotly"} | sys.stdlib_module_names


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_explains_and_draws(name):
    cells = lesson(name)
    assert sum(cell.is_markdown for cell in cells) >= 3
    assert any(cell.text.endswith("\nfigure") for cell in cells)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_valid_and_has_no_outputs(name):
    written = nbformat.reads(notebook_text(lesson(name)), as_version=4)
    nbformat.validate(written)
    assert all(not cell.get("outputs") for cell in written.cells)


def test_the_same_cells_give_the_same_file():
    cells = cells_of(SOURCE)
    assert notebook_text(cells) == notebook_text(cells)
    assert json.loads(notebook_text(cells))["cells"][0]["id"] == "cell-1"


def test_the_state_takes_the_place_of_the_lessons_own():
    made = lab("context", "brief = 1", "whole = 2", "screen = 3")
    assert "brief = 1" in made.snippet
    assert "whole = 2" not in made.snippet
    assert [cell.text for cell in made.cells if cell.name in ("state", "screen")] == [
        "whole = 2",
        "screen = 3",
    ]
