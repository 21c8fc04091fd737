"""The first objective: softmax, temperature, top-k, top-p, and a format that is asked for or enforced."""

from core.lm import load_examples
from core.teaching.drafting import DRAFTING_EXAMPLES
from core.teaching.lessons import drawing, reading
from core.teaching.lessons.step import Address, Choice, Lesson, LessonStep, Number, Token

ALPHA = 0.001
"""A p-value below it is taken for another law: once in a thousand it would be the same one."""

# As the reader's own numbers: what is said beside the lecture's would give the answers away.
FLAT = {"numbers": "own-probabilities", "own": "A: 0.4; B: 0.3; C: 0.25; D: 0.03; E: 0.02"}
PEAKED = {"numbers": "own-probabilities", "own": "A: 0.6; B: 0.3; C: 0.05; D: 0.03; E: 0.02"}
FACT = {"prompt": load_examples()[0].text, "T": "1"}
STORY = {"view": "rounds"}
COPY = {"prompt": DRAFTING_EXAMPLES[2].prompt, "draft": "lookup", "T": "0"}
SOFTMAX = {"kind": "softmax", "seed": "1"}
SPEED = reading.plot_of("speed").rows[0]
OTHER_U = 0.8
COUNTS = ("1", "2", "3", "4", "5")
TARGET, DRAFT = "the target's", "something between target and draft"


def _kept(address: Address) -> str:
    return str(drawing.kept(address))


def _free_start(address: Address) -> str:
    return "yes" if drawing.free_start_fits(address) else "no"


def _law(address: Address) -> str:
    p_value = drawing.proofs(address).residual.test.p_value
    return TARGET if p_value is None or p_value > ALPHA else DRAFT


SAMPLING = Lesson(
    title="Sampling and decoding",
    objective="Compute softmax; analyse T, top-k and top-p; explain constrained decoding.",
    steps=(
        LessonStep(
            screen="home",
            address={},
            look="One token: logits, softmax, and a random number u that falls on the line of probabilities.",
            ask=f"And with u = {OTHER_U}: which token is drawn?",
            question=Token(lambda _: drawing.drawn_by(OTHER_U)),
            why="The first token at which the running sum exceeds u: the most probable one stays below it.",
        ),
        LessonStep(
            screen="exercises",
            address=SOFTMAX,
            look="Three logits, and the definition alone: e^z, divided by the sum of all e^z.",
            ask="How probable is A?",
            question=Number(
                lambda address: 100 * reading.number_asked("A", address), tolerance=1, unit="%", digits=1
            ),
            why="e^z is above 0, and the shares add up to 1. “Worked solution” has every step.",
        ),
        LessonStep(
            screen="sampling",
            address=FLAT,
            look="The lecture's five tokens, A to E, as the softmax gave them. In sum they are 1.",
            ask="Top-k = 2 keeps A and B. How probable is A then?",
            question=Number(drawing.percent_of_first, tolerance=0.5, unit="%", digits=1),
            then={"top_k": "2"},
            why="What stays is divided by its sum: 0.4 / (0.4 + 0.3).",
        ),
        LessonStep(
            screen="sampling",
            address=FLAT,
            look="The same five, and top-p in place of top-k.",
            ask="Top-p = 0.9: how many tokens stay?",
            question=Choice(COUNTS, _kept),
            then={"top_p": "0.9"},
            why="A and B reach only 0.7. The smallest set that reaches 0.9 needs C.",
        ),
        LessonStep(
            screen="sampling",
            address=PEAKED,
            look="Another five: one token leads.",
            ask="And of these, with the same top-p = 0.9?",
            question=Choice(COUNTS, _kept),
            then={"top_p": "0.9"},
            why="The nucleus follows the shape: fewer tokens where one leads. Top-k keeps as many on both.",
        ),
        LessonStep(
            screen="sampling",
            address=FACT,
            look="49,152 tokens of a real model. At T = 1 the first has three quarters.",
            ask="T = 2: how probable is the first token then?",
            question=Number(drawing.percent_of_first, tolerance=5, unit="%", digits=1),
            then={"T": "2"},
            why="All gaps between logits are halved, and 49,151 small tokens gain what the first loses.",
        ),
        LessonStep(
            screen="constrained",
            address={"example": "date"},
            look="The prompt asks for a date as YYYY-MM-DD. The mask leaves the ten digits.",
            ask="Without the mask, same seed: does the text begin as a date?",
            question=Choice(("yes", "no"), _free_start),
            then={"view": "beside", "tokens": "11"},
            why="A prompt makes a format more probable. A mask makes everything else impossible.",
        ),
        LessonStep(
            screen="speculative",
            address=STORY,
            look="Round 1: an early exit drafts γ = 4 tokens, the whole model tests them in one pass.",
            ask="Round 2: how many of the four are accepted?",
            question=Choice(("0", "1", "2", "3", "4"), lambda address: str(drawing.accepted(address))),
            then={"rounds": "2"},
            why="Each has to pass u < min(1, p / q). The first that does not ends the round.",
        ),
        LessonStep(
            screen="speculative",
            address=COPY,
            look="A text that repeats itself, T = 0: the draft copies what once followed the same words.",
            ask="How many tokens does the second pass add?",
            question=Number(drawing.tokens_of_pass),
            then={"rounds": "2"},
            why="All four drafted tokens, and one more that the same pass gives for nothing.",
        ),
        LessonStep(
            screen="speculative",
            address=STORY,
            look="Back to the story. p is the target's law for this token, q the draft's.",
            ask="10,000 draws by the rule: whose law do they have?",
            question=Choice((TARGET, DRAFT), _law),
            then={"view": "proof"},
            why="Drafting changes the speed alone. T, top-k and top-p change what is drawn.",
        ),
        LessonStep(
            screen="evidence",
            address={"card": "speed", "figure": "covered"},
            look="Others have taken the time: a small T5 drafts for T5-XXL.",
            ask="At the best, how many times as fast was it?",
            question=Number(lambda _: SPEED.second, tolerance=0.5, unit="times", digits=1),
            then={"figure": "shown"},
            why="It depends on how often the draft is right, and on what it costs.",
        ),
    ),
)
