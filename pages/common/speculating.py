"""What is set and drawn on the screen of speculative decoding: one value in the session."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import streamlit as st

from core.decoding import Draft, PromptLookup, Round, early_exit, ending, last_tokens, replay, speculate_round
from core.decoding.speculative_clock import Clock
from core.lm import embedded
from core.sampling import SamplerSettings
from core.teaching.drafting import DRAFTING_EXAMPLES
from pages.common import reading
from pages.common.player import Player

KEY = "state of the speculative screen"
VIEWS = {"rounds": "Round by round", "proof": "Same distribution?", "speed": "Does it pay?"}
DRAFTS = {"exit": "Early exit", "window": "Last tokens", "lookup": "Prompt lookup"}
FIRST = DRAFTING_EXAMPLES[0]
MOST = {"layers": 29, "window": 32, "gamma": 8}
LONGEST = 64  # tokens of a text: a class shares the model
DRAWS = (1_000, 10_000, 100_000)


@dataclass(frozen=True)
class Speculating:
    """`draft`: exit, window or lookup, with `layers` or `window`.

    `rounds`: the text so far, of which a link asked for `wanted`; `chosen`: the round in view, from 0; `None`
    for the newest. `ahead`: the state with a round more, made while it plays and not shown yet. `draws`: of
    the proof. `clock`, `ratio`: what was measured of this text; `timing`, `measuring`: whether the clock
    runs, and whether α of the map is measured. `alpha`, `cost`: of a draft that is supposed.
    """

    prompt: str = FIRST.prompt
    settings: SamplerSettings = field(default_factory=SamplerSettings)
    seed: int = 0
    draft: str = FIRST.draft
    layers: int = 27
    window: int = 8
    gamma: int = 4
    view: str = "rounds"
    rounds: tuple[Round, ...] = ()
    wanted: int = 1
    chosen: int | None = None
    draws: int = DRAWS[1]
    clock: Clock | None = None
    ratio: float | None = None
    timing: bool = False
    measuring: bool = True
    alpha: float = 0.8
    cost: float = 0.1
    playing: bool = False
    ahead: "Speculating | None" = None

    @property
    def path(self) -> tuple[int, ...]:
        """The tokens of the text."""
        return tuple(token for done in self.rounds for token in done.tokens)

    @property
    def position(self) -> int:
        """The round in view."""
        return len(self.rounds) - 1 if self.chosen is None else self.chosen


FRESH = {
    "rounds": (),
    "wanted": 1,
    "chosen": None,
    "clock": None,
    "ratio": None,
    "timing": False,
    "measuring": True,
    "playing": False,
}


PLAYER = Player[Speculating](KEY)
current, change = PLAYER.current, PLAYER.change
play_or_pause, catch_up = PLAYER.play_or_pause, PLAYER.catch_up


def begin_again(**changes: object) -> None:
    """Forget what was drawn and measured, and make the first round."""
    change(**{**FRESH, **changes})


def choose_example(title: str) -> None:
    """Take an example over."""
    example = next(example for example in DRAFTING_EXAMPLES if example.title == title)
    settings = SamplerSettings(temperature=example.temperature)
    begin_again(prompt=example.prompt, draft=example.draft, settings=settings)


@st.cache_resource(max_entries=6, show_spinner=False)  # each with a small cache of its own
def st_draft(kind: str, number: int) -> Draft:
    """A draft, for all sessions."""
    if kind == "exit":
        return early_exit(embedded(), number)
    if kind == "window":
        return last_tokens(embedded(), number)
    return PromptLookup(embedded().vocab_size)


def draft_of(state: Speculating) -> Draft:
    """The draft in use."""
    return st_draft(*draft_key(state))


def draft_key(state: Speculating) -> tuple[str, int]:
    """The draft in use, as `st_draft` takes it."""
    return state.draft, {"exit": state.layers, "window": state.window}.get(state.draft, 0)


def short_name(state: Speculating) -> str:
    """The draft in use, in a word."""
    return {"exit": f"L = {state.layers}", "window": f"w = {state.window}"}.get(state.draft, "lookup")


def prompt_ids() -> list[int]:
    """The tokens that the model reads before it generates. `InputError` if they leave no room."""
    return reading.prompt_ids(current().prompt, room=LONGEST)


@st.cache_resource(max_entries=2048, show_spinner=False)
def st_round(
    draft: tuple[str, int],
    ids: tuple[int, ...],
    settings: SamplerSettings,
    seed: int,
    index: int,
    gamma: int,
    room: int,
) -> Round:
    """A round after a text, made once for all who have the same link."""
    return speculate_round(embedded(), st_draft(*draft), ids, settings, seed, index, gamma, room)


def over(state: Speculating) -> bool:
    """Whether the text has come to its end."""
    path = state.path
    return len(path) >= LONGEST or bool(ending(embedded(), [*prompt_ids(), *path], len(path)))


def advanced(state: Speculating) -> Speculating | None:
    """The state with a round more; `None` where the text is over."""
    if over(state):
        return None
    path = state.path
    done = st_round(
        draft_key(state),
        (*prompt_ids(), *path),
        state.settings,
        state.seed,
        len(state.rounds),
        state.gamma,
        LONGEST - len(path),
    )
    return replace(state, rounds=(*state.rounds, done))


def advance() -> bool:
    """Make one round; whether there was one to make."""
    return PLAYER.advance(advanced)


def missing() -> int:
    """How many rounds of those that a link asks for are not made."""
    state = current()
    return 0 if over(state) else max(state.wanted - len(state.rounds), 0)


def tick() -> bool:
    """Make the next round of what plays, to be shown by the next run; whether it goes on."""
    return PLAYER.tick(advanced, 1)


def one_step() -> None:
    """Make one round, or show the next one of those that are there."""
    state = current()
    if state.chosen is not None:
        later = state.chosen + 1
        change(playing=False, chosen=later if later < len(state.rounds) - 1 else None)
    else:
        change(playing=False)
        advance()


def back() -> None:
    """Take one round back; the first one stays."""
    change(playing=False, chosen=None, rounds=current().rounds[: max(len(current().rounds) - 1, 1)], wanted=1)


def choose(index: object) -> None:
    """Look at one round."""
    if isinstance(index, int) and 0 <= index < len(current().rounds):
        change(playing=False, chosen=index)


def same_as_greedy(state: Speculating) -> bool:
    """Whether plain greedy generation writes the same text, by reading it as such."""
    drawn = replay(embedded(), prompt_ids(), state.path, SamplerSettings(temperature=0), 0)
    return not any(token.by_hand for token in drawn)


def making_wanted() -> Iterator[str]:
    """Make the rounds that are missing, telling after each how far it is."""
    while missing() and advance():
        state = current()
        yield f"{len(state.rounds)} of the {state.wanted} rounds of the link"
