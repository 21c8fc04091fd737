"""The lecture's terms of the loop. What it says of training no run here can show: that has its source."""

from core.teaching.terms import Term

SONG = "Song et al., 2024"
ZENG = "Zeng et al., 2024"

LOOP_TERMS = (
    Term(
        "In-context learning",
        "Few-shot examples in the prompt show the format. Every request sends them again, the window limits "
        "them, and the answer depends on their choice, order and format.",
        "Yao et al., 2023; Dong et al., 2024",
    ),
    Term(
        "Trajectory tuning",
        "Fine-tuning on complete agent runs: the instruction and its turns of thought, action and "
        "observation. A current model needs no examples: the format was trained into its weights. Trained on "
        "nothing else, it overfits the format: general ability falls (MMLU from 47.7 to 23.1 %).",
        SONG,
    ),
    Term(
        "Where the runs come from",
        "1,866 over six tasks (Zeng et al.), 51,287 over sixteen (Song et al.). Without an annotator: a "
        "second prompt writes the thought for a sampled action (Yang et al.).",
        "2024, all three",
    ),
    Term(
        "What an untuned model gets wrong",
        "First of all invalid actions, repeated actions, refusal to answer. A harness handles them in code: "
        "a validator, a repetition check, a step cap.",
        ZENG,
    ),
    Term(
        "Toolformer",
        "It learned when to call an API and with which arguments, but no sequence of calls: its fine-tuning "
        "data have “no examples of chained tool use”.",
        "Schick et al., 2023",
    ),
    Term(
        "What stays program code",
        "Tuning trains the form of one turn. Running tools, counting steps, stopping and handling errors "
        "stay control flow outside the model: the errors are others, the loop is the same.",
    ),
    Term(
        "Dense or sparse",
        "A thought costs context and execution time, so how often to think is a design decision. Reasoning "
        "(arithmetic, search): at every step. Many actions (web navigation): only in “the most relevant "
        "positions”, which the model decides. A thought before each of 50 clicks is tokens for nothing.",
        "Yao et al., 2023",
    ),
    Term(
        "Why a reason in native calls",
        "Native calling needs no visible thought, and many models reason internally. One sentence is for "
        "auditability (people review why), debugging (it shows a misunderstanding) and discipline (“why "
        "this tool now?” discourages random or repeated calls): a record for people, a small nudge for the "
        "model. A detailed thought before every call costs tokens and latency, and gives a model that "
        "reasons internally little.",
    ),
)
