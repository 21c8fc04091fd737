"""The map of the lecture leads to screens that there are."""

from pathlib import Path

from core.teaching.lecture_map import statements

PAGES = Path(__file__).parents[3] / "pages"


def test_every_link_names_a_screen():
    assert all((PAGES / f"{place.screen}.py").is_file() for place in places())


def test_statements_are_told_apart_and_lose_nothing_of_their_link():
    texts = [one.text for one in statements()]
    assert len(texts) == len(set(texts)) > 100
    (top_k,) = (one for one in statements() if one.text.startswith("Top-k keeps"))
    (place, *_) = top_k.places
    assert (place.screen, place.address) == ("sampling", {"numbers": "lecture-flat", "top_k": "2"})
    assert (top_k.part, top_k.where.split(",")[0]) == ("Part I: token sampling", "Sampling")


def test_a_statement_that_two_screens_show_has_both():
    (cheaper,) = (one for one in statements() if "makes step 2 cheaper" in one.text)
    assert [place.address.get("view") for place in cheaper.places] == ["passes", "task"]


def test_a_link_that_opens_a_button_opens_it_at_an_entry_that_there_is():
    lit = [place for place in places() if {"terms", "formulas"} & place.address.keys()]
    assert len(lit) > 20
    assert [place.address for place in lit if not place.lit] == []


def test_a_statement_is_found_by_what_its_button_says():
    (poka,) = {place.lit for place in places() if place.address.get("terms") == "poka-yoke"}
    assert "Mistake-proofing" in poka


def places():
    return [place for one in statements() for place in one.places]
