"""What is set and drawn on the screen of constrained decoding: one value in the session."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import streamlit as st

from core.decoding import ending, generate
from core.decoding.constrained import ConstrainedStep, by_engine, generate_constrained
from core.decoding.constrained_check import Check, check
from core.decoding.constrained_examples import CONSTRAINT_EXAMPLES, ConstraintExample
from core.decoding.constrained_grammar import Constraint, constraint
from core.decoding.constrained_matcher import Matcher
from core.decoding.constrained_trial import Pair
from core.errors import InputError
from core.lm import embedded
from core.sampling import SamplerSettings
from pages.common import reading
from pages.common.player import Player

KEY = "state of the constrained screen"
VIEWS = {
    "steps": "Step by step",
    "beside": "Free beside masked",
    "trial": "Asked or held",
    "engines": "Four engines",
}
EXAMPLES = {example.slug: example for example in CONSTRAINT_EXAMPLES}
FIRST = CONSTRAINT_EXAMPLES[0]
SHOWN_TOGETHER = 3  # tokens
LONGEST = 96  # tokens of one text: a class shares the model
PAIRS = (5, 10, 20, 50)
LONGEST_CONSTRAINT = 4000  # characters


@dataclass(frozen=True)
class Constraining:
    """`kind`, `draft`: the constraint as it is written; `problem`: why it cannot be used, or empty.

    `held`: the last one that could be. `steps`: the text under it, of which a link asked for `wanted` tokens;
    `free`: the text of the same seed without it. `chosen`: the token in view, from 0; `None` for the newest.
    `pairs`: how many texts of both kinds are to be counted, `counted` those that are; `counting`: whether it
    goes on. `ahead`: the state with a few tokens more, computed while it plays and not shown yet. `notice`: a
    sentence about a bad address, or empty.
    """

    held: Constraint
    kind: str = FIRST.kind
    draft: str = FIRST.text
    problem: str = ""
    prompt: str = FIRST.prompt
    settings: SamplerSettings = field(default_factory=SamplerSettings)
    seed: int = 0
    view: str = "steps"
    steps: tuple[ConstrainedStep, ...] = ()
    free: tuple[int, ...] = ()
    wanted: int = 1
    chosen: int | None = None
    pairs: int = PAIRS[1]
    counted: tuple[Pair, ...] = ()
    counting: bool = False
    playing: bool = False
    ahead: "Constraining | None" = None
    notice: str = ""

    @property
    def path(self) -> tuple[int, ...]:
        """The tokens of the text."""
        return tuple(done.token.token_id for done in self.steps)

    @property
    def position(self) -> int:
        """The place of the token in view."""
        return len(self.steps) - 1 if self.chosen is None else self.chosen

    @property
    def example(self) -> ConstraintExample | None:
        """The example that the constraint is, if it is one."""
        own = (e for e in CONSTRAINT_EXAMPLES if (e.kind, e.text) == (self.held.kind, self.held.text))
        return next(own, None)

    @property
    def fact(self) -> str:
        """What a true answer to the prompt holds, where that is known."""
        return self.example.fact if self.example and self.example.prompt == self.prompt else ""


PLAYER = Player[Constraining](KEY)
current, change = PLAYER.current, PLAYER.change
play_or_pause, catch_up = PLAYER.play_or_pause, PLAYER.catch_up


def usable(kind: str, text: str) -> Constraint:
    """A constraint under which this model can begin a text. `InputError` if it is none."""
    held = constraint(kind, text)
    Matcher(held, embedded().tokenizer)
    return held


def begin_again(**changes: object) -> None:
    """Forget what was drawn and counted, and draw the first token."""
    change(**{**FRESH, **changes})


FRESH = {
    "steps": (),
    "free": (),
    "wanted": 1,
    "chosen": None,
    "counted": (),
    "counting": False,
    "playing": False,
    "notice": "",
}


def write(kind: str, text: str) -> None:
    """Take a constraint as it is written; if it cannot be used, the last one stays."""
    try:
        held = usable(kind, text)
    except InputError as error:
        change(kind=kind, draft=text, problem=str(error), playing=False, notice="")
    else:
        begin_again(kind=kind, draft=text, problem="", held=held)


def choose_example(slug: str) -> None:
    """Take an example over, with its prompt."""
    example = EXAMPLES[slug]
    begin_again(prompt=example.prompt)
    write(example.kind, example.text)


def prompt_ids() -> list[int]:
    """The tokens that the model reads before it generates. `InputError` if they leave no room."""
    return reading.prompt_ids(current().prompt, room=LONGEST)


@st.cache_resource(max_entries=4096, show_spinner=False)
def st_step(
    kind: str, text: str, ids: tuple[int, ...], settings: SamplerSettings, seed: int, path: tuple[int, ...]
) -> ConstrainedStep | None:
    """The token after `path`, drawn once for all who have the same link; `None` if the text is over."""
    steps = generate_constrained(embedded(), ids, constraint(kind, text), settings, seed, LONGEST, path)
    return next(steps, None)


def advanced(state: Constraining) -> Constraining | None:
    """The state with a token more, beside each other in both texts in turn; `None` where all is over."""
    behind = state.view == "beside" and (len(state.free) <= len(state.steps) or over(state))
    if behind and not free_over(state):
        ids = [*prompt_ids(), *state.free]
        drawn = generate(embedded(), ids, state.settings, state.seed, len(state.free), 1)
        return replace(state, free=(*state.free, *(token.token_id for token in drawn)))
    if over(state):
        return None
    held = state.held
    done = st_step(held.kind, held.text, tuple(prompt_ids()), state.settings, state.seed, state.path)
    return replace(state, steps=(*state.steps, done)) if done else None


def advance() -> bool:
    """Draw one token; whether there was one to draw."""
    return PLAYER.advance(advanced)


def missing() -> int:
    """How many tokens are to be drawn before the picture is whole: those that a link asks for.

    Beside each other, the free text is brought to the length of the masked one.
    """
    state = current()
    count = 0 if over(state) else max(state.wanted - len(state.steps), 0)
    if state.view == "beside" and not free_over(state):
        count += max(max(len(state.steps), state.wanted if not over(state) else 0) - len(state.free), 0)
    return count


def want_no_more() -> None:
    """Stay with the tokens that are there."""
    state = current()
    change(wanted=1, view="steps" if state.view == "beside" else state.view)


def over(state: Constraining) -> bool:
    """Whether the masked text has come to its end."""
    return bool(state.steps and state.steps[-1].ending)


def free_over(state: Constraining) -> bool:
    """Whether the free text has."""
    ids = [*prompt_ids(), *state.free]
    return len(state.free) >= LONGEST or bool(ending(embedded(), ids, len(state.free)))


def tick() -> bool:
    """Draw the next few tokens of what plays, to be shown by the next run; whether it goes on."""
    return PLAYER.tick(advanced, SHOWN_TOGETHER * (1 + (current().view == "beside")))


def one_step() -> None:
    """Draw one token, beside each other in both texts; or show the next one of those that are there."""
    state = current()
    if state.chosen is not None and state.view != "beside":
        later = state.chosen + 1
        change(playing=False, chosen=later if later < len(state.steps) - 1 else None)
        return
    change(playing=False, chosen=None)
    for _ in range(1 + (state.view == "beside")):
        advance()


def back() -> None:
    """Take one token back; the first one stays."""
    state = current()
    kept = max(len(state.steps) - 1, 1)
    free = state.free[: len(state.free) - (len(state.free) >= len(state.steps))]
    change(playing=False, chosen=None, steps=state.steps[:kept], free=free, wanted=1)


def choose(position: object) -> None:
    """Look at one token."""
    if isinstance(position, int) and 0 <= position < len(current().steps):
        change(playing=False, chosen=position)


def checked(state: Constraining) -> Check | None:
    """What other means say of the text, once it is over."""
    if not over(state):
        return None
    return check(state.held, text_of(state.path), embedded().tokenizer)


def free_checked(state: Constraining) -> Check | None:
    """The same of the free text."""
    if not free_over(state):
        return None
    return check(state.held, text_of(state.free), embedded().tokenizer)


def text_of(path: tuple[int, ...]) -> str:
    """The text, without its end token."""
    tokenizer = embedded().tokenizer
    ends = path and path[-1] in tokenizer.end_ids
    return tokenizer.decode(path[:-1] if ends else path)


def engines(state: Constraining) -> dict[str, ConstrainedStep]:
    """The token in view as each engine draws it."""
    path = state.path[: max(state.position, 0)]
    return by_engine(embedded(), prompt_ids(), path, state.held, state.settings, state.seed)


def drawing_wanted() -> Iterator[str]:
    """Draw the tokens that are missing, telling after each how far it is."""
    while missing() and advance():
        state = current()
        yield f"{len(state.steps)} of the {state.wanted} tokens of the link"
