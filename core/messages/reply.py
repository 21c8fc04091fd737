"""What a server tells of a reply beside its message."""

from core.values import Value


class Usage(Value):
    """Token counts as a server reported them; `None` where it did not."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class TokenChoice(Value):
    """A token of a reply with its log-probability (nats, T = 1) and the alternatives that were reported."""

    text: str
    token_id: int | None = None
    logprob: float | None = None
    alternatives: tuple["TokenChoice", ...] = ()
