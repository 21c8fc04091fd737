"""Everything that the generation screen says and draws, as plain data."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from core.decoding import Cycle, Drawn, Ending, Path, Tree, cycle
from core.figures import dials
from core.lm import Tokenizer, visible
from core.sampling import Candidate, SamplerSettings

START = "<|im_start|>"  # has the tokens of an empty prompt, for which an address has no place
FACTORS = 5  # of a product that are written out
MOST_SURPRISAL = 12.0  # bits at which the scale ends: one in 4,096


def prompt_view(tokenizer: Tokenizer, token_ids: Sequence[int], shown: int) -> dict[str, Any]:
    """The last `shown` tokens of the prompt, and how many stand before."""
    hidden = max(len(token_ids) - shown, 0)
    return {
        "tokens": [_name(tokenizer, token_id) for token_id in token_ids[hidden:]],
        "before": f"{tokens(hidden)} before" if hidden else "",
    }


def text_view(
    tokenizer: Tokenizer, drawn: Sequence[Drawn], ending: Ending | None, longest: int
) -> dict[str, Any]:
    """Generated tokens as chips, the cycle that they have run into, if any, and why the text is over."""
    token_ids = [token.token_id for token in drawn]
    repeated = cycle(token_ids)
    return {
        "chips": [_chip(tokenizer, token) for token in drawn],
        "cycle": repeated and _cycle(repeated, drawn[repeated.start :]),
        "ending": _ending(tokenizer, ending, token_ids, longest),
    }


def chance_view(drawn: Sequence[Drawn]) -> str:
    """The chain rule at work: the probability of a text in the model (T = 1), one factor a token."""
    if not drawn:
        return ""
    factors = [percent(token.model_prob) for token in drawn]
    if len(factors) > FACTORS:
        factors = [*factors[: FACTORS - 1], "…", factors[-1]]
    return f"P(text | prompt) = {' · '.join(factors)}, log P = {log_prob(drawn)}"


def log_prob(drawn: Sequence[Drawn]) -> str:
    """The natural logarithm of that probability, and its mean over the tokens."""
    total = sum(map(_log_prob, drawn))
    return f"{signed(total)}, {signed(total / len(drawn))} a token"


def best(texts: Sequence[Sequence[Drawn]]) -> int | None:
    """Which of several candidates has the highest log P a token; `None` until all have begun."""
    if not all(texts):
        return None
    means = [sum(map(_log_prob, drawn)) / len(drawn) for drawn in texts]
    return means.index(max(means))


def differing(texts: Sequence[Sequence[Drawn]]) -> str:
    """How many different candidates there are, by the length of the shortest; empty until all have begun."""
    shortest = min(map(len, texts))
    if not shortest:
        return ""
    different = _different(texts, shortest)
    candidates = f"{different} different candidate{'' if different == 1 else 's'}"
    return f"So far {candidates} in {len(texts)} texts, by their first {tokens(shortest)}."


def repeated(texts: Sequence[Sequence[Drawn]], temperatures: Sequence[float]) -> str:
    """Of each temperature that several seeds have: how many different texts they gave, by the shortest."""
    said = []
    for temperature in dict.fromkeys(temperatures):
        same = [text for text, own in zip(texts, temperatures, strict=True) if own == temperature]
        shortest = min(map(len, same))
        if len(same) > 1 and shortest:
            different = _different(same, shortest)
            said.append(
                f"T = {temperature:g}: {len(same)} seeds, {different} text{'' if different == 1 else 's'}."
            )
    return " ".join(said)


def _different(texts: Sequence[Sequence[Drawn]], length: int) -> int:
    return len({tuple(token.token_id for token in drawn[:length]) for drawn in texts})


def panel_view(
    tokenizer: Tokenizer, drawn: Drawn, position: int, prompt: str, before: Path
) -> dict[str, Any]:
    """The distribution that a token was drawn from: what was taken, and the roads not taken.

    `position`: of the token among the generated ones, from 0; `before`: those before it.
    """
    tops, taken = list(drawn.top), drawn.token
    outsider = taken.rank >= len(tops)
    if outsider:
        tops[-1] = taken
    address = sampling_address(drawn, prompt, before)
    return {
        "title": f"Token {position + 1}",
        "token": _name(tokenizer, taken.token_id),
        "how": _how(drawn.u, drawn.by_hand),
        "rows": [_row(tokenizer, token, token.token_id == taken.token_id) for token in tops],
        "scale": max(max(token.model_prob, token.prob) for token in tops),
        "tail": _tail(drawn, outsider) if drawn.tail.tokens else None,
        "facts": f"{_settings(drawn.settings)} keeps {tokens(drawn.kept)}, {drawn.entropy_bits:.2f} bit",
        "address": address,
        "href": f"sampling?{urlencode(address)}",
    }


def sampling_address(drawn: Drawn, prompt: str, before: Path) -> dict[str, str]:
    """Where the sampling screen shows this very draw."""
    address = next_token_address(prompt, before, drawn.settings)
    if drawn.u is not None:
        address |= {"by": "hand", "u": repr(drawn.u)}
    elif not drawn.by_hand:
        address["by"] = "greedy"
    return address


def next_token_address(prompt: str, path: Path, settings: SamplerSettings) -> dict[str, str]:
    """Where the sampling screen shows the token after a text, and the generation screen goes on from it."""
    added = {"added": ".".join(map(str, path))} if path else {}
    return {"prompt": prompt or START, **added, **dials.address(settings)}


def branches_view(tokenizer: Tokenizer, tree: Tree) -> list[dict[str, Any]]:
    """A line for each branch, if there are several: where it parts from those before, and how it goes on."""
    lines: list[dict[str, Any]] = []
    branches = tree.branches
    if len(branches) < 2:
        return lines
    current = tree.current_branch
    for index, path in enumerate(branches):
        shared = max((_common(path, other) for other in branches[:index]), default=0)
        lines.append(
            {
                "where": f"from token {shared + 1}",
                "text": visible(b"".join(map(tokenizer.token_bytes, path[shared:]))),
                "count": tokens(len(path)),
                "current": path == current,
            }
        )
    return lines


def advice(settings: SamplerSettings) -> str:
    """What the lecture says where several parameters are set at once, or nothing.

    A top_p of 0.9 to 0.95 is the usual one and does not count.
    """
    usual = settings.top_p == 1 or 0.9 <= settings.top_p <= 0.95
    moved = [settings.temperature != 1, not usual, settings.top_k > 0, settings.min_p > 0]
    if sum(moved) < 2:
        return ""
    return (
        "Several are set at once, so the output is hard to predict: top-p usually stays at 0.9 to 0.95, and "
        "T alone is adjusted, one at a time."
    )


def tokens(count: int) -> str:
    """A number of tokens in words."""
    return f"{count:,} token{'s' if count != 1 else ''}"


def percent(share: float) -> str:
    """One digit after the point, and never 0 or 100 for what is neither."""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= share < 1 - 1e-12:
        return "> 99.9 %"
    return f"{100 * share:.1f} %"


def _log_prob(drawn: Drawn) -> float:
    return -drawn.surprisal_bits * math.log(2)


def signed(value: float) -> str:
    """A logarithm with two decimals and its sign."""
    return "−∞" if math.isinf(value) else f"{value:.2f}".replace("-", "−")


def _chip(tokenizer: Tokenizer, drawn: Drawn) -> dict[str, Any]:
    token, bits = drawn.token, drawn.surprisal_bits
    return _chip_of(
        tokenizer, token.token_id, token.model_prob, bits, token.prob, token.rank, drawn.u, drawn.by_hand
    )


@lru_cache(maxsize=16_384)
def _chip_of(
    tokenizer: Tokenizer,
    token_id: int,
    model_prob: float,
    bits: float,
    prob: float,
    rank: int,
    u: float | None,
    by_hand: bool,
) -> dict[str, Any]:
    # While a text grows, all its chips but one are as they were a moment ago.
    title = (
        f"{percent(model_prob)} in the model, {_bits(bits)} · {percent(prob)} after the sampler · "
        f"rank {rank + 1:,} · {_how(u, by_hand)}"
    )
    known = chip(tokenizer, token_id, model_prob, bits, title)
    return known | {"kind": "hand"} if by_hand else known


def chip(tokenizer: Tokenizer, token_id: int, model_prob: float, bits: float, title: str) -> dict[str, Any]:
    """A token of a text, with what colours it: its probability, and its surprisal up to the scale's end."""
    return {
        "text": _name(tokenizer, token_id),
        "probability": round(model_prob, 4),
        "surprisal": round(min(bits, MOST_SURPRISAL) / MOST_SURPRISAL, 4),
        "kind": "special" if tokenizer.is_special(token_id) else "",
        "title": title,
    }


