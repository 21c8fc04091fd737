"""What a screen offers: the snippet, and the notebook when somebody asks for it."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from core.lab.cells import Cell, cells_of, notebook_text

LESSONS = Path(__file__).parent / "lessons"


@dataclass(frozen=True)
class Lab:
    """The code of a picture.

    `snippet`: Python that needs numpy at most. `cells`: those of the notebook, which needs plotly too.
    """

    name: str
    snippet: str
    cells: tuple[Cell, ...]

    @property
    def notebook(self) -> str:
        """The notebook as a file."""
        return notebook_text(self.cells)


def lab(name: str, brief: str, whole: str, screen: str) -> Lab:
    """The lesson `name` with the numbers of a screen in place of its own.

    A lesson has two cells for these: `state`, what the code starts from, and `screen`, what it must come to.
    A cell with the name `notebook` or `screen` is for the notebook alone, and so is text.

    Args:
        name: a file of `LESSONS`.
        brief: the state, as Python, for the snippet.
        whole: the same for the notebook, where it may be long.
        screen: the numbers that the screen shows.
    """
    cells = lesson(name)
    short = [brief if cell.name == "state" else cell.text for cell in cells if _is_in_snippet(cell)]
    given = {"state": whole, "screen": screen}
    full = (replace(cell, text=given.get(cell.name, cell.text)) for cell in cells)
    return Lab(name, "\n\n".join(short) + "\n", tuple(full))


@cache
def lesson(name: str) -> tuple[Cell, ...]:
    """The cells of a lesson, with its own numbers."""
    return cells_of((LESSONS / f"{name}.py").read_text("utf-8"))


def _is_in_snippet(cell: Cell) -> bool:
    return not cell.is_markdown and cell.name in ("", "state")
