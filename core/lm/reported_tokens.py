"""The log-probabilities of a reply's tokens, in the form that Ollama and OpenAI's chat API share.

[{token, logprob, bytes?, id?, top_logprobs: [{token, logprob, bytes?, id?}]}]
"""

from typing import Any

from core.lm.next_token import ReportedToken, read_entries
from core.messages.reply import TokenChoice


def read_choices(reported: Any) -> list[TokenChoice]:
    """The tokens in order, each with the alternatives that the server named.

    Raises:
        BadReply: it has another form.
    """
    drawn = read_entries(reported)
    return [
        _choice(
            *entry,
            alternatives=tuple(_choice(*other) for other in read_entries(source.get("top_logprobs") or [])),
        )
        for entry, source in zip(drawn, reported, strict=True)
    ]


def _choice(token: ReportedToken, logprob: float, alternatives: tuple[TokenChoice, ...] = ()) -> TokenChoice:
    return TokenChoice(text=token.text, token_id=token.id, logprob=logprob, alternatives=alternatives)
