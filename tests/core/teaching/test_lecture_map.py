"""The map of the lecture leads to screens that there are."""

from pathlib import Path

from core.teaching.lecture_map import statements

PAGES = Path(__file__).parents[3] / "pages"


def test_every_link_names_a_screen():
    assert all((PAGES / f"{one.screen}.py").is_file() for one in statements())


def test_statements_are_told_apart_and_lose_nothing_of_their_link():
    texts = [one.text for one in statements()]
    assert len(texts) == len(set(texts)) > 100
    (top_k,) = (one for one in statements() if one.text.startswith("Top-k keeps k tokens"))
    assert (top_k.screen, top_k.address) == ("sampling", {"numbers": "lecture-flat", "top_k": "2"})
    assert (top_k.part, top_k.where.split(",")[0]) == ("Part I: token sampling", "Sampling")
