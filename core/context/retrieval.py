"""Retrieval: the passages of a document collection that fit a query best, by BM25.

The lecture retrieves by the similarity of embeddings. BM25 (Robertson & Zaragoza 2009) goes by shared words,
needs no model, and each score can be worked out by hand. With N documents, n_t of which contain the term t,
and f occurrences of t in a document of |d| terms, Lucene's form, which `bm25s` computes, is

    score(q, d) = Σ_t∈q  ln(1 + (N - n_t + 0.5) / (n_t + 0.5)) · f / (f + k1 (1 - b + b |d| / mean |d|))
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.values import Value

PAGES = Path(__file__).parent / "documents"
K1, B = 1.5, 0.75

LONGEST_QUERY = 2_000
"""Characters. More words than that are a document, and would only cost time."""


class Document(Value):
    """A passage that can be found: one paragraph of a page, its id the page and the paragraph from 0."""

    id: str
    title: str
    text: str


class Hit(Value):
    """A document that a search found, and its BM25 score, which is above 0."""

    document: Document
    score: float


class Index:
    """Documents that can be searched; title and text count alike.

    Raises:
        InputError: there is no document with a word in it.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = tuple(documents)
        terms = _terms([f"{document.title}\n{document.text}" for document in documents])
        if not any(terms):
            raise InputError("There is nothing to search: give at least one document with a word in it.")
        self._ranking = _bm25s().BM25(k1=K1, b=B, method="lucene", dtype="float64")
        self._ranking.index(terms, show_progress=False)

    def search(self, query: str, k: int = 3) -> tuple[Hit, ...]:
        """At most `k` documents that share a word with the query, best first; of equal scores the first.

        Raises:
            InputError: the query is not a text or too long, or `k` is not a number from 1.
        """
        if not isinstance(query, str):
            raise InputError("A search query is a text, such as 'refund days'.")
        if len(query) > LONGEST_QUERY:
            raise InputError(
                f"The query is too long: {LONGEST_QUERY:,} characters at most, better a few words."
            )
        if not isinstance(k, int) or isinstance(k, bool) or k < 1:
            raise InputError("The number of passages to find must be a whole number from 1.")
        known = self._ranking.get_tokens_ids(_terms([query])[0])
        if not known:
            return ()
        scores = self._ranking.get_scores(known).tolist()
        best = sorted(range(len(scores)), key=lambda number: -scores[number])[:k]
        return tuple(
            Hit(document=self._documents[number], score=scores[number])
            for number in best
            if scores[number] > 0
        )


def search(query: str, k: int = 3) -> tuple[Hit, ...]:
    """At most `k` passages of the bundled help pages, as `Index.search` finds them."""
    return help_pages().search(query, k)


@lru_cache(maxsize=1)
def help_pages() -> Index:
    """The index of the bundled help pages, made once."""
    return Index(documents())


@lru_cache(maxsize=1)
def documents() -> tuple[Document, ...]:
    """The paragraphs of the bundled help pages, those of an online school that does not exist."""
    return tuple(passage for page in sorted(PAGES.glob("*.md")) for passage in _passages(page))


def _passages(page: Path) -> list[Document]:
    """A page is a heading and paragraphs, with an empty line between them."""
    heading, *paragraphs = page.read_text("utf-8").strip().split("\n\n")
    return [
        Document(id=f"{page.stem}#{number}", title=heading.removeprefix("# "), text=" ".join(text.split()))
        for number, text in enumerate(paragraphs)
    ]


def _terms(texts: list[str]) -> list[list[str]]:
    """Words and numbers in lower case, without function words and without the endings of the plural."""
    terms: list[list[str]] = _bm25s().tokenize(
        texts,
        token_pattern=r"\w+",
        stopwords="english_plus",
        stemmer=lambda words: [_singular(word) for word in words],
        return_ids=False,
        show_progress=False,
    )
    return terms


def _bm25s() -> Any:
    import bm25s  # type: ignore[import-untyped]  # here, for no screen waits for it before it searches

    return bm25s


def _singular(word: str) -> str:
    """The S-stemmer of Harman (1991), "How effective is suffixing?": only the first rule that applies."""
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word
