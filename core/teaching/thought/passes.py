"""How many forward passes stand before the answer: each generated token is one."""

from collections.abc import Iterator, Sequence

from core.decoding import LanguageModel, generate
from core.sampling import SamplerSettings

LONGEST = 96  # tokens of a text that has not come to its answer
GREEDY = SamplerSettings(temperature=0.0)


def written(model: LanguageModel, prompt: str, last: str) -> Iterator[tuple[int, ...]]:
    """The greedy text after a prompt, after each of its tokens, up to the end of the line with the answer.

    `last`: how that line begins, or empty where the prompt holds its beginning.
    """
    tokens: tuple[int, ...] = ()
    for drawn in generate(model, model.tokenizer.encode(prompt), GREEDY, seed=0, max_tokens=LONGEST):
        tokens = (*tokens, drawn.token_id)
        yield tokens
        *lines, _ = model.tokenizer.decode(tokens).split("\n")
        if any(line.startswith(last) for line in lines):
            return


def answer_pass(pieces: Sequence[str], last: str) -> int | None:
    """The pass, from 1, that gives the first token of the answer; `None` if the text has none.

    The first pass reads the prompt and gives the first token. `pieces`: the text of each token. In a line
    that begins with `last` the answer stands behind the colon.
    """
    text = ""
    for number, piece in enumerate(pieces, start=1):
        line = text.rsplit("\n", 1)[-1].rstrip()
        if piece.strip() and (not last or (line.startswith(last) and line.endswith(":"))):
            return number
        text += piece
    return None
