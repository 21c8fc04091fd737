"""The map of the lecture leads to screens that there are."""

from pathlib import Path

from core.teaching.lecture_map import statements

PAGES = Path(__file__).parents[3] / "pages"


def test_every_link_names_a_screen():
    assert all((PAGES / f"{one.screen}.py").is_file() for one in statements())


def test_statements_are_told_apart_and_lose_nothing_of_their_link():
    texts = [one.text for one in statements()]
    assert len(texts) == len(set(texts)) > 100
    (top_k,) = (one for one in statements() if one.text.startswith("Top-k keeps"))
    assert (top_k.screen, top_k.address) == ("sampling", {"numbers": "lecture-flat", "top_k": "2"})
    assert (top_k.part, top_k.where.split(",")[0]) == ("Part I: token sampling", "Sampling")


def test_a_link_that_opens_a_button_opens_it_at_an_entry_that_there_is():
    lit = [one for one in statements() if {"terms", "formulas"} & one.address.keys()]
    assert len(lit) > 20
    assert [one.address for one in lit if not one.lit] == []


def test_a_statement_is_found_by_what_its_button_says():
    (poka,) = {one.lit for one in statements() if one.address.get("terms") == "poka-yoke"}
    assert "Mistake-proofing" in poka