def _row(tokenizer: Tokenizer, token: Candidate, taken: bool) -> dict[str, Any]:
    return {
        "id": token.token_id,
        "rank": f"{token.rank + 1:,}",
        "name": _name(tokenizer, token.token_id),
        "before": token.model_prob,
        "after": token.model_prob if token.cut_by else token.prob,
        "cut": token.cut_by is not None,
        "label": percent(token.model_prob if token.cut_by else token.prob),
        "note": "taken"
        if taken
        else f"cut by {token.cut_by.replace('temperature', 'T')}"
        if token.cut_by
        else "",
        "taken": taken,
    }


def _tail(drawn: Drawn, outsider: bool) -> dict[str, Any]:
    """All tokens without a row. An `outsider`, a token from among them, was taken and has the last row."""
    masses, kept = drawn.tail.stage_masses, drawn.tail.kept
    if outsider:
        gone, here = drawn.token, drawn.top[-1]
        swapped = zip(masses, here.stage_probs, gone.stage_probs, strict=True)
        masses = tuple(max(mass + more - less, 0.0) for mass, more, less in swapped)
        kept += (here.cut_by is None) - (gone.cut_by is None)
    # What was cut is shown as large as in the model's own distribution.
    last = masses[-1] if kept else masses[0]
    return {
        "name": f"{drawn.tail.tokens:,} more",
        "before": masses[0],
        "after": last,
        "cut": not kept,
        "label": percent(last),
        "note": f"{kept:,} kept" if kept else "cut",
    }


