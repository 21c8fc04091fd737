"""What was generated on the generation screen: one value in the session."""

import time
from dataclasses import dataclass, field, replace

import streamlit as st

from core.decoding import Drawn, Ending, Path, Tree, ending, replay, step, taken, under
from core.decoding.beams import Search, further
from core.figures.generation_view import tokens
from core.lm import embedded
from core.sampling import SamplerSettings, uniform
from core.teaching.use_cases import UseCase
from pages.common import reading

KEY = "state of the generation screen"
FIRST_PROMPT = "The capital of France is"
VIEWS = ("one", "four", "beams")
COLOURS = ("probability", "surprisal")
TEMPERATURES = (0.0, 0.5, 1.0, 1.5)
SHOWN_TOGETHER = 6  # tokens
LONGEST = 512  # tokens of one text: a class shares the model
LONGEST_LANE = 96  # tokens of each of the four texts
WIDTH = 4  # beams of a search
LONGEST_SEARCH = 32  # tokens of each beam


@dataclass(frozen=True)
class Generation:
    """`chosen`: the position, from 0, of the token whose distribution is in view; `None` for the newest.

    `lanes`: the texts at `temperatures`. `searched`: each step of a beam search. `cases`: whether those of
    use are open. `made` tokens came while it played, the first at the time `since`, the last at `until`, in
    seconds. `notice`: a sentence about a bad address, or empty. `ahead`: the state with one token more,
    computed while it plays and not shown yet.
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
    searched: tuple[Search, ...] = ()
    cases: bool = False
    playing: bool = False
    made: int = 0
    since: float = 0.0
    until: float = 0.0
    notice: str = ""
    ahead: "Generation | None" = None


def current() -> Generation:
    """The state of this session."""
    return st.session_state[KEY]


def change(**changes: object) -> None:
    """Change the state in part. What was computed ahead of it no longer counts."""
    st.session_state[KEY] = replace(current(), ahead=None, **changes)


def prompt_ids(prompt: str) -> list[int]:
    """The tokens that the model reads before it generates. `InputError` if they leave no room."""
    return reading.prompt_ids(prompt, room=1)


def why_over(state: Generation, path: Path) -> Ending | None:
    """Why the model generates nothing after `path`, or `None`."""
    return ending(embedded(), [*prompt_ids(state.prompt), *path], len(path))


def play_or_pause() -> None:
    """Begin to play, or stop."""
    change(playing=True, chosen=None, made=0) if not current().playing else change(playing=False)


def catch_up() -> Generation:
    """The state to show: while it plays, with the token that was computed ahead."""
    state = current()
    if state.playing and state.ahead:
        st.session_state[KEY] = state = state.ahead
    return state


def tick() -> bool:
    """Generate the next few tokens of what plays, the last one ahead; pause at the end. Whether it goes on.

    To show a text costs more than a token, mostly in the browser: so a few are shown at a time. A stop
    forgets the one ahead, which the seed draws again.
    """
    states = [current()]
    shown = 1 if current().view == "beams" else SHOWN_TOGETHER  # a step of a search is a pass for each beam
    while len(states) <= shown and (further := advanced(states[-1])):
        states.append(_timed(further))
    if len(states) == 1:
        change(playing=False)
        return False
    st.session_state[KEY] = replace(states[-2], ahead=states[-1])
    return True


def one_step() -> None:
    """Generate one token, in every text that is in view."""
    change(playing=False, chosen=None)
    for _ in current().lanes if current().view == "four" else range(1):
        st.session_state[KEY] = advanced(current()) or current()


def advanced(state: Generation) -> Generation | None:
    """The state with one token more, in the shortest text in view that goes on; `None` if none does."""
    if state.view == "one":
        path = state.tree.current
        if len(path) >= LONGEST or why_over(state, path):
            return None
        return replace(state, tree=state.tree.add(_next(state, path, state.settings, state.seed)))
    if state.view == "beams":
        return _searched_on(state)
    going = [index for index, lane in enumerate(state.lanes) if _goes_on(state, lane)]
    if not going:
        return None
    index = min(going, key=lambda index: len(state.lanes[index]))
    settings, seed = lane_settings(state, index), lane_seed(state, index)
    drawn = _next(state, path_of(state.lanes[index]), settings, seed)
    lanes = list(state.lanes)
    lanes[index] = (*lanes[index], drawn)
    return replace(state, lanes=tuple(lanes))


def back() -> None:
    """Stand one token earlier."""
    state = current()
    if state.view == "one":
        change(playing=False, chosen=None, tree=state.tree.back())
    elif state.view == "beams":
        change(playing=False, searched=state.searched[:-1])
    else:
        change(playing=False, lanes=tuple(lane[:-1] for lane in state.lanes))


def begin_again(**changes: object) -> None:
    """Forget what was generated."""
    lanes = ((),) * len(current().lanes)
    change(playing=False, chosen=None, notice="", tree=Tree(), lanes=lanes, searched=(), made=0, **changes)


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
    begin_again(prompt=case.prompt, settings=case.settings, view="one", cases=False)


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
        settings, seed = lane_settings(state, index), lane_seed(state, index)
        lanes = state.lanes if seed == state.seed else ((),) * len(state.lanes)
        change(view="one", playing=False, chosen=None, settings=settings, seed=seed, tree=tree, lanes=lanes)


def open_beam(index: object) -> None:
    """Take a beam over into the view of one text; what greedy would not take there counts as by hand."""
    state = current()
    if not (_is_whole(index) and state.searched and index < len(state.searched[-1].beams)):
        return
    settings, tree = SamplerSettings(temperature=0.0), state.tree.go(())
    for drawn in beam_text(state, index):
        tree = tree.add(drawn)
    change(view="one", playing=False, chosen=None, settings=settings, tree=tree)


def beam_text(state: Generation, index: int) -> list[Drawn]:
    """A beam as a text: each token with the distribution that it was taken from."""
    path = state.searched[-1].beams[index].path
    return list(
        replay(embedded(), prompt_ids(state.prompt), path, SamplerSettings(temperature=0.0), state.seed)
    )


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


def lane_seed(state: Generation, index: int) -> int:
    """The seed of one of the four texts: at the same temperature as one before it, it has the next one."""
    return state.seed + state.temperatures[:index].count(state.temperatures[index])


@st.cache_resource(show_spinner="The beams grow again …", max_entries=16)
def st_searched(prompt: str, steps: int) -> tuple[Search, ...]:
    """The first steps of a search: a class opens the same link. Errors: as `prompt_ids`."""
    ids, found = prompt_ids(prompt), [Search()]
    while len(found) <= min(steps, LONGEST_SEARCH) and (more := further(embedded(), ids, found[-1], WIDTH)):
        found.append(more)
    return tuple(found[1:])


def _next(state: Generation, path: Path, settings: SamplerSettings, seed: int) -> Drawn:
    u = uniform(seed, len(path))
    return under(seed, step(embedded(), [*prompt_ids(state.prompt), *path], settings, u))


def _searched_on(state: Generation) -> Generation | None:
    """The state after one step more of the search; `None` where it is over."""
    last = state.searched[-1] if state.searched else Search()
    if len(state.searched) >= LONGEST_SEARCH:
        return None
    found = further(embedded(), prompt_ids(state.prompt), last, WIDTH)
    return replace(state, searched=(*state.searched, found)) if found else None


def _timed(state: Generation) -> Generation:
    now = time.perf_counter()
    return replace(state, made=state.made + 1, since=state.since if state.made else now, until=now)


def _goes_on(state: Generation, lane: tuple[Drawn, ...]) -> bool:
    return len(lane) < LONGEST_LANE and not why_over(state, path_of(lane))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
