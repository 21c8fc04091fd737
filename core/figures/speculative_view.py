"""Everything that the screen on speculative decoding says and draws, as plain values."""

from collections.abc import Sequence

from core.decoding import Drafted, Last, Overlap, Round
from core.decoding.speculative_proof import Proof, Proofs
from core.decoding.speculative_speed import (
    GAMMAS,
    Counted,
    best_gamma,
    expected_tokens,
    speed_map,
    speed_up,
)
from core.figures.generation_view import percent, tokens
from core.lm import Tokenizer, visible
from core.values import Value

VERDICTS = {
    True: "p explains the counts",
    False: "p does not explain them",
    None: "p = q here: nothing is rejected, so the rules cannot differ",
}
ROWS = 6  # tokens of each drafted position that are shown
MORAL = (
    "T, top-k and top-p change the distribution. A draft changes the speed and never the distribution: each "
    "token is drawn as the target draws it."
)
PREDICTION = (
    "Leviathan et al. 2023, theorem 3.8: as if a pass over γ + 1 positions took no longer than one over one."
)


class Paper(Value):
    """What a paper measured, and on what."""

    title: str
    speed_up: str
    measured_on: str


PAPERS = (
    Paper(
        title="Leviathan et al. 2023",
        speed_up="2.3 to 3.4 times",
        measured_on="T5-XXL with T5-small as its draft: translation from English to German, and summaries",
    ),
    Paper(
        title="Chen et al. 2023",
        speed_up="2 to 2.5 times",
        measured_on="Chinchilla, 70 billion parameters",
    ),
)


class OverlapRow(Value):
    """A token's p and q, two bars from 0 to 1; their shorter one counts into α."""

    name: str
    p: float
    q: float
    labels: tuple[str, str]
    drafted: bool


class DraftedView(Value):
    """A drafted token and its test: accepted, rejected, or not tested, and then `u` is `None`."""

    name: str
    bar: float
    u: float | None
    verdict: str
    test: str
    overlap: str
    rows: tuple[OverlapRow, ...]


class LastView(Value):
    """The target's token at the end of a round, and what else it could have been. `origin`: as of a chip."""

    name: str
    origin: str
    how: str
    rows: tuple[tuple[str, float, str], ...]


class RoundView(Value):
    """One round: the drafted tokens from left to right, then the target's own."""

    title: str
    drafted: tuple[DraftedView, ...]
    last: LastView | None
    summary: str
    passes: str


class SpeculatedChip(Value):
    """A token of the text; `origin` is draft, residual, bonus or own, `round` counts from 0."""

    name: str
    origin: str
    round: int


class Line(Value):
    """A number with its name and what is to be said of it."""

    name: str
    value: str
    note: str


class Predicted(Value):
    """A draft whose speed-up is predicted. `on`: the tokens from which α comes; 0 if it is supposed."""

    name: str
    alpha: float
    cost: float
    on: int = 0


class SpeedCell(Value):
    """One draft with one γ; `pays` if faster than the target alone."""

    value: float
    label: str
    pays: bool


class SpeedRow(Value):
    """One draft over all γ; `note`: its α and c."""

    name: str
    note: str
    cells: tuple[SpeedCell, ...]


class SpeedMap(Value):
    """Predicted speed-ups over drafts and γ, and what they come to."""

    gammas: tuple[int, ...]
    rows: tuple[SpeedRow, ...]
    summary: str


class ProofRow(Value):
    """One rule of acceptance, counted; `holds` says whether the target's law explains the counts.

    It is `None` where the counts tell nothing of the rule. `verdict`: the same in words.
    """

    name: str
    bars: tuple[tuple[str, float, float], ...]
    accepted: str
    test: str
    holds: bool | None
    verdict: str


def round_view(tokenizer: Tokenizer, done: Round, number: int) -> RoundView:
    """Round `number`, from 0."""
    kept = f"{done.accepted} of {len(done.drafted)} drafted tokens accepted"
    added = f"{tokens(len(done.tokens))} from one pass of the target"
    return RoundView(
        title=f"Round {number + 1}",
        drafted=tuple(_drafted(tokenizer, token) for token in done.drafted),
        last=done.last and _last(tokenizer, done.last, _origin(done)),
        summary=f"{kept}: {added}." if done.drafted else f"Nothing was drafted: {added}.",
        passes=f"{passes(done.draft_passes)} of the draft, then 1 of the target, "
        f"which gives the logits of {done.positions} position{'s' if done.positions > 1 else ''}.",
    )


