"""Plotly figures of what the dials do. Colours of text and grid are left to the page's theme."""

from collections.abc import Callable, Sequence
from math import log10

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.sampling import Distribution, Sweep

# Okabe-Ito without the yellow, which is too pale for a line on white. Each line has its own dash too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def over_temperature(sweep: Sweep, name: Callable[[int], str], temperature: float) -> go.Figure:
    """Two panels over T on a logarithmic axis: probability of the top tokens; entropy and kept tokens.

    `temperature` is marked; at 0 it lies beyond the axis and is said instead.
    """
    figure = make_subplots(
        rows=1,
        cols=2,
        specs=[[{}, {"secondary_y": True}]],
        subplot_titles=("probability of the most probable tokens", "entropy and number of kept tokens"),
        horizontal_spacing=0.09,
    )
    for index, token_id in enumerate(sweep.token_ids):
        figure.add_scatter(
            x=sweep.temperatures,
            y=sweep.probs[:, index],
            name=literal(name(token_id)),
            line={"color": COLOURS[index], "dash": DASHES[index], "width": 2.5},
            hovertemplate="T = %{x:.2f}: %{y:.1%}",
            row=1,
            col=1,
        )
    figure.add_scatter(
        x=sweep.temperatures,
        y=sweep.entropy_bits,
        name="entropy (bit)",
        line={"color": "#56B4E9", "width": 2.5},
        hovertemplate="T = %{x:.2f}: %{y:.2f} bit",
        row=1,
        col=2,
    )
    figure.add_scatter(
        x=sweep.temperatures,
        y=sweep.kept,
        name="kept tokens",
        line={"color": "#8C8C00", "dash": "dash", "width": 2.5},
        hovertemplate="T = %{x:.2f}: %{y:,} tokens",
        row=1,
        col=2,
        secondary_y=True,
    )
    low, high = sweep.temperatures[0], sweep.temperatures[-1]
    figure.update_xaxes(
        type="log",
        title="T   (left end: greedy, right end: uniform)",
        tickvals=[0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20],
        tickformat="~g",
    )
    figure.update_yaxes(title="P", range=[0, 1.02], tickformat=".0%", row=1, col=1)
    figure.update_yaxes(title="bit", rangemode="tozero", row=1, col=2, secondary_y=False)
    figure.update_yaxes(
        type="log", title="tokens", dtick=1, tickformat=",", showgrid=False, row=1, col=2, secondary_y=True
    )
    if low <= temperature <= high:
        figure.add_vline(x=temperature, line={"color": "#7F7F7F", "dash": "dot"})
        for axis in ("x", "x2"):
            # An annotation on a logarithmic axis is placed by the exponent.
            figure.add_annotation(
                x=log10(temperature),
                xref=axis,
                y=1.0,
                yref="paper",
                yanchor="top",
                xanchor="left",
                xshift=4,
                text=f"T = {temperature:g}",
                showarrow=False,
            )
    figure.update_layout(
        height=340,
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        legend={"orientation": "h", "y": -0.3},
        hovermode="x unified",
    )
    return figure


def two_shapes(shapes: Sequence[tuple[str, Distribution, Callable[[int], str]]], bars: int = 15) -> go.Figure:
    """The same settings on two prompts side by side, as on the sampling screen: solid what is kept, with its
    probability of being drawn; hatched what is cut, and outlined every token, as large as in the model.

    Each shape: its title, its distribution, and the names of its tokens.
    """
    figure = make_subplots(
        rows=1,
        cols=len(shapes),
        subplot_titles=[_kept_title(title, distribution) for title, distribution, _ in shapes],
        horizontal_spacing=0.09,
    )
    for column, (_, distribution, name) in enumerate(shapes, start=1):
        tokens = distribution.top(bars)
        tail = distribution.tail(bars)
        kept = [token.cut_by is None for token in tokens] + [tail.kept > 0]
        # The rank keeps tokens apart that look alike.
        ranks = [f"{token.rank + 1}" for token in tokens] + ["rest"]
        model = [token.model_prob for token in tokens] + [tail.model_mass]
        drawn = [token.prob for token in tokens] + [tail.mass]
        names = [literal(name(token.token_id)) for token in tokens] + [f"{tail.tokens:,} tokens"]
        figure.add_bar(
            x=ranks,
            y=[after if keep else before for before, after, keep in zip(model, drawn, kept, strict=True)],
            customdata=list(zip(names, drawn, model, strict=True)),
            hovertemplate="%{customdata[0]}: %{customdata[1]:.1%}, in the model %{customdata[2]:.1%}"
            "<extra></extra>",
            marker={
                "color": [COLOURS[0] if keep else "#B8C0C9" for keep in kept],
                "pattern": {"shape": ["" if keep else "/" for keep in kept], "solidity": 0.3},
            },
            row=1,
            col=column,
        )
        figure.add_bar(
            x=ranks,
            y=model,
            hoverinfo="skip",
            marker={"color": "rgba(0, 0, 0, 0)", "line": {"color": "#7F7F7F", "width": 1.5}},
            row=1,
            col=column,
        )
    figure.update_xaxes(title="rank of the token", type="category")
    figure.update_yaxes(tickformat=".0%", rangemode="tozero")
    figure.update_layout(
        height=320, margin={"l": 10, "r": 10, "t": 50, "b": 10}, showlegend=False, barmode="overlay"
    )
    return figure


def _kept_title(title: str, distribution: Distribution) -> str:
    tokens = distribution.kept_count
    return f"{literal(title)}: {tokens:,} token{'s' if tokens != 1 else ''} kept"


def literal(text: str) -> str:
    """Text that Plotly shows as it is: it reads a few HTML tags and entities in labels, and $ as LaTeX."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("$", "&#36;")
