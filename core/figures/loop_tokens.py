"""The tokens of a reply: chips on its cards, and the distribution that one of them was drawn from.

A chip has the model's own probability, T = 1, as in the trace. Which part of the reply a token belongs to is
read off its text: what stands in a block `<tool_call>`, or after a label `Action:`, is a call.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal
from urllib.parse import urlencode

from core.figures.generation_view import percent
from core.figures.loop_sent import sent_after, total_of, whole_calls
from core.figures.loop_timeline import counted, slug
from core.lm import visible
from core.messages.types import AssistantMessage
from core.trace import ModelCall, Part, TokenChoice, Trace
from core.values import Value

LONGEST_LINK = 8_000
"""Characters of an address that every browser and proxy lets through."""

SHOWN = 40
"""Characters of a part that its place in the template shows."""

Drawing = Literal["greedy", "grammar", "greedy grammar", "sampled", "not told"]
"""How tokens came from the distributions that the trace tells, as far as one knows: the most probable one;
one that a grammar allows; the most probable one that it allows; by chance; or it is not told."""

TOOL_CALL = "tool call"
_BLOCK = re.compile(r"<tool_call>.*?(?:</tool_call>|\Z)", re.DOTALL)
_ACTION = re.compile(r"^[ \t]*\**Action\b.*", re.MULTILINE | re.DOTALL)


class Chip(Value):
    """A token as it is shown; `kind` is "away" where it was not the model's own first choice."""

    text: str
    title: str
    probability: float
    kind: str = ""


class Stretch(Value):
    """The tokens of one card: those of call `call`, from 1, from position `first`, from 0."""

    call: int
    first: int
    chips: tuple[Chip, ...]


def stretches(call: ModelCall, number: int, message: AssistantMessage) -> dict[int, Stretch]:
    """The tokens of a reply by owner: the index of a call of `message`, or -1 for its text."""
    tokens = call.tokens or ()
    owners = _owners(tokens, message)
    return {
        owner: Stretch(
            call=number,
            first=owners.index(owner),
            chips=tuple(_chip(token) for token, whose in zip(tokens, owners, strict=True) if whose == owner),
        )
        for owner in dict.fromkeys(owners)
    }


def token_panel(
    trace: Trace, number: int, position: int, drawing: Drawing, embedded: bool
) -> dict[str, Any] | None:
    """The distribution behind a token, and where it stands; `None` if there is no such token.

    Args:
        number: of the model call, from 1.
        position: of the token in its reply, from 0.
        embedded: whether the embedded model made the reply, so that the sampling screen can make it again.
    """
    calls = [(index, step.model_call) for index, step in enumerate(trace.steps) if step.model_call]
    if not 1 <= number <= len(calls):
        return None
    index, call = calls[number - 1]
    tokens = call.tokens or ()
    if not 0 <= position < len(tokens):
        return None
    token = tokens[position]
    message = _appended(trace, index) or call.reply
    owner = _owners(tokens, message)[position]
    part = TOOL_CALL if owner >= 0 else "thought" if message.tool_calls else "answer"
    address = sampling_address(call, position) if embedded else None
    href = address and f"sampling?{urlencode(address)}"
    too_long = href is not None and len(href) > LONGEST_LINK
    return {
        "token": f"{number}.{position + 1}",
        "title": f"token {position + 1} of {len(tokens)} · {part}",
        "name": visible(token.text.encode()),
        "how": _how(token, drawing),
        "rows": list(_rows(token, drawing)),
        "rest": _rest(token),
        "share": _share(trace, index, part),
        "place": _place(trace, index, part, owner),
        "href": "" if too_long else href or "",
        "address": None if too_long else address,
        "note": f"No link to the sampling screen: it would have {len(href):,} characters."
        if too_long and href
        else "",
    }


def sampling_address(call: ModelCall, position: int) -> dict[str, str] | None:
    """Where the sampling screen shows the distribution of a token: after the context and the reply so far.

    `None` where the trace does not tell the text that was sent, or the ids of the tokens.
    """
    before = [token.token_id for token in (call.tokens or ())[:position]]
    if not call.segments or call.counting.method != "exact" or None in before:
        return None
    prompt = "".join(segment.text for segment in call.segments)
    address = {"prompt": prompt, "added": ".".join(map(str, before))}
    return {name: value for name, value in address.items() if value}


# --- whose token


def _owners(tokens: Sequence[TokenChoice], message: AssistantMessage) -> list[int]:
    text = "".join(token.text for token in tokens)
    spans = [found.span() for found in _BLOCK.finditer(text)]
    if not spans and message.tool_calls:
        spans = [found.span() for found in _ACTION.finditer(text)]
    if not spans or len(spans) != len(message.tool_calls):
        return [-1] * len(tokens)
    owners, at = [], 0
    for token in tokens:
        inside = [n for n, (start, end) in enumerate(spans) if start < at + len(token.text) and at < end]
        # What only parts two calls, or ends the reply, goes to the call before it.
        follows = [n for n, (_, end) in enumerate(spans) if end <= at]
        owners.append(inside[0] if inside else follows[-1] if follows else -1)
        at += len(token.text)
    return owners


