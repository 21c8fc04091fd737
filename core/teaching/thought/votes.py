"""Self-consistency: several chains are drawn for one question, and the answer of most of them is taken.

Wang et al. 2023, "Self-Consistency Improves Chain of Thought Reasoning in Language Models", section 2
(arXiv:2203.11171).
"""

from collections import Counter
from collections.abc import Generator, Sequence

from core.decoding import LanguageModel
from core.sampling import SamplerSettings
from core.teaching.thought.hint import Letters, after_chain, chain
from core.values import Value

DRAWN = SamplerSettings(temperature=0.7, top_p=0.95)
GREEDY = SamplerSettings(temperature=0.0)


class Vote(Value):
    """A chain, and the letters of the answer after it."""

    text: str
    letters: Letters

    @property
    def answer(self) -> int:
        """The place of the most probable letter."""
        return self.letters.raw.index(max(self.letters.raw))


def vote(
    model: LanguageModel, question: int, settings: SamplerSettings, seed: int
) -> Generator[str, None, Vote]:
    """One chain for a bundled question and its answer, yielding the chain after each of its tokens."""
    text = ""
    for text in chain(model, question, None, settings, seed):
        yield text
    return Vote(text=text, letters=after_chain(model, question, None, text))


def majority(answers: Sequence[int]) -> int | None:
    """The answer that comes most often; `None` if several share the first place, or there is none."""
    first = Counter(answers).most_common(2)
    if not first or (len(first) == 2 and first[0][1] == first[1][1]):
        return None
    return first[0][0]
