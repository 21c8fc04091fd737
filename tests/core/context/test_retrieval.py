"""BM25 over help pages."""

import subprocess
import sys
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.context.retrieval import Document, Index, documents, search
from core.errors import InputError


def index(*texts):
    return Index([Document(id=str(number), title="", text=text) for number, text in enumerate(texts)])


def found(hits):
    return [hit.document.id for hit in hits]


def test_the_score_is_that_of_the_formula():
    hits = index("cat sat", "cat cat dog mat").search("cat dog")

    # N = 2, mean length 3; cat is in both documents, dog in one; k1 = 1.5, b = 0.75.
    cat, dog = log(1 + 0.5 / 2.5), log(1 + 1.5 / 1.5)
    short, long = 1.5 * (0.25 + 0.75 * 2 / 3), 1.5 * (0.25 + 0.75 * 4 / 3)
    assert [(hit.document.id, hit.score) for hit in hits] == [
        ("1", pytest.approx(cat * 2 / (2 + long) + dog * 1 / (1 + long))),
        ("0", pytest.approx(cat * 1 / (1 + short))),
    ]


def test_of_equal_scores_the_first_document_comes_first():
    assert found(index("blue", "red", "blue", "blue").search("blue", 2)) == ["0", "2"]


def test_the_title_is_searched_too():
    assert found(Index([Document(id="a", title="Exams", text="Two attempts.")]).search("exam")) == ["a"]


@pytest.mark.parametrize("query", ["refund", "REFUNDS", "refunds?", "the refund, please"])
def test_case_plural_punctuation_and_function_words_do_not_matter(query):
    assert found(index("Refunds take a week.", "Exams take an hour.").search(query)) == ["0"]


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("studies", "study"),
        ("exercises", "exercise"),
        ("days", "day"),
        ("class", "class"),
        ("bonus", "bonus"),
    ],
)
def test_a_plural_is_found_by_its_singular(plural, singular):
    assert found(index(plural, "other").search(singular)) == ["0"]


@pytest.mark.parametrize("query", ["", "  ", "?!", "the and of", "quantum", "\x00", "\ud800", "🙂"])
def test_a_query_without_a_known_word_finds_nothing(query):
    assert search(query) == ()


@given(st.text(max_size=200), st.integers(1, 60))
def test_any_query_gives_at_most_k_hits_by_falling_positive_score(query, k):
    scores = [hit.score for hit in search(query, k)]

    assert len(scores) <= k
    assert all(score > 0 for score in scores)
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("query", "k"), [(None, 3), (7, 3), ("x" * 2001, 3), ("a", 0), ("a", "2"), ("a", True)]
)
def test_a_query_that_makes_no_sense_is_refused(query, k):
    with pytest.raises(InputError):
        search(query, k)


@pytest.mark.parametrize("texts", [[], [""], ["the"]])
def test_documents_without_a_word_cannot_be_searched(texts):
    with pytest.raises(InputError, match="nothing to search"):
        index(*texts)


def test_the_help_pages_are_passages_with_distinct_ids():
    ids = [document.id for document in documents()]

    assert len(set(ids)) == len(ids)
    assert {"refund-policy#0", "refund-policy#1"} <= set(ids)
    assert 15 <= len({id.split("#")[0] for id in ids}) <= 25
    assert all(document.title and document.text for document in documents())


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("refund days completed", "refund-policy#0"),
        ("when is a certificate issued", "certificates#0"),
        ("reset password", "account#1"),
        ("how often may I repeat an exam", "exams#1"),
        ("invoice for my company", "invoices#0"),
    ],
)
def test_a_question_finds_the_passage_that_answers_it(query, best):
    assert found(search(query))[0] == best


def test_words_are_matched_and_not_meanings():
    assert "refund-policy#0" not in found(search("get my money back"))


def test_the_search_library_is_loaded_by_the_first_search_only():
    code = "import sys, core.context.retrieval; sys.exit('bm25s' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
