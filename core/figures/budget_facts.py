"""What all calls of a run come to: a few numbers, and how they grow."""

from itertools import pairwise

from core.context import RunBudget, Supposed
from core.figures.budget_fate import mark
from core.figures.budget_fit import fit
from core.figures.budget_pieces import UNKNOWN, share
from core.values import Value


class Fact(Value):
    """One number about the whole run."""

    label: str
    value: str


def facts_of(budget: RunBudget, window: int | None, supposed: Supposed | None) -> tuple[Fact, ...]:
    """The numbers beside the picture."""
    last = budget.calls[-1].total if budget.calls else None
    if supposed and supposed.outcomes:
        last = supposed.outcomes[-1].read
    resent = None if budget.resent is None or budget.sent is None else share(budget.resent, budget.sent)
    facts = [
        Fact(label="in the last call", value=UNKNOWN if last is None else f"{last:,}"),
        Fact(label="sent in total", value=UNKNOWN if budget.sent is None else f"{budget.sent:,}"),
        Fact(label="of it re-sent", value=UNKNOWN if resent is None else resent),
    ]
    if supposed is None:
        over = sum(window is not None and (call.total or 0) > window for call in budget.calls)
        if over:
            facts.append(Fact(label="calls too long", value=f"{over:,}"))
    else:
        marks = [mark(outcome, supposed.supposition) for outcome in supposed.outcomes]
        refused = sum(
            one.total for one, said in zip(supposed.outcomes, marks, strict=True) if said == "refused"
        )
        read = sum(outcome.read for outcome in supposed.outcomes)
        if refused:
            facts.append(Fact(label="of it refused", value=f"{refused:,}"))
        if read < (budget.sent or 0):
            facts.append(Fact(label="of it read", value=f"{read:,}"))
        fits = bool(fit(supposed))
        if supposed.saved or not fits:
            facts.append(Fact(label="left out", value=f"{supposed.saved:,}"))
        if not fits:
            facts.append(Fact(label="calls refused", value=str(marks.count("refused"))))
        if "damaged" in marks:
            facts.append(Fact(label="calls damaged", value=str(marks.count("damaged"))))
    return tuple(facts)


def moral(budget: RunBudget) -> str:
    """What the calls of a run teach, in a sentence or two."""
    totals = [call.total for call in budget.calls]
    if len(totals) < 2:
        return "One call: nothing is sent twice in this run."
    always = (
        "The model keeps nothing between calls: the runtime stores the messages and sends all again. A token "
        "costs time and money at every call, not once, and no list grows forever: hence compaction, memory, "
        "retrieval"
    )
    known = [total for total in totals if total is not None]
    if len(known) < len(totals) or any(after <= before for before, after in pairwise(known)):
        return f"{always}."
    step = round((known[-1] - known[0]) / (len(known) - 1))
    # The sum over the calls of first + step · 0, 1, … n - 1.
    once, squared = (f"{abs(of):,.1f}".removesuffix(".0") for of in (known[0] - step / 2, step / 2))
    sign = "+" if known[0] >= step / 2 else "−"
    law = f"{squared} n² {sign} {once} n"
    return f"{always}. By about {step:,} more a call, n calls send about {law}."
