"""The agent: the loop, the tools it may execute, and the checks before it does."""

from core.agent.asking import StopRun, Watch
from core.agent.branch import continued, edited
from core.agent.compare import Comparison, StepPair, compare
from core.agent.formats import NATIVE, Format
from core.agent.guards import Guards
from core.agent.loop import resume, run
from core.agent.policy import Policy, allow_only
from core.agent.pseudocode import PROMPT_TOOL_LOOP, CodeLine
from core.agent.react_format import TEXT
from core.agent.react_text import Action, Finish, Malformed, Observation, Thought, parse_react
from core.agent.record import record
from core.agent.review import Finding, review
from core.agent.settings import LoopKind, Setting, setting
from core.agent.states import LoopState, states
from core.agent.tools import Tool
from core.agent.validation import validate_call

__all__ = [
    "NATIVE",
    "PROMPT_TOOL_LOOP",
    "TEXT",
    "Action",
    "CodeLine",
    "Comparison",
    "Finding",
    "Finish",
    "Format",
    "Guards",
    "LoopKind",
    "LoopState",
    "Malformed",
    "Observation",
    "Policy",
    "Setting",
    "StepPair",
    "StopRun",
    "Thought",
    "Tool",
    "Watch",
    "allow_only",
    "compare",
    "continued",
    "edited",
    "parse_react",
    "record",
    "resume",
    "review",
    "run",
    "setting",
    "states",
    "validate_call",
]
