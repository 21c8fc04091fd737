"""The agent: the loop, the tools it may execute, and the checks before it does."""

from core.agent.loop import run
from core.agent.pseudocode import PROMPT_TOOL_LOOP, CodeLine
from core.agent.react_text import Action, Finish, Malformed, Observation, Thought, parse_react
from core.agent.record import record
from core.agent.states import LoopState, states
from core.agent.tools import Tool
from core.agent.validation import validate_call

__all__ = [
    "PROMPT_TOOL_LOOP",
    "Action",
    "CodeLine",
    "Finish",
    "LoopState",
    "Malformed",
    "Observation",
    "Thought",
    "Tool",
    "parse_react",
    "record",
    "run",
    "states",
    "validate_call",
]