def _appended(trace: Trace, index: int) -> AssistantMessage | None:
    """The reply of a call as it was appended."""
    for step in trace.steps[index + 1 :]:
        if step.model_call is not None:
            return None
        if isinstance(step.appended, AssistantMessage):
            return step.appended
    return None


# --- the distribution


def _chip(token: TokenChoice) -> Chip:
    prob = _prob(token)
    first = _is_first(token)
    title = "its probability is not in this trace" if prob is None else f"{percent(prob)} in the model"
    return Chip(
        text=visible(token.text.encode()),
        title=title if first else f"{title} · not its first choice",
        probability=0 if prob is None else round(prob, 4),
        kind="" if first else "away",
    )


def _how(token: TokenChoice, drawing: Drawing) -> str:
    if not token.alternatives:
        return "What else it might have been is not in this trace."
    if _is_first(token):
        return "The model's own first choice."
    first = f"The model's own first choice was {visible(token.alternatives[0].text.encode())}"
    why = {
        "greedy grammar": "the grammar took it away.",
        "grammar": "the grammar took it away, or the draw fell on another.",
        "sampled": "the draw fell on another.",
    }
    return f"{first}: {why.get(drawing, 'why it was not taken is not in this trace.')}"


def _rows(token: TokenChoice, drawing: Drawing) -> Iterator[dict[str, Any]]:
    """A row for each alternative, by falling probability, and for the token if it is none of them."""
    shown = list(token.alternatives)
    if not any(_same(other, token) for other in shown):
        shown.append(token)
    largest = max((_prob(other) or 0 for other in shown), default=0) or 1
    passed = drawing == "greedy grammar" and not _is_first(token)
    for other in shown:
        taken, prob = _same(other, token), _prob(other)
        # Greedy decoding takes the most probable token that is allowed: so what stands above it is not.
        away = passed and not taken and (other.logprob or -math.inf) > (token.logprob or -math.inf)
        yield {
            "name": visible(other.text.encode()),
            "share": 0 if prob is None else prob / largest,
            "label": "not told" if prob is None else percent(prob),
            "note": "taken" if taken else "forbidden" if away else "",
        }


def _rest(token: TokenChoice) -> str:
    """What all other tokens have together."""
    probs = [_prob(other) for other in token.alternatives]
    if not token.alternatives or None in probs:
        return ""
    told = sum(prob for prob in probs if prob is not None)
    if not any(_same(other, token) for other in token.alternatives):
        told += _prob(token) or 0
    return f"all others together {percent(max(0.0, 1 - told))}"


def _prob(token: TokenChoice) -> float | None:
    return None if token.logprob is None else math.exp(token.logprob)


def _is_first(token: TokenChoice) -> bool:
    return not token.alternatives or _same(token.alternatives[0], token)


def _same(one: TokenChoice, other: TokenChoice) -> bool:
    if one.token_id is None or other.token_id is None:
        return one.text == other.text
    return one.token_id == other.token_id


# --- its place in the next context


def _next_context(trace: Trace, index: int) -> tuple[ModelCall, int] | None:
    """The next call that sends the whole history, and the index of the reply among its messages."""
    for later, _ in whole_calls(trace):
        call = trace.steps[later].model_call
        if later > index and call is not None and _appended(trace, index) is not None:
            return call, sent_after(trace)[index]
    return None


def _share(trace: Trace, index: int, part: str) -> str:
    found = _next_context(trace, index)
    if found is None:
        return "No later context of this run holds this reply."
    call, message = found
    wanted = Part.TOOL_CALL if part == TOOL_CALL else Part.ASSISTANT
    segments = call.segments or ()
    own = total_of([s for s in segments if s.message == message and s.part is wanted])
    total = total_of(segments)
    if not own or not total:
        return "How much of the next context it fills is not in this trace."
    return f"{counted(own, 'token')} of the next context's {total:,} ({percent(own / total)}): {part}"


def _place(trace: Trace, index: int, part: str, owner: int) -> list[dict[str, Any]]:
    """The reply as the template writes it into the next context; `own` marks the part of the token."""
    found = _next_context(trace, index)
    if found is None:
        return []
    call, message = found
    wanted = Part.TOOL_CALL if part == TOOL_CALL else Part.ASSISTANT
    place, seen = list[dict[str, Any]](), -1
    for segment in call.segments or ():
        if segment.message != message:
            continue
        is_part = segment.part is wanted
        seen += is_part
        own = is_part and (part != TOOL_CALL or seen == owner)
        place.append({"text": _clipped(segment.text), "part": slug(segment.part), "own": own})
    return place


def _clipped(text: str) -> str:
    if len(text) > SHOWN:
        half = SHOWN // 2
        return f"{visible(text[:half].encode())} … {visible(text[-half:].encode())}"
    return visible(text.encode())
