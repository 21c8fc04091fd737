"""A Python file in cells, and the notebook that it is.

Cells are separated by `# %%`, a form that Jupytext, VS Code and Spyder read too. `# %% [markdown]` begins a
cell of text, each line behind a `#`; what else follows the `%%` is the name of a cell.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

MARKDOWN = "[markdown]"
_BEGINNING = re.compile(r"^# %%(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook: text, or code with a name or without one."""

    text: str
    name: str = ""
    is_markdown: bool = False


def cells_of(source: str) -> tuple[Cell, ...]:
    """The cells of a file. What stands before the first of them belongs to the file alone."""
    _, *parts = _BEGINNING.split(source)
    return tuple(
        Cell(_unmarked(text), is_markdown=True)
        if name.strip() == MARKDOWN
        else Cell(text.strip(), name.strip())
        for name, text in zip(parts[::2], parts[1::2], strict=True)
    )


def notebook_of(cells: Sequence[Cell]) -> dict[str, Any]:
    """The notebook of these cells, without outputs: the same cells always give the same one.

    Format 4.5, by `nbformat`, which is loaded by whoever asks for a notebook: that takes a while.
    """
    v4: Any = import_module("nbformat.v4")
    made = []
    for number, cell in enumerate(cells, start=1):
        new = v4.new_markdown_cell if cell.is_markdown else v4.new_code_cell
        made.append(new(cell.text, id=f"cell-{number}"))
    kernel = {"name": "python3", "language": "python", "display_name": "Python 3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook: dict[str, Any] = v4.new_notebook(cells=made, metadata=about)
    return notebook


def notebook_text(cells: Sequence[Cell]) -> str:
    """The file of that notebook."""
    nbformat: Any = import_module("nbformat")
    written: str = nbformat.writes(notebook_of(cells))
    return written + "\n"


def _unmarked(text: str) -> str:
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.strip().splitlines())
