"""Write the notebooks of notebooks/ from the files of the same names, which run as they are.

    python -m scripts.make_notebooks

Run it again when one of these files changes; a test says so. No outputs are stored: the tests run the
notebooks, and a stored output would be that of another day's code, and would stand in every diff.
"""

from pathlib import Path

from core.lab.cells import cells_of, notebook_text

ROOT = Path(__file__).parent.parent

if __name__ == "__main__":
    for source in sorted((ROOT / "notebooks").glob("*.py")):
        written = source.with_suffix(".ipynb")
        written.write_text(notebook_text(cells_of(source.read_text("utf-8"))), "utf-8")
        print(written.relative_to(ROOT))
