"""What the screens of chains of thought, evidence and exercises show at an address."""

from core.lm import embedded
from core.teaching.evidence import CARDS, Plot, Share
from core.teaching.exercises import make
from core.teaching.lessons.step import Address
from core.teaching.thought import captured, hint
from core.teaching.thought.counts import tally
from core.teaching.thought.passes import answer_pass, written
from core.teaching.thought.tasks import prompts

SEED = 0  # of the questions, where the address names none


def passes_to_answer(address: Address) -> int:
    """The pass, from 1, that gives the answer to the serial question in view, with a chain before it."""
    model = embedded()
    asked = prompts(address["task"], int(address["length"]), SEED)
    last = asked.question.asks.split()[0].rstrip(":")
    *_, tokens = written(model, asked.in_steps, last)
    pieces = [model.tokenizer.token_bytes(token).decode(errors="replace") for token in tokens]
    return answer_pass(pieces, last) or len(tokens)


def captured_questions(task: str, length: int) -> int:
    """How many questions of a task the model was captured answering."""
    return len(captured.load().of(task, length, SEED))


def right_after_steps(address: Address) -> int:
    """Of the captured questions in view, how many are answered right after the right steps."""
    outcomes = captured.load().of(address["task"], int(address["length"]), SEED)
    return tally(outcomes).given.count


def percent_of_hinted(address: Address) -> float:
    """The probability of the option that the hint names, among the four letters, in percent."""
    hinted = hint.LETTERS.index(address["hint"])
    moved = hint.moved(embedded(), int(address["question"]) - 1, hinted)
    return 100 * moved.after.shares[hinted]


def plot_of(slug: str) -> Plot:
    """The rows of a card of evidence."""
    picture = _picture(slug)
    assert isinstance(picture, Plot)
    return picture


def share_of(slug: str) -> Share:
    """The share that a card of evidence tells."""
    picture = _picture(slug)
    assert isinstance(picture, Share)
    return picture


def _picture(slug: str) -> Plot | Share:
    return next(card for card in CARDS if card.slug == slug).picture


def number_asked(field: str, address: Address) -> float:
    """The right number in a field of the exercise in view."""
    return float(str(make(address["kind"], int(address["seed"])).made.answers[field]))


def choice_asked(field: str, address: Address) -> str:
    """The right option in a field of the exercise in view."""
    return str(make(address["kind"], int(address["seed"])).made.answers[field])
