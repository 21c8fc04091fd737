"""The way from one token to an agent in one picture: every word and number of the home screen.

The numbers are those of a bundled example and of a bundled run, so each door opens on what the picture shows.
"""

from collections.abc import Sequence
from itertools import groupby
from urllib.parse import urlencode

from core.agent import states
from core.context import CallBudget, run_budget
from core.figures.budget_pieces import share
from core.figures.loop_timeline import call_text, slug
from core.lm import Example, Tokenizer, visible
from core.sampling import Candidate, SamplerSettings, distribution, draw, uniform
from core.trace import Part, Segment, Step, StepKind, Trace
from core.values import Value

ROWS = 5
SEED = 0


class Door(Value):
    """The way to a screen, with the address at which it shows what the picture shows."""

    screen: str
    label: str
    address: dict[str, str]
    href: str


class Section(Value):
    """One of the three ideas, and the screen that opens it up."""

    title: str
    about: str
    door: Door


class Station(Value):
    """A stop on the way: its name, its symbol in the lecture's notation, one sentence, and what is there.

    `part`: the part of the context whose colour it has, or empty.
    """

    name: str
    symbol: str
    about: str
    shown: str = ""
    part: str = ""


class TokenRow(Value):
    """A token with its logit, and with its probability as a number and for reading."""

    name: str
    logit: str
    prob: float
    label: str


class OneToken(Value):
    """One generation step. `tail` stands for all tokens without a row.

    `pieces`: the widths, from 0 to 1, of the rows on the line that `u` picks on; the tail is the rest.
    """

    section: Section
    stations: tuple[Station, ...]
    arrows: tuple[str, ...]
    back: str
    text: tuple[str, ...]
    rows: tuple[TokenRow, ...]
    tail: TokenRow
    pieces: tuple[float, ...]
    u: float
    u_label: str
    drawn: str


class Loop(Value):
    """One turn of the loop, from a model call to the observation."""

    section: Section
    inside: str
    stations: tuple[Station, ...]


class Stretch(Value):
    """A stretch of the context with one owner: its tokens, of them `new` in this call."""

    part: str
    tokens: int
    new: int
    about: str


class Entry(Value):
    """What a symbol of c_k stands for in the tokens that are sent. No symbol: where the reply begins."""

    symbol: str
    tokens: int
    stretches: tuple[Stretch, ...]


class PartCount(Value):
    """A part of the context and its tokens."""

    part: str
    name: str
    tokens: str


class SentContext(Value):
    """The context of the call that is sent next, in the order in which it is sent."""

    section: Section
    station: Station
    total: str
    resent: str
    fresh: str
    window: str
    entries: tuple[Entry, ...]
    parts: tuple[PartCount, ...]
    append: str
    back: str
    end: str
    answer: str


class HomeView(Value):
    """All that the picture says."""

    token: OneToken
    loop: Loop
    context: SentContext

    @property
    def doors(self) -> tuple[Door, ...]:
        """The ways into the screens, in the order of the picture."""
        return self.token.section.door, self.loop.section.door, self.context.section.door


def home_view(example: Example, tokenizer: Tokenizer, scenario: str, trace: Trace) -> HomeView:
    """The picture of one token and of one turn.

    Args:
        example: the prompt that is read, with the logits of its next token.
        tokenizer: that of the example.
        scenario: the slug of the trace, for the addresses of the doors.
        trace: a run whose first turn makes one tool call, without a thought, and whose second turn answers.
    """
    return HomeView(
        token=_one_token(example, tokenizer), loop=_loop(scenario, trace), context=_context(scenario, trace)
    )


def _door(screen: str, label: str, **address: str) -> Door:
    return Door(screen=screen, label=label, address=address, href=f"{screen}?{urlencode(address)}")


