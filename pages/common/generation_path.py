"""The texts of the generation screen as an address holds them.

"7042.30.198": token ids, drawn with the settings and the seed of the address.
"7042~T0.5s3_30.198": from the second on at T = 0.5 under seed 3, all other dials neutral.
"~~1-284.11": the branches in order, here the text in view, and one that parts from it after 1 token.
"""

import re
from collections.abc import Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

from core.decoding import Drawn, Path, Tree, replay
from core.figures.dials import HIGHEST
from core.lm import EmbeddedModel
from core.sampling import SamplerSettings
from pages.common.address import dials_from, whole

LETTERS = {"T": "temperature", "k": "top_k", "p": "top_p", "m": "min_p"}
MOST_BRANCHES = 16


class Way(NamedTuple):
    """How a token is drawn."""

    settings: SamplerSettings
    seed: int


class Planned(NamedTuple):
    """A token and how it was drawn."""

    token_id: int
    way: Way


def written(drawn: Sequence[Drawn], way: Way) -> str:
    """Tokens for an address that itself tells of `way`."""
    text = ""
    for token in drawn:
        # Where no number was drawn, by hand or greedily, any seed will do.
        wanted = Way(token.settings, way.seed if token.seed is None else token.seed)
        if wanted != way:
            text += f"~{_marked(wanted)}_"
        elif text:
            text += "."
        text += str(token.token_id)
        way = wanted
    return text


def read(text: str, way: Way, vocab_size: int) -> list[Planned]:
    """What `written` wrote; a student may have typed it, and what is no token is left out."""
    plan = []
    for part in text.split("~"):
        marks, marked, ids = part.rpartition("_")
        way = _way(marks) if marked else way
        numbers = [whole(number) for number in ids.split(".")]
        plan += [Planned(id_, way) for id_ in numbers if id_ is not None and id_ < vocab_size]
    return plan


def texts_written(texts: Sequence[Sequence[Drawn]]) -> str:
    """Four texts, each with the settings and the seed of its place: "7042.30~~284.11~~~~"."""
    written_ = [".".join(str(token.token_id) for token in text) for text in texts]
    return "~~".join(written_) if any(written_) else ""


def texts_read(text: str, vocab_size: int) -> list[Path]:
    """What `texts_written` wrote; what is no token is left out."""
    way = Way(SamplerSettings(), 0)
    return [tuple(token for token, _ in read(item, way, vocab_size)) for item in text.split("~~")]


def branches_written(tree: Tree, way: Way) -> str:
    """All branches, for an address that tells of the path in view; nothing where that is all there is."""
    if tree.branches in ((), (tree.current,)):
        return ""
    items = []
    for path in tree.branches:
        shared = _common(path, tree.current)
        rest = written(tree.along(path)[shared:], way)
        items.append("" if path == tree.current else f"{shared}-{rest}")
    return "~~".join(items)


def branches_read(text: str, in_view: list[Planned], way: Way, vocab_size: int) -> list[list[Planned]]:
    """The branches in their order, that in view among them."""
    branches = []
    for item in text.split("~~")[:MOST_BRANCHES]:
        shared, _, rest = item.partition("-")
        branches.append([*in_view[: whole(shared)], *read(rest, way, vocab_size)] if item else in_view)
    return branches


def grown(tree: Tree, model: EmbeddedModel, prompt_ids: list[int], plan: Sequence[Planned]) -> Tree:
    """The tree with a text in it, which is gone to. Errors: as `core.decoding.replay`."""
    tree = tree.go(())
    while left := plan[len(tree.current) :]:
        known: Path = (*tree.current, left[0].token_id)
        if known in tree.nodes:
            tree = tree.go(known)
            continue
        before = tree.current
        way, run = next(groupby(left, lambda planned: planned.way))
        ids = [planned.token_id for planned in run]
        for drawn in replay(model, [*prompt_ids, *before], ids, *way, start_index=len(before)):
            tree = tree.add(drawn)
    return tree


def _marked(way: Way) -> str:
    values, neutral = vars(way.settings), vars(SamplerSettings())
    moved = [f"{letter}{values[name]:g}" for letter, name in LETTERS.items() if values[name] != neutral[name]]
    return "".join(moved) + (f"s{way.seed}" if way.seed else "")


def _way(marks: str) -> Way:
    values = dict(re.findall(r"([Tkpms])(\d[\d.]*(?:e-\d+)?)", marks))
    return Way(dials_from(values, LETTERS, HIGHEST, SamplerSettings()), whole(values.get("s", "")) or 0)


def _common(one: Path, other: Path) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
