"""The picture of one next-token distribution, before and after the sampler, as plain data.

The browser draws what this says: every number is formatted here, so no picture recomputes anything.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from core.lm import Tokenizer, visible
from core.sampling import ENGINES, Candidate, Distribution, SamplerSettings, Stage, Tail

# Pieces of the line that u picks on: more would be narrower than a pixel.
PIECES = 60


@dataclass(frozen=True)
class Pick:
    """The token that was picked, and the number that picked it (`None`: greedy, no chance involved)."""

    token_id: int
    u: float | None


def percent(share: float) -> str:
    """A probability for reading: one digit after the point, and never 0 or 100 for what is neither."""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    return f"{100 * share:.1f} %"


def distribution_view(
    distribution: Distribution, name: Callable[[int], str], pick: Pick | None = None, rows: int = 12
) -> dict[str, Any]:
    """Bars of the first `rows` tokens, the tail as one bar, the line that u picks on, the strip of stages.

    `name` gives the visible form of a token. A picked token beyond the first rows takes the last row.
    """
    shown = list(distribution.top(rows))
    picked = distribution.token(pick.token_id) if pick else None
    if picked and picked.rank >= len(shown):
        shown = [*shown[:-1], picked]
    tail = distribution.tail(len(shown))
    scale = max(max(token.model_prob, token.prob) for token in shown)
    return {
        "rows": [_row(token, name, token == picked) for token in shown],
        "tail": _tail(distribution, tail, shown, scale) if tail.tokens else None,
        "scale": scale,
        "draw": _line(distribution, name, pick, picked),
        "stages": _strip(distribution, name, pick),
        "summary": _summary(distribution),
    }


def _row(token: Candidate, name: Callable[[int], str], picked: bool) -> dict[str, Any]:
    cut = token.cut_by is not None
    return {
        "rank": f"{token.rank + 1:,}",
        "name": name(token.token_id),
        "title": f"token {token.token_id}, logit {token.logit:.3f}",
        "before": token.model_prob,
        "after": token.prob,
        "cut": token.last_prob if cut else None,
        "label": percent(token.last_prob if cut else token.prob),
        "reason": f"cut by {token.cut_by}" if cut else "picked" if picked else "",
        "state": " ".join(word for word, holds in (("is-cut", cut), ("is-picked", picked)) if holds),
    }


def _tail(distribution: Distribution, tail: Tail, shown: list[Candidate], scale: float) -> dict[str, Any]:
    """All tokens that have no row. A picked token from far down has one, so it is taken out of the tail.

    `beyond`: the bar is longer than the others' scale has room for, and is drawn broken off.
    """
    outsiders = [token for token in shown if token.rank >= len(shown)]
    insiders = distribution.top(len(shown))[-len(outsiders) :] if outsiders else ()

    def mass(stage: int) -> float:
        moved = sum(token.stage_probs[stage] for token in insiders)
        return max(
            tail.stage_masses[stage] + moved - sum(token.stage_probs[stage] for token in outsiders), 0.0
        )

    kept = distribution.kept_count - sum(token.cut_by is None for token in shown)
    names = [stage.name for stage in distribution.stages]
    # What was cut is shown as large as it was before the first filter that cut among it.
    before_cut = names.index(tail.cut_by[0]) - 1 if not kept and tail.cut_by[0] in names else 0
    return {
        "name": f"{tail.tokens:,} more",
        "before": mass(0),
        "after": mass(-1),
        "cut": None if kept else mass(before_cut),
        "label": percent(mass(-1) if kept else mass(before_cut)),
        "beyond": mass(-1 if kept else before_cut) > scale,
        "reason": f"{kept:,} kept" if kept else "cut by " + " and ".join(tail.cut_by),
    }


def _line(
    distribution: Distribution, name: Callable[[int], str], pick: Pick | None, picked: Candidate | None
) -> dict[str, Any]:
    """The kept tokens end to end, by falling probability: the piece that holds u is drawn."""
    first = distribution.top(min(PIECES, distribution.kept_count))
    pieces = [
        {
            "share": token.prob,
            "picked": token == picked,
            "title": f"{name(token.token_id)} {percent(token.prob)}",
        }
        for token in first
        if token.prob > 0
    ]
    rest = distribution.tail(len(first))
    if rest.kept:
        pieces.append({"share": rest.mass, "picked": False, "title": f"{_tokens(rest.kept)} more"})
    if pick is None:
        label = "press Draw"
    elif pick.u is None:
        label = "greedy: no u"
    else:
        label = f"u = {pick.u:.4f}"
    return {"u": pick.u if pick else None, "label": label, "pieces": pieces}


def _strip(distribution: Distribution, name: Callable[[int], str], pick: Pick | None) -> list[dict[str, str]]:
    """The whole way of a token: logits, each stage, the draw."""
    settings = distribution.settings
    start = distribution.stages[0]
    strip = [
        {
            "title": "softmax",
            "value": _tokens(start.kept),
            "note": f"{start.entropy_bits:.2f} bit",
        }
    ]
    strip += [_stage(stage, settings) for stage in distribution.stages[1:]]
    strip.append(
        {
            "title": "renormalised",
            "value": _tokens(distribution.kept_count),
            "note": f"× {distribution.renormalised_by:.2f}, {distribution.entropy_bits:.2f} bit",
        }
    )
    if pick is None:
        how, note = "–", "not drawn yet"
    else:
        how = name(pick.token_id)
        note = "the most probable" if pick.u is None else f"u = {pick.u:.4f}"
    strip.append({"title": "token", "value": how, "note": note})
    return strip


def _stage(stage: Stage, settings: SamplerSettings) -> dict[str, str]:
    if stage.name == "temperature":
        title = f"÷ T = {settings.temperature:.2f}" if settings.temperature else "T = 0: greedy"
        note = f"{stage.entropy_bits:.2f} bit"
    else:
        note = f"− {percent(stage.mass_removed)}" if stage.mass_removed else "nothing cut"
        value = {"top-k": settings.top_k, "top-p": settings.top_p, "min-p": settings.min_p}[stage.name]
        title = f"{stage.name} {value}" if stage.active else f"{stage.name} off"
    return {"title": title, "value": _tokens(stage.kept), "note": note}


def _summary(distribution: Distribution) -> str:
    settings = distribution.settings
    choices = distribution.effective_choices
    return (
        f"{distribution.kept_count:,} of {len(distribution.order):,} tokens kept. "
        f"Entropy {distribution.entropy_bits:.2f} bit: as uncertain as a choice among "
        f"{choices:,.1f} equally probable tokens. "
        f"{settings.engine}: {engine_order(settings.engine)}."
    )


def _tokens(count: int) -> str:
    return f"{count:,} token" + ("s" if count != 1 else "")


def engine_order(engine: str) -> str:
    """The order of an engine's stages, for reading."""
    return " → ".join("T" if name == "temperature" else name for name in ENGINES[engine].order)


