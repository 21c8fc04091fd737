"""All kinds of exercises, in the order of the lecture."""

from core.teaching.exercises.base import Kind
from core.teaching.exercises.loop_action_space import ACTION_SPACE
from core.teaching.exercises.sampling_cuts import CUTS

KINDS: dict[str, Kind] = {kind.slug: kind for kind in (*CUTS, *ACTION_SPACE)}
