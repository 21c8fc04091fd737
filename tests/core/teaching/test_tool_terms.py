"""The terms of the tool screen: each has an address of its own, and is read in a few lines."""

import re
from urllib.parse import parse_qs

from core.teaching.lecture_map import MAP
from core.teaching.tool_terms import TERMS


def test_a_slug_names_one_term():
    slugs = [term.slug for terms in TERMS.values() for term in terms]
    assert len(slugs) == len(set(slugs))
    assert {"no-built-in-knowledge", "agent-computer-interface-aci", "a-practitioner-s-report"} <= set(slugs)


def test_a_term_is_no_longer_than_a_few_lines():
    assert max(len(term.text) for terms in TERMS.values() for term in terms) < 400


def test_the_map_of_the_lecture_lights_terms_that_there_are():
    links = re.findall(r"`tools\?([^`]*terms=[^`]*)`", MAP.read_text(encoding="utf-8"))
    asked = [parse_qs(link) for link in links]
    assert len(asked) > 20
    for query in asked:
        view = query.get("view", ["model"])[0]
        assert query["terms"][0] in [term.slug for term in TERMS[view]]
