"""The notebooks, run by a kernel of their own as a student runs them."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from core.lab.cells import cells_of, notebook_text
from core.lab.sampling import sampling_lab
from core.sampling import SamplerSettings, distribution, logits_from_probs

FOLDER = Path(__file__).parent.parent.parent / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


def run(text: str) -> None:
    notebook = nbformat.reads(text, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(FOLDER)}}).execute()


def test_there_are_three():
    assert NAMES == ["constrained", "run_agent", "samplers"]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_what_its_source_makes(name):
    stored = (FOLDER / f"{name}.ipynb").read_text("utf-8")
    made = notebook_text(cells_of((FOLDER / f"{name}.py").read_text("utf-8")))
    assert stored == made, "run `python -m scripts.make_notebooks`"


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_from_the_first_cell_to_the_last(name):
    run((FOLDER / f"{name}.ipynb").read_text("utf-8"))


def test_the_notebook_of_a_screen_runs():
    result = distribution(logits_from_probs([0.4, 0.3, 0.25, 0.03, 0.02]), SamplerSettings(top_p=0.9))
    run(sampling_lab("the lecture's numbers", result, str, 0.5).notebook)
