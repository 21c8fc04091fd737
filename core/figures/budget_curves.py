"""Plotly figures of a whole run: how the context grows, and what a cache need not read again."""

from collections.abc import Callable, Sequence
from itertools import accumulate

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.context import CallBudget, RunBudget
from core.context.prefix_cache import CachedCall

SENT, RESENT, UNIQUE, WINDOW = "#0072B2", "#CC79A7", "#009E73", "#D55E00"
HOVER = "call %{x}: %{y:,} tokens"


def growth(budget: RunBudget, window: int | None) -> go.Figure:
    """Two panels over the calls: what stands in the window, which is one call and never a sum; and the sums
    of what was sent, sent again, and sent for the first time. A call that is not counted leaves a gap."""
    figure = make_subplots(
        rows=1,
        cols=2,
        subplot_titles=("in the window: tokens of each call", "over the run: tokens so far"),
        horizontal_spacing=0.09,
    )
    numbers = list(range(1, len(budget.calls) + 1))
    figure.add_scatter(
        x=numbers,
        y=[call.total for call in budget.calls],
        name="in the window",
        line={"color": "#E69F00", "width": 3},
        hovertemplate=HOVER,
        row=1,
        col=1,
    )
    for name, colour, dash, of in (
        ("sent", SENT, "solid", lambda call: call.total),
        ("of it re-sent", RESENT, "dash", lambda call: call.resent),
        ("unique", UNIQUE, "dot", lambda call: call.new),
    ):
        figure.add_scatter(
            x=numbers,
            y=_sums(budget.calls, of),
            name=name,
            line={"color": colour, "width": 3, "dash": dash},
            hovertemplate=HOVER,
            row=1,
            col=2,
        )
    largest = max((call.total or 0 for call in budget.calls), default=0)
    if window is not None and window <= 2.5 * largest:
        figure.add_hline(
            y=window,
            line={"color": WINDOW, "dash": "dash"},
            annotation_text=f"window {window:,}",
            row=1,
            col=1,
        )
    return _laid_out(figure)


def reading(calls: Sequence[CachedCall]) -> go.Figure:
    """Bars over the calls: tokens that the cache holds, and those that are read anew, hatched."""
    figure = go.Figure()
    numbers = list(range(1, len(calls) + 1))
    figure.add_bar(
        x=numbers,
        y=[call.cached for call in calls],
        name="from the cache",
        marker={"color": UNIQUE},
        hovertemplate=HOVER,
    )
    figure.add_bar(
        x=numbers,
        y=[call.read for call in calls],
        name="read anew",
        marker={"color": SENT, "pattern": {"shape": "/", "solidity": 0.5}},
        hovertemplate=HOVER,
    )
    figure.update_layout(barmode="stack")
    return _laid_out(figure)


def _sums(calls: Sequence[CallBudget], of: Callable[[CallBudget], int | None]) -> list[int | None]:
    """Running sums; from a call on whose number is not known, they are not known either."""
    return list(
        accumulate(map(of, calls), lambda total, one: None if total is None or one is None else total + one)
    )


def _laid_out(figure: go.Figure) -> go.Figure:
    figure.update_xaxes(title="call", rangemode="nonnegative", dtick=None, tickformat="d")
    figure.update_yaxes(rangemode="tozero", tickformat=",")
    figure.update_layout(
        height=320,
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        legend={"orientation": "h", "y": -0.25},
        hovermode="x unified",
    )
    return figure
