"""All kinds of exercises, in the order of the lecture."""

from core.teaching.exercises.base import Kind
from core.teaching.exercises.context_budget import BUDGET
from core.teaching.exercises.context_cache_clock import CACHE_CLOCK
from core.teaching.exercises.context_cache_order import CACHE_ORDER
from core.teaching.exercises.context_compaction import COMPACTION
from core.teaching.exercises.context_resent import RESENT
from core.teaching.exercises.context_stateless import STATELESS
from core.teaching.exercises.loop_action_space import ACTION_SPACE
from core.teaching.exercises.loop_by_hand import BY_HAND
from core.teaching.exercises.loop_context import CONTEXT
from core.teaching.exercises.loop_message_types import MESSAGE_TYPES
from core.teaching.exercises.loop_next_line import NEXT_LINE
from core.teaching.exercises.loop_pairing import PAIRING
from core.teaching.exercises.loop_reasoning import REASONING
from core.teaching.exercises.loop_repair import REPAIR
from core.teaching.exercises.loop_tool_description import TOOL_DESCRIPTION
from core.teaching.exercises.loop_tool_kinds import TOOL_KINDS
from core.teaching.exercises.sampling_cuts import CUTS
from core.teaching.exercises.sampling_draws import DRAWS
from core.teaching.exercises.sampling_greedy import GREEDY
from core.teaching.exercises.sampling_masks import MASKS
from core.teaching.exercises.sampling_orders import ORDERS
from core.teaching.exercises.sampling_properties import PROPERTIES
from core.teaching.exercises.sampling_softmax import SOFTMAX_KINDS
from core.teaching.exercises.sampling_uses import USES
from core.teaching.exercises.speculative_tests import SPECULATIVE

PART_A = (*SOFTMAX_KINDS, *PROPERTIES, *DRAWS, *CUTS, *ORDERS, *GREEDY, *MASKS, *USES, *SPECULATIVE)
PART_B = (
    *REASONING,
    *ACTION_SPACE,
    *CONTEXT,
    *BY_HAND,
    *NEXT_LINE,
    *REPAIR,
    *TOOL_KINDS,
    *TOOL_DESCRIPTION,
    *MESSAGE_TYPES,
    *PAIRING,
    *STATELESS,
    *BUDGET,
    *RESENT,
    *CACHE_ORDER,
    *CACHE_CLOCK,
    *COMPACTION,
)

KINDS: dict[str, Kind] = {kind.slug: kind for kind in (*PART_A, *PART_B)}