def _how(u: float | None, by_hand: bool) -> str:
    if by_hand:
        return "put here by hand"
    return "greedy, no u" if u is None else f"u = {u:.4f}"


def _settings(settings: SamplerSettings) -> str:
    parts = [f"T = {settings.temperature:g}"]
    parts += [f"top-k {settings.top_k}"] if settings.top_k else []
    parts += [f"top-p {settings.top_p:g}"] if settings.top_p < 1 else []
    parts += [f"min-p {settings.min_p:g}"] if settings.min_p else []
    return ", ".join(parts)


def _cycle(repeated: Cycle, drawn: Sequence[Drawn]) -> dict[str, Any]:
    greedy = all(token.u is None and not token.by_hand for token in drawn)
    return {
        "start": repeated.start,
        "period": repeated.period,
        "text": f"{'Greedy' if greedy else 'The text'} repeats {tokens(repeated.period)}: "
        f"{repeated.repeats} times so far{'; no draw can end it' if greedy else ''}.",
    }


def _ending(tokenizer: Tokenizer, ending: Ending | None, token_ids: Sequence[int], longest: int) -> str:
    if ending == "end token":
        return f"{_name(tokenizer, token_ids[-1])} ends the text."
    if ending == "context":
        return "The context is full: the model reads no more tokens."
    if len(token_ids) >= longest:
        return f"{tokens(longest)}: this screen stops here."
    return ""


def _bits(bits: float) -> str:
    return f"{bits:.1f} bit" if math.isfinite(bits) else "∞ bit"


def _name(tokenizer: Tokenizer, token_id: int) -> str:
    return visible(tokenizer.token_bytes(token_id))


def _common(one: Path, other: Path) -> int:
    length = min(len(one), len(other))
    return next((n for n in range(length) if one[n] != other[n]), length)