def chips_view(tokenizer: Tokenizer, rounds: Sequence[Round]) -> tuple[SpeculatedChip, ...]:
    """The text so far, and where each token came from."""
    return tuple(
        SpeculatedChip(
            name=_name(tokenizer, token),
            origin="draft" if place < done.accepted else _origin(done),
            round=number,
        )
        for number, done in enumerate(rounds)
        for place, token in enumerate(done.tokens)
    )


def counted_view(result: Counted, gamma: int, cost: float, clock: float | None) -> tuple[Line, ...]:
    """What the rounds came to. `clock`: how many times as fast as the target alone, if it was measured."""
    alpha = result.expected_alpha
    predicted = None if alpha is None else speed_up(alpha, gamma, cost)
    per_pass = None if alpha is None else expected_tokens(alpha, gamma)
    return (
        Line(
            name="α counted",
            value=_number(result.alpha),
            note=f"{result.accepted} of {result.tested} drafted tokens that were tested",
        ),
        Line(name="α expected", value=_number(alpha), note="the mean of Σ min(p, q) at these positions"),
        Line(name="by llama.cpp's rule", value=_number(result.match_alpha), note="the mean of Σ p q"),
        Line(
            name="tokens per pass of the target",
            value=_number(result.tokens_per_pass),
            note=f"{tokens(result.tokens)} in {passes(result.rounds)}; predicted {_number(per_pass)}",
        ),
        Line(name="predicted speed-up", value=_times(predicted), note=f"γ = {gamma}, c = {cost:.2f}"),
        Line(name="by the clock", value=_times(clock), note="measured here, on this machine"),
    )


def ratio_lines(ratio: float, alpha: float | None, gamma: int, cost: float) -> tuple[Line, ...]:
    """What it does to the prediction that a pass over γ + 1 positions lasts `ratio` passes over one."""
    pays = None if alpha is None else expected_tokens(alpha, gamma) / (gamma * cost + ratio)
    return (
        Line(
            name=f"a pass over {gamma + 1} positions",
            value=_times(ratio),
            note="as long as one over a single position: not free on this processor",
        ),
        Line(name="predicted with that", value=_times(pays), note="tokens / (γ c + that)"),
    )


def speed_view(drafts: Sequence[Predicted], gammas: Sequence[int] = GAMMAS) -> SpeedMap:
    """The map of predictions: one row for each draft, such as each number of layers."""
    values = speed_map([draft.alpha for draft in drafts], [draft.cost for draft in drafts], gammas)
    values = values.reshape(len(drafts), len(gammas))
    rows = tuple(
        SpeedRow(
            name=draft.name,
            note=f"α {draft.alpha:.2f}, c {draft.cost:.2f}",
            cells=tuple(_cell(float(value)) for value in row),
        )
        for draft, row in zip(drafts, values, strict=True)
    )
    return SpeedMap(gammas=tuple(gammas), rows=rows, summary=_map_summary(drafts, values.tolist(), gammas))


def what_if(alpha: float, cost: float) -> str:
    """Where a draft of this α starts to pay: exactly below c = α (corollary 3.9)."""
    starts = f"With α = {alpha:.2f} a draft pays where c is below {alpha:.2f}"
    best = best_gamma(alpha, cost)
    value = speed_up(alpha, best, cost)
    if value > 1:
        return f"{starts}; at c = {cost:.2f}: {value:.2f} times with γ = {best}."
    return f"{starts}; at c = {cost:.2f} it does not: {value:.2f} times at best."


def over_run(calls: Sequence[int], alpha: float, cost: float) -> str:
    """What it comes to over a run, in passes of the target. `calls`: the tokens that each call generates."""
    written = sum(calls)
    faster = max(speed_up(alpha, best_gamma(alpha, cost), cost), 1.0)  # what does not pay is left off
    return (
        f"A ReAct run multiplies it: {tokens(written)} in {len(calls)} calls, each waiting for the last, "
        f"take {passes(written)}; with the supposed draft the time of {written / faster:.0f}. A draft must "
        "not change what is said, or tool calls would hang on it."
    )


def proof_view(
    tokenizer: Tokenizer, proofs: Proofs, probs: Sequence[float], shown: Sequence[int]
) -> tuple[ProofRow, ...]:
    """The three rules: for each of the tokens `shown` what was counted beside `probs`, p by token id."""
    return (
        _proof(tokenizer, "min(1, p / q), then the residual", proofs.residual, probs, shown, proofs.same),
        _proof(
            tokenizer, "llama.cpp: the target's own draw is the drafted token", proofs.match, probs, shown
        ),
        _proof(tokenizer, "wrong: min(1, p / q), then p itself", proofs.wrong, probs, shown, proofs.same),
    )


