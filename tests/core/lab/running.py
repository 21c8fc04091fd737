"""Code of the lab, run in this process as a kernel would: all cells in one namespace."""

import ast
import contextlib
import io
from collections.abc import Sequence

from core.lab.cells import Cell
from core.lab.lab import Lab


def ran(code: str) -> tuple[dict[str, object], str]:
    """The names after the code has run, and what it printed."""
    names: dict[str, object] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<cell>", "exec"), names)
    return names, printed.getvalue()


def code_of(cells: Sequence[Cell]) -> str:
    return "\n\n".join(cell.text for cell in cells if not cell.is_markdown)


def ran_notebook(made: Lab) -> dict[str, object]:
    """The names after all cells, which assert that their numbers are those of the screen."""
    return ran(code_of(made.cells))[0]


def imported(code: str) -> set[str]:
    """The packages that the code imports."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module).split(".")[0])
    return found
