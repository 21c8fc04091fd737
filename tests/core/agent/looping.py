"""What tests of the loop share: tools that answer, fail and refuse, and what was sent."""

from core.agent import Tool, run
from core.errors import InputError
from core.lm.scripted import ScriptedModel
from core.messages import (
    AssistantMessage,
    ToolCall,
    ToolResultMessage,
)


def temp(city: str) -> str:
    """The temperature in a city."""
    return {"Oslo": "5", "Rome": "30"}[city]


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def broken(how: str) -> str:
    """Fail."""
    raise {
        "key": KeyError("x"),
        "stop": StopIteration(),
        "interrupt": KeyboardInterrupt(),
        "mute": Mute("never heard"),
        "exit": SystemExit(3),
        "zero": ZeroDivisionError("by 0"),
    }[how]


def refuse() -> str:
    """Refuse."""
    raise InputError("the shop is closed")


TOOLS = [Tool.from_function(function) for function in (temp, broken, refuse)]
ANSWER = AssistantMessage(content="Done.")


def call(id, city="Oslo", name="temp", arguments=None):
    return ToolCall(id=id, name=name, arguments=arguments or f'{{"city": "{city}"}}')


def calling(*calls, content="", **fields):
    return AssistantMessage(content=content, tool_calls=calls, **fields)


def steps_of(*replies, **options):
    return list(run(ScriptedModel("m", replies), "q", TOOLS, **options))


def lines(steps):
    return [(step.kind, step.turn, step.line, step.passed) for step in steps]


def results(steps):
    return [step.appended for step in steps if isinstance(step.appended, ToolResultMessage)]


class Spy:
    """A scripted model that keeps what it was sent."""

    name = "spy"
    window = 100

    def __init__(self, *replies):
        self._script = ScriptedModel("spy", replies)
        self.sent = []

    def reply(self, messages, tools):
        self.sent.append((messages, tools))
        return self._script.reply(messages, tools)