def _one_token(example: Example, tokenizer: Tokenizer) -> OneToken:
    def name(token_id: int) -> str:
        return visible(tokenizer.token_bytes(token_id))

    def row(token: Candidate) -> TokenRow:
        return TokenRow(
            name=name(token.token_id),
            logit=f"{token.logit:.2f}",
            prob=token.prob,
            label=_percent(token.prob),
        )

    model = distribution(example.logits, SamplerSettings())
    u = uniform(SEED, 0)
    drawn = name(draw(model, u))
    shown, tail = model.top(ROWS), model.tail(ROWS)
    mass = tail.stage_masses[-1]
    return OneToken(
        section=Section(
            title="One token",
            about=(
                "A model gives a distribution, not a word. "
                "A draw makes it a token; text is one draw after another."
            ),
            # The prompt and the seed are those that the screen starts with, so they stay out of the address.
            door=_door("sampling", "Sampling", draws="1", by="draw"),
        ),
        stations=(
            Station(name="text", symbol="W_{1:t−1}", about="The model reads the tokens so far."),
            Station(
                name="logits",
                symbol="z",
                about=f"{len(example.logits):,} unnormalised scores, one a token.",
            ),
            Station(
                name="distribution",
                symbol="P(W_t | W_{1:t−1})",
                about="Softmax makes the scores probabilities: all above 0, in sum 1.",
            ),
            Station(
                name="token",
                symbol="w_t",
                about="A random u draws one; greedy takes the top.",
            ),
        ),
        arrows=("Transformer", "softmax", "draw"),
        back="append w_t and read again: autoregressive",
        text=tuple(name(token_id) for token_id in example.token_ids),
        rows=tuple(row(token) for token in shown),
        tail=TokenRow(name=f"{tail.tokens:,} more", logit="…", prob=mass, label=_percent(mass)),
        pieces=tuple(token.prob for token in shown),
        u=u,
        u_label=f"u = {u:.2f}",
        drawn=drawn,
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _loop(scenario: str, trace: Trace) -> Loop:
    request = _first(trace.steps, StepKind.TOOL_CALL)
    observation = _first(trace.steps, StepKind.OBSERVATION)
    verdict = _first(trace.steps, StepKind.VALIDATION).validation
    call = request.tool_call
    assert call is not None
    assert verdict is not None
    sent = run_budget(trace).calls[0].total
    return Loop(
        section=Section(
            title="The loop",
            about="The model requests, the runtime executes, and the next call reads what came back.",
            door=_door("react", "ReAct", scenario=scenario, step="1"),
        ),
        inside="inside every model call, once for each token of the reply",
        stations=(
            Station(
                name="model call",
                symbol="LLM(c_1)",
                about="A model writes its reply token by token.",
                shown=f"reads {sent:,} tokens" if sent is not None else "",
            ),
            Station(
                name="tool call",
                symbol="a_1",
                about="The reply asks for a tool, in a form that the runtime can read.",
                shown=call_text(call),
                part=slug(Part.TOOL_CALL),
            ),
            Station(
                name="tool",
                symbol="",
                about="The runtime checks the call and runs the function.",
                shown="valid, executed" if verdict.ok else "refused",
            ),
            Station(
                name="observation",
                symbol="o_2",
                about="The result becomes a message.",
                shown=observation.text,
                part=slug(Part.TOOL_RESULT),
            ),
        ),
    )


def _context(scenario: str, trace: Trace) -> SentContext:
    step = [number for number, step in enumerate(trace.steps) if step.kind is StepKind.MODEL_CALL][1]
    budget, segments = run_budget(trace).calls[1], trace.calls[1].segments or ()
    symbols = [f"{symbol[0]}_{symbol[1:]}" for symbol in states(trace)[step].context]
    answer = _first(trace.steps, StepKind.ANSWER).appended
    assert budget.total is not None
    assert budget.resent is not None
    assert answer is not None
    return SentContext(
        section=Section(
            title="The context",
            about="The model keeps nothing between calls: everything is sent again, and has to fit.",
            door=_door("context", "Context budget", scenario=scenario, step=str(step + 1)),
        ),
        station=Station(
            name="context of call 2",
            symbol=f"c_2 = ({', '.join(symbols)})",
            about="What is sent is all that the model knows.",
        ),
        total=f"{budget.total:,} tokens",
        resent=f"{budget.resent:,} re-sent",
        fresh=f"{budget.new:,} new",
        window=_window(budget),
        entries=_entries(segments, symbols, budget.resent),
        parts=tuple(
            PartCount(part=slug(part), name=part.value, tokens=f"{tokens:,}")
            for part, tokens in budget.parts.items()
        ),
        append="append",
        back="send all of it with the next call",
        end="A reply without a tool call is the answer, and ends the loop:",
        answer=answer.content,
    )


def _window(budget: CallBudget) -> str:
    if budget.window is None or budget.total is None:
        return ""
    return f"{share(budget.total, budget.window)} of the window of {budget.window:,}"


def _entries(segments: Sequence[Segment], symbols: Sequence[str], resent: int) -> tuple[Entry, ...]:
    """The tokens behind each symbol: the prefix c_0, then a message for each, then the reply's opening."""
    groups = [(owner, list(group)) for owner, group in groupby(segments, key=_owner)]
    entries, start = [], 0
    for (_, group), symbol in zip(groups, [*symbols, ""], strict=True):
        stretches = []
        for segment in group:
            tokens = segment.tokens or 0
            new = min(tokens, max(0, start + tokens - resent))
            about = f"{segment.part.value}: {tokens:,} tokens, {new:,} new"
            stretches.append(Stretch(part=slug(segment.part), tokens=tokens, new=new, about=about))
            start += tokens
        total = sum(stretch.tokens for stretch in stretches)
        entries.append(Entry(symbol=symbol, tokens=total, stretches=tuple(stretches)))
    return tuple(entries)


def _owner(segment: Segment) -> int | None:
    """The message that a segment belongs to; tool schemas stand in the prefix, with the system prompt."""
    return 0 if segment.part is Part.TOOLS else segment.message


def _first(steps: Sequence[Step], kind: StepKind) -> Step:
    return next(step for step in steps if step.kind is kind)
