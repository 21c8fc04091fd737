"""Budget arithmetic: what a window leaves for the history, and whether a history fits."""

from functools import lru_cache

import numpy as np

from core.context import TokenCounter, assemble
from core.context.budget import budget_of
from core.lm.tokenizer import load_tokenizer
from core.messages import AssistantMessage, Part, SystemMessage
from core.teaching.exercises.base import ChoiceField, Kind, Made, Mistake, NumberField, Step, Table
from core.teaching.exercises.loop_chance import between, pick
from core.teaching.tool_bench import BENCH
from core.trace import ModelCall, Segment

SYSTEMS = (
    "You are a helpful assistant. Answer in short sentences, and name the tool results that you used.",
    "You answer students of an online school. Use facts from tool results only, and do not repeat a call.",
    "You plan meetings. Ask before you send anything, and give all times as HH:MM.",
)
WINDOWS = (2048, 4096, 8192)
FITS, NOT = "it fits", "it does not fit"


@lru_cache
def prefix(system: str, tools: tuple[str, ...]) -> dict[Part, int]:
    """The tokens of system prompt, tool schemas and template of a call, counted by the real tokenizer."""
    segments = assemble(
        [SystemMessage(content=system)],
        [BENCH[name].tool.schema for name in tools],
        TokenCounter(load_tokenizer()),
    )
    return budget_of([ModelCall(segments=segments, reply=AssistantMessage())]).calls[0].parts


def budget(rng: np.random.Generator) -> Made:
    """Compute the room for the history, and whether a history fits."""
    names = tuple(BENCH)[: between(rng, 2, len(BENCH))]
    counts = prefix(pick(rng, SYSTEMS), names)
    documents, each = between(rng, 2, 5), 10 * between(rng, 8, 24) + 5
    memory, reserve = 5 * between(rng, 6, 30), pick(rng, (256, 512, 768))
    window = pick(rng, WINDOWS)
    parts = {
        Part.SYSTEM: counts[Part.SYSTEM],
        Part.TOOLS: counts[Part.TOOLS],
        Part.TEMPLATE: counts[Part.TEMPLATE],
        Part.RETRIEVED: documents * each,
        Part.MEMORY: memory,
    }
    taken = " + ".join(map(str, parts.values()))
    room = _free(window - reserve, parts)
    while room < 100:
        window *= 2
        room = _free(window - reserve, parts)
    history = max(40, room + pick(rng, (-1, 1)) * between(rng, 5, reserve - 5))
    left = _free(window - reserve, {**parts, Part.USER: history})
    fixed = sum(parts.values())
    rows = (
        ("window", f"{window:,}"),
        ("reserve for the answer", f"{reserve}"),
        ("system prompt", f"{counts[Part.SYSTEM]}"),
        (f"schemas of {len(names)} tools", f"{counts[Part.TOOLS]}"),
        ("markers of the chat template", f"{counts[Part.TEMPLATE]}"),
        (f"{documents} retrieved documents, each", f"{each}"),
        ("long-term memory", f"{memory}"),
        ("history", f"{history:,}"),
    )

    def forgot(tokens: int) -> dict[str, float | str]:
        return {
            "room": room + tokens,
            "fits": FITS if history <= room + tokens else NOT,
            "left": abs(left + tokens),
        }

    return Made(
        task="How many tokens does the window leave for the history? Does this history fit, and how many "
        "tokens are left over or missing?",
        given=(Table(("part", "tokens"), rows),),
        fields=(
            NumberField("room", "Room for the history", "tokens", tolerance=0),
            ChoiceField("fits", "The history", (FITS, NOT)),
            NumberField("left", "Left over, or missing", "tokens", tolerance=0, signless=True),
        ),
        answers={"room": room, "fits": FITS if left >= 0 else NOT, "left": abs(left)},
        hint="All parts share the window, and the answer needs room in it too.",
        mistakes=(
            Mistake("The reserve is missing: the answer is written into the same window.", forgot(reserve)),
            Mistake(
                "The tool schemas are no part of the history, but they are sent.", forgot(parts[Part.TOOLS])
            ),
            Mistake(
                f"That is one document; there are {documents}, and each takes its tokens.",
                forgot((documents - 1) * each),
            ),
            Mistake("The documents are missing.", forgot(documents * each)),
            Mistake("The memory is missing: it is sent with the call as well.", forgot(memory)),
            Mistake("The template's own markers take tokens too.", forgot(parts[Part.TEMPLATE])),
            Mistake("The system prompt is missing.", forgot(parts[Part.SYSTEM])),
            Mistake("That is what is left behind the history; asked is the room for it.", {"room": left}),
            Mistake("That is the sum of the other parts; take it from the window.", {"room": fixed}),
            Mistake("That is the size of the history; compare it with the room.", {"left": history}),
            Mistake(
                "Compare the history with the room that is there for it.",
                {"fits": NOT if left >= 0 else FITS},
            ),
        ),
        steps=(
            Step(f"{taken} = {fixed:,} tokens are taken by the other parts."),
            Step(f"Room: {window:,} − {reserve} − {fixed:,} = {room:,} tokens."),
            Step(
                f"{room:,} − {history:,} = {f'{left:,}'.replace('-', '−')}: "
                + (f"it fits, and {left:,} are left." if left >= 0 else f"{-left:,} are missing.")
            ),
        ),
    )


def _free(window: int, parts: dict[Part, int]) -> int:
    """What core's own budget leaves of a window."""
    segments = tuple(Segment(part=part, text="", tokens=tokens) for part, tokens in parts.items())
    call = ModelCall(segments=segments, window=window, reply=AssistantMessage())
    free = budget_of([call]).calls[0].free
    assert free is not None
    return free


BUDGET = (Kind("budget", "Does it fit", "B", 5, budget),)
