"""What was generated on the generation screen: one value in the session, and in the address."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import streamlit as st

from core.decoding import Drawn, Ending, Path, Tree, ending, replay, step, taken
from core.errors import InputError
from core.figures.generation_view import NAMES, tokens
from core.lm import embedded
from core.sampling import SamplerSettings, uniform
from core.teaching.use_cases import UseCase
from pages.common.page import opened

KEY = "state of the generation screen"
FIRST_PROMPT = "The capital of France is"
VIEWS = ("one", "four")
COLOURS = ("probability", "surprisal")
TEMPERATURES = (0.0, 0.5, 1.0, 1.5)
HIGHEST = {"temperature": 3.0, "top_k": 100, "top_p": 1.0, "min_p": 1.0}  # ends of the dials
LONGEST = 512  # tokens of one text: a class shares the model
LONGEST_LANE = 96  # tokens of each of the four texts


@dataclass(frozen=True)
class Generation:
    """`chosen`: the position, from 0, of the token whose distribution is in view; `None` for the newest.

    `lanes`: the texts at `temperatures`. `made` tokens came while it played, the first at the time `since`,
    the last at `until`, in seconds. `notice`: a sentence about a bad address, or empty.
    """

    prompt: str = FIRST_PROMPT
    settings: SamplerSettings = field(default_factory=SamplerSettings)
    seed: int = 0
    tree: Tree = field(default_factory=Tree)
    chosen: int | None = None
    colour: str = "probability"
    view: str = "one"
    temperatures: tuple[float, ...] = TEMPERATURES
    lanes: tuple[tuple[Drawn, ...], ...] = ((), (), (), ())
    playing: bool = False
    made: int = 0
    since: float = 0.0
    until: float = 0.0
    notice: str = ""


def on_opening() -> Generation:
    """The state of this session; where the screen was opened by a link, what its address says."""
    names = {*NAMES, "prompt", "added", "seed", "token", "colour", "view", "temps"}
    if KEY not in st.session_state or (opened() and names & set(st.query_params)):
        st.session_state[KEY] = _from_address(st.query_params)
    return st.session_state[KEY]


def current() -> Generation:
    """The state of this session."""
    return st.session_state[KEY]


def change(**changes: object) -> None:
    """Change the state in part."""
    st.session_state[KEY] = replace(current(), **changes)


def prompt_ids(prompt: str) -> list[int]:
    """The tokens that the model reads before it generates.

    Errors: `InputError` if they leave no room in the context, or the text has no bytes.
    """
    model = embedded()
    token_ids = model.start(_encoded(prompt))
    if len(token_ids) >= model.context_length:
        raise InputError(
            f"The prompt has {len(token_ids):,} tokens and {model.name} reads at most "
            f"{model.context_length:,}, what it generates included: shorten it by "
            f"{len(token_ids) - model.context_length + 1:,} tokens."
        )
    return token_ids


@lru_cache(maxsize=64)
def _encoded(prompt: str) -> tuple[int, ...]:
    # A long prompt takes milliseconds, and every token asks several times.
    return tuple(embedded().tokenizer.encode(prompt))


def why_over(state: Generation, path: Path) -> Ending | None:
    """Why the model generates nothing after `path`, or `None`."""
    return ending(embedded(), [*prompt_ids(state.prompt), *path], len(path))


def play_or_pause() -> None:
    """Begin to play, or stop."""
    change(playing=True, chosen=None, made=0) if not current().playing else change(playing=False)


def tick() -> bool:
    """Generate one token of what plays, or pause where nothing is left to generate. Whether it goes on."""
    if not advance(turns=1):
        change(playing=False)
        return False
    state, now = current(), time.perf_counter()
    change(made=state.made + 1, since=state.since if state.made else now, until=now)
    return True


def one_step() -> None:
    """Generate one token, in every text that is in view."""
    change(playing=False, chosen=None)
    advance(turns=len(current().lanes) if current().view == "four" else 1)


def advance(turns: int) -> bool:
    """Generate a token, `turns` times, each in the shortest text in view. Whether there was one to go on."""
    for _ in range(turns):
        state = current()
        if state.view == "one":
            path = state.tree.current
            if len(path) >= LONGEST or why_over(state, path):
                return False
            change(tree=state.tree.add(_next(state, path, state.settings)))
            continue
        going = [index for index, lane in enumerate(state.lanes) if _goes_on(state, lane)]
        if not going:
            return False
        index = min(going, key=lambda index: len(state.lanes[index]))
        drawn = _next(state, path_of(state.lanes[index]), lane_settings(state, index))
        lanes = list(state.lanes)
        lanes[index] = (*lanes[index], drawn)
        change(lanes=tuple(lanes))
    return True


def back() -> None:
    """Stand one token earlier."""
    state = current()
    if state.view == "one":
        change(playing=False, chosen=None, tree=state.tree.back())
    else:
        change(playing=False, lanes=tuple(lane[:-1] for lane in state.lanes))


def begin_again(**changes: object) -> None:
    """Forget what was generated."""
    change(playing=False, chosen=None, notice="", tree=Tree(), lanes=((),) * len(current().lanes), **changes)


def set_dials(settings: SamplerSettings) -> None:
    """From the next token on, draw with these settings; the four texts begin anew."""
    change(settings=settings, lanes=((),) * len(current().lanes))


def set_seed(seed: int) -> None:
    """Begin a text under another seed, beside those that are there."""
    change(seed=seed, chosen=None, tree=current().tree.go(()), lanes=((),) * len(current().lanes))


def set_temperature(index: int, temperature: float) -> None:
    """Begin one of the four texts anew, at another temperature."""
    state = current()
    temperatures, lanes = list(state.temperatures), list(state.lanes)
    temperatures[index], lanes[index] = temperature, ()
    change(temperatures=tuple(temperatures), lanes=tuple(lanes))


def use(case: UseCase) -> None:
    """Take over the settings and the prompt of a use case."""
    begin_again(prompt=case.prompt, settings=case.settings, view="one")


def choose(position: object) -> None:
    """Look at the distribution that a token was drawn from."""
    if _is_whole(position) and position < len(current().tree.current):
        change(playing=False, chosen=position)


def branch(position: object, token_id: object) -> None:
    """Put another token in the place of one; what stood there stays a branch."""
    state = current()
    if not (_is_whole(position) and _is_whole(token_id) and position < len(state.tree.current)):
        return
    before = state.tree.current[:position]
    settings = state.tree.nodes[state.tree.current[: position + 1]].settings
    drawn = taken(embedded(), [*prompt_ids(state.prompt), *before], settings, token_id)
    change(playing=False, chosen=position, tree=state.tree.branch(position, drawn))


def go(index: object) -> None:
    """Stand at the end of a branch."""
    tree = current().tree
    if _is_whole(index) and index < len(tree.branches):
        change(playing=False, chosen=None, tree=tree.go(tree.branches[index]))


def open_lane(index: object) -> None:
    """Take one of the four texts over into the view of one text, with its temperature."""
    state = current()
    if _is_whole(index) and index < len(state.lanes):
        tree = state.tree.go(())
        for drawn in state.lanes[index]:
            tree = tree.add(drawn)
        change(view="one", playing=False, chosen=None, settings=lane_settings(state, index), tree=tree)


def progress(number: int) -> str:
    """How many tokens there are, and how fast they come."""
    state, count = current(), tokens(number)
    if state.made < 2:
        return count
    return f"{count} · {(state.made - 1) / (state.until - state.since):.1f} tokens/s"


def path_of(drawn: tuple[Drawn, ...]) -> Path:
    """The ids of the tokens."""
    return tuple(token.token_id for token in drawn)


def lane_settings(state: Generation, index: int) -> SamplerSettings:
    """The settings of one of the four texts."""
    return replace(state.settings, temperature=state.temperatures[index])


def write_address() -> None:
    """Put the state into the address, each value under its own name, what is as at first left out."""
    state, first = current(), Generation()
    wanted = {
        "prompt": state.prompt if state.prompt != first.prompt else None,
        "added": ".".join(map(str, state.tree.current)) or None,
        "seed": str(state.seed) if state.seed else None,
        "token": str(state.chosen + 1) if state.chosen is not None else None,
        "colour": state.colour if state.colour != first.colour else None,
        "view": state.view if state.view != first.view else None,
        "temps": "_".join(f"{t:g}" for t in state.temperatures)
        if state.temperatures != first.temperatures
        else None,
    }
    for name, setting in NAMES.items():
        value = getattr(state.settings, setting)
        wanted[name] = f"{value:g}" if value != getattr(first.settings, setting) else None
    for name, text in wanted.items():
        if text is None:
            if name in st.query_params:
                del st.query_params[name]
        elif st.query_params.get(name) != text:
            st.query_params[name] = text


def _next(state: Generation, path: Path, settings: SamplerSettings) -> Drawn:
    u = uniform(state.seed, len(path))
    return step(embedded(), [*prompt_ids(state.prompt), *path], settings, u)


def _goes_on(state: Generation, lane: tuple[Drawn, ...]) -> bool:
    return len(lane) < LONGEST_LANE and not why_over(state, path_of(lane))


def _from_address(asked: Mapping[str, str]) -> Generation:
    """What fits of the address; a student may have typed it."""
    settings = SamplerSettings()
    for name, setting in NAMES.items():
        try:
            value = type(getattr(settings, setting))(asked.get(name, ""))
            settings = replace(settings, **{setting: min(value, HIGHEST[setting])})
        except (ValueError, InputError):
            continue
    state = Generation(
        prompt=asked.get("prompt", FIRST_PROMPT),
        settings=settings,
        seed=_whole(asked.get("seed", "")) or 0,
        colour=asked["colour"] if asked.get("colour") in COLOURS else COLOURS[0],
        view=asked["view"] if asked.get("view") in VIEWS else VIEWS[0],
        temperatures=_temperatures(asked.get("temps", "")),
    )
    ids = [_whole(part) for part in asked.get("added", "").split(".")]
    path = [id_ for id_ in ids if id_ is not None and id_ < embedded().tokenizer.vocab_size][:LONGEST]
    try:
        for drawn in replay(embedded(), prompt_ids(state.prompt), path, settings, state.seed):
            state = replace(state, tree=state.tree.add(drawn))
    except InputError as error:
        return replace(state, tree=Tree(), notice=str(error))
    chosen = (_whole(asked.get("token", "")) or 0) - 1
    return replace(state, chosen=chosen if 0 <= chosen < len(state.tree.current) else None)


def _temperatures(text: str) -> tuple[float, ...]:
    try:
        temperatures = tuple(SamplerSettings(temperature=float(part)).temperature for part in text.split("_"))
    except (ValueError, InputError):
        return TEMPERATURES
    temperatures = tuple(min(temperature, HIGHEST["temperature"]) for temperature in temperatures)
    return temperatures if len(temperatures) == len(TEMPERATURES) else TEMPERATURES


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
