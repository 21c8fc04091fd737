"""The run in view with its contexts counted: one way for all screens that show it."""

from core.context import TokenCounter
from core.context.recount import recounted
from core.errors import InputError
from core.lm import load_tokenizer
from core.trace import Trace
from pages.common import run as running
from pages.common.kept import kept


def counted(run: running.Run) -> Trace:
    """The run with its contexts counted, by estimate where its source did not tell them.

    One that is too long, or that the template refuses, stays uncounted, and the screens say so.
    """
    return _known(run)[0]


def why_uncounted(run: running.Run) -> str:
    """Why a run stays uncounted; empty where its contexts are counted."""
    return _known(run)[1]


def counter(trace: Trace) -> TokenCounter:
    """How the contexts of a run are counted here."""
    return TokenCounter(load_tokenizer(), is_the_models=trace.source != "imported")


def _known(run: running.Run) -> tuple[Trace, str]:
    return kept("counted", (run.slug, len(run.trace.steps)), lambda: _counted(run.trace))


def _counted(trace: Trace) -> tuple[Trace, str]:
    try:
        return recounted(trace, TokenCounter(load_tokenizer(), is_the_models=False)), ""
    except InputError as error:
        return trace, str(error)
