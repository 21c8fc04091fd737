"""One question answered in three ways: at once, in the model's own steps, and after the right steps.

All of it is greedy. Where the text that is looked for is known, one pass over it tells whether the model
would have written it (teacher forcing): greedy writes a text if each of its tokens is the first choice after
those before it. Own steps are found the same way: the right chain is the draft, and from the first token on
that the model chooses otherwise its own one stands (as `core.decoding.match_draft` at T = 0), so that the
text is the one that it writes token by token.
"""

from collections.abc import Generator, Sequence

import numpy as np

from core.decoding import LanguageModel
from core.teaching.thought.tasks import Prompts
from core.values import Value

WINDOW = 8  # tokens of the draft that a pass reads, after the first: most of the rest would be for nothing
EXTRA = 12  # tokens that an own chain may be longer than the right one


class Outcome(Value):
    """What came of one question.

    `at_once`, `own`, `given`: whether each way answers right. `steps`: of each step whether the model writes
    it where all before it are right. `text`: its own chain and answer.
    """

    at_once: bool
    own: bool
    given: bool
    steps: tuple[bool, ...]
    text: str

    @property
    def whole(self) -> bool:
        """Whether its own chain is right throughout: greedy writes a chain if it writes each of its steps."""
        return all(self.steps)


def answer(model: LanguageModel, asked: Prompts) -> Outcome:
    """Answer one question in all three ways."""
    working = answering(model, asked)
    while True:
        try:
            next(working)
        except StopIteration as done:
            outcome: Outcome = done.value
            return outcome


def answering(model: LanguageModel, asked: Prompts) -> Generator[None, None, Outcome]:
    """`answer`, yielding after each pass, so that it can be left there. Returns the outcome."""
    encode, question = model.tokenizer.encode, asked.question
    at_once = _writes(model, encode(asked.at_once), encode(question.ending))
    yield
    # Cut where the parts meet: a tokenizer that joined a line break with what follows would shift the steps.
    prompt = encode(asked.in_steps)
    lines = [encode(f"{step}\n") for step in question.steps]
    asks = encode(question.asks)
    right = [token for line in lines for token in line] + asks + encode(question.ending)
    choices = _choices(model, prompt, right)
    held = [choice == token for choice, token in zip(choices, right, strict=True)]
    yield
    at, steps = 0, []
    for line in lines:
        steps.append(all(held[at : at + len(line)]))
        at += len(line)
    given = all(held[at + len(asks) :])
    last = question.asks.split()[0]
    own = yield from _greedy(model, prompt, right, choices, last)
    text = model.tokenizer.decode(own[:-1] if own[-1] in model.tokenizer.end_ids else own)
    return Outcome(
        at_once=at_once,
        own=answered(text, last) == question.answer,
        given=given,
        steps=tuple(steps),
        text=text,
    )


def answered(text: str, last: str) -> str:
    """The answer in a chain of the model's own: the last word of a line that begins with `last`, or nothing.

    The line need not name the right item.
    """
    line = text.strip().rsplit("\n", 1)[-1]
    return line.replace(":", ": ").split()[-1] if line.startswith(last) else ""


def _greedy(
    model: LanguageModel,
    prompt: Sequence[int],
    draft: Sequence[int],
    choices: Sequence[int],
    last: str,
) -> Generator[None, None, list[int]]:
    """The greedy text after a prompt, up to a line that begins with `last`, or `EXTRA` tokens too many.

    `choices`: the first choice at each place of the draft, as a pass over all of it has told.
    """
    text: list[int] = []
    while True:
        tail = list(draft[len(text) : len(text) + len(choices)])
        for choice, token in zip(choices, [*tail, None], strict=False):
            text.append(int(choice))
            if _over(model, text, len(draft), last):
                return text
            if choice != token:
                break
        tail = list(draft[len(text) : len(text) + WINDOW - 1])
        choices = _choices(model, [*prompt, *text], [*tail, draft[-1]])
        yield


def _over(model: LanguageModel, text: Sequence[int], expected: int, last: str) -> bool:
    if text[-1] in model.tokenizer.end_ids or len(text) >= expected + EXTRA:
        return True
    *lines, _ = model.tokenizer.decode(text).split("\n")
    return any(line.startswith(last) or not line for line in lines)


def _writes(model: LanguageModel, prompt: Sequence[int], text: Sequence[int]) -> bool:
    return list(_choices(model, prompt, text)) == list(text)


def _choices(model: LanguageModel, prompt: Sequence[int], text: Sequence[int]) -> list[int]:
    """The model's first choice at each place of `text`, with all before it as it stands there."""
    rows = model.all_logits([*prompt, *text[:-1]], len(prompt) - 1)
    return [int(choice) for choice in np.argmax(rows, axis=1)]