def prompt_view(tokenizer: Tokenizer, token_ids: Sequence[int], added: int) -> dict[str, Any]:
    """The tokens that the model reads, as chips. The last `added` of them were picked here."""
    typed = len(token_ids) - added

    def kind(position: int, token_id: int) -> str:
        if position >= typed:
            return "drawn"
        return "special" if tokenizer.is_special(token_id) else ""

    return {
        "tokens": [
            {
                "text": visible(tokenizer.token_bytes(token_id)),
                "kind": kind(position, token_id),
                "title": f"token {token_id}",
            }
            for position, token_id in enumerate(token_ids)
        ],
        "count": f"{_tokens(len(token_ids))} · exact",
    }


def token_table(
    distribution: Distribution, name: Callable[[int], str], raw: Callable[[int], bytes] | None, rows: int
) -> dict[str, Any]:
    """The first `rows` tokens as a table: what each is, its logit, its probability before and after.

    `raw` gives the bytes of a token; `None` where the tokens are only names.
    """
    return {
        "columns": ["", "token", "id", "bytes", "logit z", "p (T = 1)", "p after", ""],
        "rows": [
            [
                f"{token.rank + 1:,}",
                name(token.token_id),
                str(token.token_id),
                raw(token.token_id).hex(" ").upper() if raw else "–",
                f"{token.logit:.4f}" if isfinite(token.logit) else "−∞",
                f"{token.model_prob:.6f}",
                f"{token.prob:.6f}" if token.cut_by is None else "0",
                f"cut by {token.cut_by}" if token.cut_by else "",
            ]
            for token in distribution.top(rows)
        ],
    }
