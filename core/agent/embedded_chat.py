"""The embedded model as the loop's model: token by token, each with what else it might have been.

It calls tools in one of three ways, which differ in what the runtime does, not in the model:

    free      nothing holds it: plain text, or, asked for it by `core.agent.TEXT`, ReAct as text
    grammar   a call that conforms to a tool's schema, or text; the model chooses by its first token
    guided    as grammar, but a call until there is a result, and text from then on

A grammar guarantees the form of a call and nothing else: a small model's calls parse, and can be wrong. A
thought before a call needs a place in it too.
"""

import codecs
import math
from collections.abc import Generator, Iterator, Sequence
from typing import Literal, Protocol, get_args

from core.agent.hermes import Thought, call_grammar, read_calls
from core.context.assemble import TokenCounter, assemble
from core.decoding.constrained import REDRAWS, MaskedToken, constrain_step
from core.decoding.constrained_grammar import constraint
from core.decoding.constrained_matcher import Matcher
from core.decoding.generate import TOP, LanguageModel, ending, step
from core.errors import InputError
from core.lm.chat import Piece, Reply, drained
from core.lm.chat_options import checked_type
from core.messages.chat_dialect import as_tool_schemas
from core.messages.reply import TokenChoice, Usage
from core.messages.types import Message, ToolResultMessage, ToolSchema, UserMessage
from core.sampling import Candidate, SamplerSettings, uniform
from core.sampling.checks import whole_number

EmbeddedCalls = Literal["free", "grammar", "guided"]

TEMPLATE = "chatml"
"""SmolLM2's own template knows no tools. This is the same ChatML with the tool blocks of Hermes and Qwen."""


class ReadingModel(LanguageModel, Protocol):
    """A language model that can be stopped while it reads: `core.lm.EmbeddedModel` is one."""

    @property
    def name(self) -> str:
        """What a screen calls it."""

    def read(self, ids: Sequence[int]) -> Iterator[int]:
        """Read a text block by block, and yield after each."""


class EmbeddedChat:
    """A model of this process behind the chat interface. Stateless, and safe to share between threads.

    Each token takes its turn at the model's worker, and what an earlier call has read of the context is not
    read again. Prompt, settings and seed determine a reply.

    Args:
        calls: how it calls tools; see above.
        thought: whether a grammar has a sentence before a call: none, it `may` stand there, or it `must`.
        settings: of the sampler; greedy if they are not given.
        max_tokens: of one reply.
    """

    def __init__(
        self,
        model: ReadingModel,
        calls: EmbeddedCalls = "free",
        settings: SamplerSettings = SamplerSettings(temperature=0),  # noqa: B008 - frozen
        seed: int = 0,
        max_tokens: int = 256,
        thought: Thought = "none",
    ) -> None:
        if calls not in get_args(EmbeddedCalls):
            ways = ", ".join(get_args(EmbeddedCalls))
            raise InputError(f"The embedded model calls tools by one of {ways}, not by {calls!r}.")
        checked_type("The settings", settings, SamplerSettings)
        if whole_number("max_tokens", max_tokens) < 1:
            raise InputError(f"max_tokens must be at least 1; {max_tokens} is not.")
        self.name = model.name
        self.window = model.context_length
        self.counter = TokenCounter(model.tokenizer, TEMPLATE)
        self._model = model
        self._calls = calls
        self._settings = settings
        self._seed = whole_number("seed", seed)
        self._max_tokens = max_tokens
        self._thought = thought

    def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """See `core.lm.chat.ChatModel`."""
        return drained(self.stream(messages, tools))

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema]
    ) -> Generator[Piece, None, Reply]:
        """See `core.lm.chat.StreamingModel`. Nothing is computed between two pieces, so closing stops it."""
        schemas = as_tool_schemas(tools)
        prompt = [
            token_id
            for segment in assemble(messages, schemas, self.counter)
            for token_id in segment.token_ids or ()
        ]
        held = self._held(messages, schemas)
        for _ in self._model.read(prompt):
            yield Piece()
        ends = self._model.tokenizer.end_ids
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text, tokens, ended = "", list[TokenChoice](), False
        for token_id, choice in self._tokens(prompt, held):
            tokens.append(choice)
            ended = token_id in ends
            fresh = "" if ended else decoder.decode(self._model.tokenizer.token_bytes(token_id))
            text += fresh
            yield Piece(text=fresh, tokens=(choice,))
        message = read_calls(text + decoder.decode(b"", final=True))
        whole = ended or (held is not None and _is_complete(held))
        return Reply(
            message=message,
            finish_reason=("tool_calls" if message.tool_calls else "stop") if whole else "length",
            usage=Usage(input_tokens=len(prompt), output_tokens=len(tokens)),
            tokens=tuple(tokens),
        )

    def _held(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Matcher | None:
        if self._calls == "free" or not tools:
            return None
        answered = has_result(messages)
        call, text = (True, True) if self._calls == "grammar" else (not answered, answered)
        return Matcher(
            constraint("grammar", call_grammar(tools, call, text, self._thought)), self._model.tokenizer
        )

    def _tokens(self, prompt: Sequence[int], held: Matcher | None) -> Iterator[tuple[int, TokenChoice]]:
        """The tokens, up to an end token or a whole call, with the log-probabilities of the model itself.

        So where a grammar holds it, the alternatives say what it would rather have said.
        """
        token_ids = list(prompt)
        for index in range(self._max_tokens):
            if ending(self._model, token_ids, index) or (held is not None and _is_complete(held)):
                return
            u = uniform(self._seed, index)
            token: Candidate | MaskedToken
            top: Sequence[Candidate | MaskedToken]
            if held is None:
                drawn = step(self._model, token_ids, self._settings, u)
                token, top = drawn.token, drawn.top
            else:
                logits, again = self._model.next_logits(token_ids), uniform(self._seed, REDRAWS + index)
                done = constrain_step(logits, held.allowed(), self._settings, u, again)
                token, top = done.token, [shown for shown in done.shown if shown.rank < TOP]
                if token.token_id not in self._model.tokenizer.end_ids:
                    held.take(token.token_id)
            alternatives = tuple(map(self._reported, top))
            yield token.token_id, self._reported(token).model_copy(update={"alternatives": alternatives})
            token_ids.append(token.token_id)

    def _reported(self, token: Candidate | MaskedToken) -> TokenChoice:
        """The token as a server reports it: a part of a character is U+FFFD, and its id tells it."""
        return TokenChoice(
            text=self._model.tokenizer.token_bytes(token.token_id).decode(errors="replace"),
            token_id=token.token_id,
            logprob=math.log(token.model_prob) if token.model_prob > 0 else -math.inf,
        )


def _is_complete(held: Matcher) -> bool:
    """Whether the text is whole and nothing can follow it but its end."""
    allowed = held.allowed()
    return allowed.may_end and allowed.forced


def has_result(messages: Sequence[Message]) -> bool:
    """Whether a tool has answered since the user last spoke."""
    for message in reversed(messages):
        if isinstance(message, ToolResultMessage | UserMessage):
            return isinstance(message, ToolResultMessage)
    return False
