"""The fifth objective: the system prompt, the chat template, and statelessness."""

from core.teaching.lessons import drawing, reading, running
from core.teaching.lessons.step import Address, Choice, Lesson, LessonStep, Number, Token

ASKED = "<|im_start|>user\nWhat is my name?<|im_end|>\n<|im_start|>assistant\nYour name is"
TOLD = "<|im_start|>user\nMy name is Ada.<|im_end|>\n<|im_start|>assistant\nHello, Ada!<|im_end|>\n" + ASKED
GUESSED = "2026.53.32493"
REMEMBERED = "34099.30"
"""What the embedded model goes on with at T = 0, as token ids: without the first turn, and with it."""

GREETING = "<|im_start|>user\nHello! How are you?<|im_end|>\n<|im_start|>assistant\n"
IN_FRENCH = f"<|im_start|>system\nAnswer in French.<|im_end|>\n{GREETING}"
GREETED = "19556.17.1073.359.346.47"
GREETED_IN_FRENCH = "30904.24583.17.339.5248.253"
"""The same of a greeting: without a system prompt, and with one."""

STORY = {"prompt": "Her name was", "seed": "3"}
DRAWN = "441.260.1680.282.260.21916"
SAME, OTHER = "the same text", "another text"
WRITTEN, REFUSED = "it writes it", "it refuses"
LONG = {"scenario": "long-run", "strategy": "none"}


def _again(address: Address) -> str:
    return SAME if drawing.is_repeatable(address) else OTHER


def _mistral(address: Address) -> str:
    return WRITTEN if running.is_written(address) else REFUSED


def _pairs(address: Address) -> str:
    return "no" if running.parts_a_pair(address) else "yes"


CONTEXT = Lesson(
    title="The context, and no memory",
    objective="Explain the system prompt, the chat template, and statelessness.",
    steps=(
        LessonStep(
            screen="messages",
            address={"scenario": "berlin", "template": "llama3.1"},
            look="Five messages, and the one text that Llama 3.1's template makes of them.",
            ask="ChatML opens each with <|im_start|>, and the reply too: how many in all?",
            question=Number(running.openings),
            then={"template": "chatml"},
            why="One for each message, and a last one that the model goes on from.",
        ),
        LessonStep(
            screen="messages",
            address={"scenario": "berlin", "view": "four"},
            look="ChatML takes any id. Here the call is call_1.",
            ask="The same conversation in Mistral's template?",
            question=Choice((WRITTEN, REFUSED), _mistral),
            then={"template": "mistral"},
            why="It wants ids of nine characters. A template belongs to its model family.",
        ),
        LessonStep(
            screen="generation",
            address={"prompt": GREETING, "T": "0", "added": GREETED},
            look="No system prompt: the user's greeting, and the model's at T = 0.",
            ask="“Answer in French.” stands before it as system prompt. Which token comes first?",
            question=Choice(("Hello", "Bon", "Sal"), drawing.first_word),
            then={"prompt": IN_FRENCH, "added": GREETED_IN_FRENCH},
            why="A system prompt is text before the user's, read with every call. It asks, no more.",
        ),
        LessonStep(
            screen="generation",
            address={"prompt": ASKED, "T": "0", "added": GUESSED},
            look="The user gave a name one turn ago, but the runtime did not send that turn again.",
            ask="All turns are sent. Which name does the model write?",
            question=Token(drawing.first_word),
            then={"prompt": TOLD, "added": REMEMBERED},
            why="It is the same model. What it knows of the conversation is what is sent.",
        ),
        LessonStep(
            screen="generation",
            address={**STORY, "added": DRAWN},
            look="A text drawn at T = 1 with seed 3. Now everything begins again.",
            ask="The same prompt, settings and seed: which text comes?",
            question=Choice((SAME, OTHER), _again),
            why="No call leaves a trace in the model. Prompt, settings and the numbers u determine the text.",
        ),
        LessonStep(
            screen="context",
            address={"scenario": "berlin", "step": "7", "strategy": "none"},
            look="Call 2 begins with all of call 1. New: a call, its result, and the template's text.",
            ask="A thought and two calls in one turn: how many tokens are new then?",
            question=Number(running.new, tolerance=30, unit="tokens"),
            then={"scenario": "parallel", "step": "12"},
            why="All of call 1 is sent again, whatever it is. Only what was added since is new.",
        ),
        LessonStep(
            screen="context",
            address={"scenario": "parallel", "step": "12", "strategy": "none"},
            look="Two calls. All that is sent is less than two contexts of the last one.",
            ask="Forty calls: how many contexts of the last one are sent in all?",
            question=Number(running.times_sent, tolerance=3, unit="contexts", digits=1),
            then={"scenario": "long-run", "step": "197"},
            why="Of n calls, each sends all before it: the sum grows with n², and here to half of n.",
        ),
        LessonStep(
            screen="exercises",
            address={"kind": "tokens-sent", "seed": "3"},
            look="The same by hand, for a short run.",
            ask="How many tokens do all its calls send together?",
            question=Number(lambda address: reading.number_asked("sent", address), unit="tokens"),
            why="Each call sends the beginning, and what all turns before it have added.",
        ),
        LessonStep(
            screen="context",
            address={**LONG, "step": "100", "window": "2048"},
            look="The window is 2,048 tokens, and the run has outgrown it.",
            ask="The oldest messages are dropped one by one. Do calls and results stay together?",
            question=Choice(("yes", "no"), _pairs),
            then={"strategy": "oldest"},
            why="A result is left without its call, which a strict server refuses. Compaction keeps pairs.",
        ),
        LessonStep(
            screen="context",
            address={**LONG, "step": "100"},
            look="Call 20: nearly all of it was sent with call 19, and a cache can use that again.",
            ask="A clock is put at the head of the system prompt. How many tokens are left to use again?",
            question=Number(running.shared_with_last, tolerance=10, unit="tokens"),
            then={"clock": "head"},
            why="A prefix ends at the first token that differs: what is static comes first.",
        ),
    ),
)
