"""Every key of a button stands in the list of its screen."""

import ast
from pathlib import Path

import pytest

from pages.common import keys

PAGES = Path(keys.__file__).parent.parent
SHARED = {"supposing": ("context",), "widgets": ("generation", "constrained", "speculative")}


def shortcuts(file: Path) -> set[str]:
    calls = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))
    return {
        word.value.value.upper()
        for call in calls
        for word in call.keywords
        if word.arg == "shortcut" and isinstance(word.value, ast.Constant)
    }


@pytest.mark.parametrize("file", sorted(PAGES.glob("**/*.py")), ids=lambda file: file.stem)
def test_the_keys_of_the_buttons_are_listed(file: Path):
    for screen in SHARED.get(file.stem, (file.stem,)):
        listed = {key.upper() for key, _ in keys.SCREENS.get(screen, ())}
        assert shortcuts(file) - {"ENTER"} <= listed


def test_every_list_belongs_to_a_screen_and_no_key_means_two_things_there():
    everywhere = [key for key, _ in keys.EVERYWHERE]
    for screen, rows in keys.SCREENS.items():
        assert (PAGES / f"{screen}.py").exists()
        listed = everywhere + [key for key, _ in rows]
        assert len(listed) == len(set(listed))
