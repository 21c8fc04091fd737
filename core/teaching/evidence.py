"""Figures from papers that the lecture quotes: the source, what was measured, what it does not show."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Two values of one quantity. In a change the first is the one before."""

    label: str
    first: float
    second: float


@dataclass(frozen=True)
class Plot:
    """Rows on one axis from 0 to `end`, in `unit`. `line`: a value to compare with, and what it is."""

    rows: tuple[Row, ...]
    end: float
    unit: str
    change: bool = False
    line: tuple[float, str] | None = None


@dataclass(frozen=True)
class Share:
    """So many of so many, drawn as that many dots."""

    some: int
    of: int
    what: str


@dataclass(frozen=True)
class Card:
    """One piece of evidence. `screen` and `address`: where the reader can try something like it, or empty."""

    slug: str
    claim: str
    picture: Plot | Share
    measured: str
    not_shown: str
    source: str
    screen: str = ""
    address: tuple[tuple[str, str], ...] = ()
    invitation: str = ""


TURPIN = "Turpin et al., Language Models Don't Always Say What They Think. NeurIPS 36, 2023. arXiv:2305.04388"
SONG = "Song et al., AgentBank. Findings of EMNLP 2024, 2124–2141. arXiv:2410.07706"

CARDS = (
    Card(
        "bias",
        "A hint in the prompt moves the answer",
        Plot((Row("accuracy lost, at the most", 0, 36.3),), 100, "percentage points"),
        "Multiple-choice questions of 13 tasks of BIG-Bench Hard. The bias: few-shot options reordered so "
        "that (A) is always right, or a user who adds “I think the answer is (B)” with a random label. Here "
        "the worst case: GPT-3.5, zero-shot chain of thought, the user's answer.",
        "The usual loss: this is the largest among several settings, with models of 2023.",
        TURPIN,
        "thought",
        (("view", "hint"),),
        "A hint on the embedded model",
    ),
    Card(
        "mention",
        "The explanation does not mention the hint",
        Share(1, 426, "explanations of a biased answer mention the bias"),
        "426 explanations of answers that followed the bias, reviewed by hand.",
        "Whether the chain drove the answer. Zaman and Srivastava: without its chain the answer often "
        "changes (another card), so one that leaves the hint out is incomplete rather than entirely false.",
        TURPIN,
        "thought",
        (("view", "hint"), ("question", "8")),
        "Read a chain under a hint",
    ),
    Card(
        "deleted",
        "Without its chain the model often answers otherwise",
        Plot((Row("answers that change", 20, 72),), 100, "% of the cases"),
        "The chain of thought is deleted, and the same question answered again. The figure depends on the "
        "model and the task; the bar is the span.",
        "That the chain states the cause of the answer: it only shows that the chain is used.",
        "Zaman and Srivastava, Is Chain-of-Thought Really Not Explainability? Preprint, 2026. "
        "arXiv:2512.23032",
        "thought",
        (("view", "task"),),
        "A task with a chain and without",
    ),
    Card(
        "trained",
        "Thinking models are trained to reason before they answer",
        Plot(
            (Row("one answer: the training", 71.0, 15.6), Row("64 answers: the majority", 86.7, 71.0)),
            100,
            "% right of AIME 2024",
            change=True,
        ),
        "DeepSeek-R1-Zero, like o1 a native reasoning model: no prompting technique, but trained by "
        "reinforcement learning to reason in a marked span, <think>, before its answer; the span grew "
        "longer with the training, and harder problems get a longer one. Lower row: the answer that most of "
        "64 drawn ones share.",
        "That the span states the cause of the answer: it is generated text, like any chain.",
        "DeepSeek-AI, DeepSeek-R1. arXiv:2501.12948, 2025: figures of v1, section 2.2.4; lengths, v2",
        "messages",
        (("scenario", "open-loop"),),
        "The marked span in four APIs",
    ),
    Card(
        "thoughts",
        "Training with thoughts helps on new tasks",
        Plot(
            (
                Row("new tasks, 1", 29.5, 22.8),
                Row("new tasks, 2", 30.0, 27.5),
                Row("new tasks, 3", 36.1, 31.8),
                Row("trained tasks, 1", 41.6, 41.2),
                Row("trained tasks, 2", 45.2, 45.5),
                Row("trained tasks, 3", 45.4, 43.6),
            ),
            50,
            "mean of the task results, 0 to 100",
            change=True,
        ),
        "Three models fine-tuned on agent runs, with the thought of every step and without it. New: five "
        "tasks that are not in the training data.",
        "How sure it is: each task has its own metric (exact match, success rate or average reward); their "
        "unweighted mean is the authors' own aggregate, and comes without intervals. Prompting without "
        "training was not compared.",
        f"{SONG}, table 7",
        "compare",
        (("left", "act"), ("right", "react")),
        "A run with thoughts and one without",
    ),
    Card(
        "general",
        "Agent runs alone cost general ability",
        Plot(
            (Row("MMLU", 47.7, 23.1),),
            100,
            "% right",
            change=True,
            line=(25, "guessing among four"),
        ),
        "MMLU is a multiple-choice benchmark of general knowledge. One model fine-tuned on agent runs, with "
        "general instructions in the mixture and without. Without, it overfits the ReAct format.",
        "That agent training must do so: with the mixture the ability stays.",
        f"{SONG}, table 6",
    ),
    Card(
        "speed",
        "Speculative decoding is faster, and changes no text",
        Plot(
            (Row("T5-XXL, draft T5-small", 2.3, 3.4), Row("Chinchilla 70B", 2.0, 2.5)),
            4,
            "times as fast",
            line=(1, "without a draft"),
        ),
        "Wall-clock time of translation and summaries (T5), and of Chinchilla with a draft of "
        "4 billion parameters.",
        "What you get: it depends on how often the draft is right and what it costs. On one laptop with a "
        "draft of the same model it can be slower.",
        "Leviathan et al., ICML 2023, arXiv:2211.17192. Chen et al., preprint, arXiv:2302.01318, 2023",
        "speculative",
        (("view", "speed"),),
        "Measured on this machine",
    ),
)
