"""The terms of the tool screen: each has an address of its own, and is read in a few lines."""

from core.teaching.tool_terms import TERMS


def test_a_slug_names_one_term():
    slugs = [term.slug for terms in TERMS.values() for term in terms]
    assert len(slugs) == len(set(slugs))
    assert {"no-built-in-knowledge", "agent-computer-interface-aci", "a-practitioner-s-report"} <= set(slugs)


def test_a_term_is_no_longer_than_a_few_lines():
    assert max(len(term.text) for terms in TERMS.values() for term in terms) < 400