def _drafted(tokenizer: Tokenizer, token: Drafted) -> DraftedView:
    words = {True: "accepted", False: "rejected", None: "not tested"}
    if token.u is None:
        test = "A token before it was rejected, so it is dropped untested."
    else:
        sign = "<" if token.accepted else "≥"
        test = f"u = {token.u:.4f} {sign} min(1, p / q) = {token.bar:.4f}"
    return DraftedView(
        name=_name(tokenizer, token.token_id),
        bar=token.bar,
        u=token.u,
        verdict=words[token.accepted],
        test=test,
        overlap=f"Σ min(p, q) = {token.overlap:.3f} here",
        rows=tuple(
            OverlapRow(
                name=_name(tokenizer, pair.token_id),
                p=pair.p,
                q=pair.q,
                labels=(percent(pair.p), percent(pair.q)),
                drafted=pair.token_id == token.token_id,
            )
            for pair in _shown(token.top)
        ),
    )


def _shown(pairs: Sequence[Overlap]) -> list[Overlap]:
    """Those of largest p or q, in their order by falling p; none that neither can draw."""
    pairs = [pair for pair in pairs if pair.p or pair.q]
    largest = sorted(pairs, key=lambda pair: -max(pair.p, pair.q))[:ROWS]
    return [pair for pair in pairs if pair in largest]


def _origin(done: Round) -> str:
    """Where the last token of a round came from."""
    if not done.last:
        return "draft"
    return done.last.origin if done.drafted else "own"


def _last(tokenizer: Tokenizer, last: Last, origin: str) -> LastView:
    how = {
        "residual": "drawn from the residual, max(0, p - q) normalised",
        "bonus": "the bonus: all were accepted, and the same pass gives one more p",
        "own": "the target's own token: nothing was drafted",
    }
    rows = list(last.top[:ROWS])
    if last.token_id not in dict(rows):
        rows[ROWS - 1 :] = [(last.token_id, last.prob)]
    return LastView(
        name=_name(tokenizer, last.token_id),
        origin=origin,
        how=f"u = {last.u:.4f}, {how[origin]}",
        rows=tuple((_name(tokenizer, token), prob, percent(prob)) for token, prob in rows),
    )


def _proof(
    tokenizer: Tokenizer,
    name: str,
    proof: Proof,
    probs: Sequence[float],
    shown: Sequence[int],
    untested: bool = False,
) -> ProofRow:
    total = int(proof.counts.sum())
    p_value = proof.test.p_value
    bars = ((_name(tokenizer, t), float(proof.counts[t]) / total, float(probs[t])) for t in shown)
    if p_value is None:
        test = "Only one token can come: nothing to test."
    else:
        test = f"χ² = {proof.test.statistic:.1f} over {proof.test.cells} cells, p-value {_p_value(p_value)}"
    holds = None if untested else p_value is None or p_value >= 0.01
    return ProofRow(
        name=name,
        bars=tuple(bars),
        accepted=f"{percent(proof.accepted / total)} of {total:,} drafts accepted",
        test=test,
        holds=holds,
        verdict=VERDICTS[holds],
    )


def _map_summary(
    drafts: Sequence[Predicted], values: Sequence[Sequence[float]], gammas: Sequence[int]
) -> str:
    if not drafts:
        return ""
    best, draft, gamma = max(
        (
            (value, draft, gamma)
            for draft, row in zip(drafts, values, strict=True)
            for value, gamma in zip(row, gammas, strict=True)
        ),
        key=lambda cell: cell[0],
    )
    counted = f", α from {tokens(draft.on)}" if draft.on else ""
    how = f"with {draft.name} and γ = {gamma}{counted}"
    if best <= 1:
        return f"Predicted: none pays. At best {best:.2f} times, {how}."
    return f"Predicted: up to {best:.2f} times as fast, {how}."


def _cell(value: float) -> SpeedCell:
    return SpeedCell(value=value, label=f"{value:.2f}", pays=value > 1)


def _p_value(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else "below 0.001"


def passes(count: int) -> str:
    """A number of passes in words."""
    return f"{count} pass{'' if count == 1 else 'es'}"


def _number(value: float | None) -> str:
    return "not known yet" if value is None else f"{value:.2f}"


def _times(value: float | None) -> str:
    return "not known yet" if value is None else f"{value:.2f} times"


def _name(tokenizer: Tokenizer, token_id: int) -> str:
    return visible(tokenizer.token_bytes(token_id))
