"""`run_agent()` without a framework: see scripts/make_notebooks.py."""

# %% [markdown]
# # run_agent(), without a framework
#
# An agent is a loop around a model. Here it is in plain Python: typed messages, tools with their schemas, the
# checks of a call, the loop with its step cap, a record of reasons, a detector of repeats, and the invariant
# that every call has its result. The model is scripted: it replies what was written beforehand, so every run
# is the same. At the end a real one can take its place.
#
# You need plotly for one picture, and at the end Loopscope's package `core`: take the Python of its `.venv`
# as the kernel (`pip install ipykernel` there makes it one), and leave this notebook in its folder.

# %%
import json
import sys
from collections import Counter
from dataclasses import dataclass, field

import plotly.graph_objects as go

sys.path.insert(0, "..")  # Loopscope's folder

# %% [markdown]
# ## Messages
#
# One type for each role, since each carries other fields. A call has an id; its result carries the same one.

# %%


@dataclass(frozen=True)
class SystemMessage:
    content: str


@dataclass(frozen=True)
class UserMessage:
    content: str


@dataclass(frozen=True)
class ToolCall:
    id: str
    name: str
    arguments: str  # a text that the model wrote: it need not be JSON


@dataclass(frozen=True)
class AssistantMessage:
    text: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True)
class ToolResultMessage:
    call_id: str
    content: str


# %% [markdown]
# ## Tools
#
# A tool is a function and the schema that is told to the model: name, description, arguments. Every tool
# takes a `reason`, one sentence that says why the call is made now. The function does nothing with it; it is
# for whoever reads the record.

# %%
DOCS = {
    "refunds": "A refund is possible within 7 days of purchase if less than 20 percent are completed.",
    "payout": "A refund reaches the original payment method within 5 to 7 business days.",
}
ENROLLMENTS = {"asha@example.com": {"course": "Django REST APIs", "days": 4, "progress": 12}}


def search_docs(query):
    words = set(query.lower().split())
    found = {key: passage for key, passage in DOCS.items() if words & set(passage.lower().split())}
    return json.dumps(found or {"result": "No matching documents."})


def get_enrollment(email):
    if email not in ENROLLMENTS:
        raise LookupError(f"no enrolment for {email}")
    return json.dumps(ENROLLMENTS[email])


def schema(name, description, **arguments):
    properties = {key: {"type": "string", "description": text} for key, text in arguments.items()}
    properties["reason"] = {"type": "string", "description": "One sentence: why this call is needed now."}
    return {
        "name": name,
        "description": description,
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
    }


TOOLS = {
    "search_docs": (
        search_docs,
        schema("search_docs", "Search the help pages.", query="A few words, such as 'refund days'."),
    ),
    "get_enrollment": (
        get_enrollment,
        schema("get_enrollment", "Look up a student's course.", email="The student's address."),
    ),
}

# %% [markdown]
# ## The checks
#
# Before any tool runs: is it JSON, does the tool exist, do the arguments match? What fails is told to the
# model as the result of its call, so that it can repair it.


# %%
class Refused(Exception):
    pass


def validated(call):
    try:
        arguments = json.loads(call.arguments)
    except json.JSONDecodeError as error:
        raise Refused(f"invalid JSON in the arguments: {error}") from None
    if call.name not in TOOLS:
        raise Refused(f"unknown tool {call.name!r}, available: {', '.join(TOOLS)}")
    parameters = TOOLS[call.name][1]["parameters"]
    known = parameters["properties"]
    problems = [f"{key} is missing" for key in parameters["required"] if key not in arguments]
    problems += [f"{key} is not known" for key in arguments if key not in known]
    problems += [
        f"{key} must be text"
        for key, value in arguments.items()
        if key in known and not isinstance(value, str)
    ]
    if problems:
        raise Refused(f"invalid arguments for {call.name}: {'; '.join(problems)}")
    return arguments


# %% [markdown]
# ## Repeats
#
# A model that finds nothing tends to ask the same again. A signature says whether two calls are the same: the
# name and the arguments in a fixed order, without the reason, which changes although the call does not.


# %%
@dataclass
class RepeatDetector:
    most: int = 1
    seen: Counter = field(default_factory=Counter)

    def check(self, name, arguments):
        same = {key: value for key, value in arguments.items() if key != "reason"}
        signature = name + json.dumps(same, sort_keys=True)
        self.seen[signature] += 1
        if self.seen[signature] > self.most:
            raise Refused("this exact call was already made: try another way, or say what you could not find")


# %% [markdown]
# ## The invariant
#
# Every call has exactly one result, after it and before the next message of the user or the model. A server
# refuses a history in which that does not hold.


# %%
def check_pairing(history):
    waiting = set()
    for number, message in enumerate(history):
        if isinstance(message, ToolResultMessage):
            assert message.call_id in waiting, f"message {number}: a result without its call"
            waiting.remove(message.call_id)
            continue
        assert not waiting, f"message {number} comes before the result of {sorted(waiting)}"
        if isinstance(message, AssistantMessage):
            ids = [call.id for call in message.calls]
            assert len(set(ids)) == len(ids), f"message {number}: two calls with one id"
            waiting = set(ids)
    assert not waiting, f"no result for {sorted(waiting)}"


# %% [markdown]
# ## The loop
#
# The numbers are the lines of the lecture's Prompt-ToolLoop. The runtime decides nothing but when to stop: a
# reply without calls is the answer, and MAX_STEPS ends a run that finds none. Whatever goes wrong in a call
# becomes its result; so the invariant holds by construction, and is checked before every call of the model.

# %%
MAX_STEPS = 6


def execute(call, repeats):
    arguments = validated(call)
    repeats.check(call.name, arguments)
    function = TOOLS[call.name][0]
    return function(**{key: value for key, value in arguments.items() if key != "reason"})


def run_agent(model, history, user_input):
    """The answer. `history` grows; the model is called with all of it, every time."""
    repeats = RepeatDetector()
    history.append(UserMessage(user_input))  # 1
    for _ in range(MAX_STEPS):  # 2
        check_pairing(history)
        response = model(history, [told for _, told in TOOLS.values()])  # 3
        history.append(response)  # 4
        if not response.calls:  # 5
            return response.text
        for call in response.calls:  # 6
            try:
                result = execute(call, repeats)  # 7
            except Exception as error:
                result = f"ERROR: {error}"
            history.append(ToolResultMessage(call.id, result))  # 8
    return "stopped: step budget exhausted"  # 9


# %% [markdown]
# ## A run
#
# The scripted model makes its mistakes on purpose: a call that is cut off, a field that is missing, the same
# search twice. It repairs each of them after it has read the result.


# %%
def scripted(*replies):
    left = iter(replies)
    return lambda _history, _tools: next(left)


def asks(id, name, text="", **arguments):
    return AssistantMessage(text, (ToolCall(id, name, json.dumps(arguments)),))


history = [SystemMessage("You answer students. Use facts from tool results only.")]
model = scripted(
    AssistantMessage("", (ToolCall("c1", "get_enrollment", '{"email": "asha@exam'),)),
    AssistantMessage(
        "Two things are needed, and neither depends on the other.",
        (
            ToolCall("c2", "get_enrollment", '{"email": "asha@example.com"}'),
            ToolCall("c3", "search_docs", '{"query": "refund", "reason": "The rule for refunds is needed."}'),
        ),
    ),
    asks("c4", "get_enrollment", email="asha@example.com", reason="When was it bought, how far is it?"),
    asks("c5", "search_docs", query="refund", reason="To be sure, once more."),
    AssistantMessage(
        "Yes: you bought it 4 days ago and have completed 12 percent (get_enrollment, search_docs)."
    ),
)
print(run_agent(model, history, "I am asha@example.com. Can I still get a refund?"), "\n")
for message in history:
    print(f"{type(message).__name__:18}", *(value for value in vars(message).values() if value))
check_pairing(history)

# %% [markdown]
# ## The record
#
# Which call was made why, and what came of it: this is what one reads when a run went wrong.

# %%
results = {m.call_id: m.content for m in history if isinstance(m, ToolResultMessage)}
for message in history:
    for call in getattr(message, "calls", ()):
        try:
            reason = json.loads(call.arguments).get("reason", "no reason given")
        except json.JSONDecodeError:
            reason = "not readable"
        print(f"{call.id} {call.name:15} {reason:38} -> {results[call.id][:60]}")

assert [results[id].startswith("ERROR") for id in ("c1", "c2", "c3", "c4", "c5")] == [
    *(True, True, False, False, True)
]

# %% [markdown]
# ## What it costs
#
# The model keeps nothing, so every call sends the whole history again. The sum grows much faster than the
# history.

# %%
sizes = [len(json.dumps(vars(message), default=vars)) for message in history]
calls = [number for number, message in enumerate(history) if isinstance(message, AssistantMessage)]
sent = [sum(sizes[:number]) for number in calls]
new = [now - before for now, before in zip(sent, [0, *sent], strict=False)]
figure = go.Figure(
    [
        go.Bar(
            name="sent before",
            x=[f"call {n + 1}" for n in range(len(sent))],
            y=[a - b for a, b in zip(sent, new, strict=True)],
        ),
        go.Bar(name="new", x=[f"call {n + 1}" for n in range(len(sent))], y=new),
    ]
)
figure.update_layout(barmode="stack", yaxis_title="characters", template="plotly_white")
print(f"{sum(sent):,} characters were sent for a history of {sum(sizes):,}")
figure

# %% [markdown]
# ## What the cap and the invariant are for
#
# A model that never answers is stopped. And a history that was shortened without care, so that a result has
# lost its call, is found before a server refuses it.


# %%
def stubborn(history, tools):
    number = len(history)
    return asks(f"s{number}", "search_docs", query=f"live class {number}", reason="Perhaps it stands there.")


endless = []
assert run_agent(stubborn, endless, "When are live classes?") == "stopped: step budget exhausted"
assert sum(isinstance(message, AssistantMessage) for message in endless) == MAX_STEPS

try:
    check_pairing(history[:2] + history[3:])  # the first reply is gone, its result is still there
except AssertionError as error:
    print(error)
else:
    raise AssertionError("the invariant should have failed")

# %% [markdown]
# ## The same by Loopscope's loop
#
# Loopscope's own checker of the invariant comes to the same two verdicts.

# %%
from core.messages import check_pairing as check_theirs


def as_json(message):
    match message:
        case AssistantMessage(text, calls):
            called = [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                for c in calls
            ]
            return {"role": "assistant", "content": text, **({"tool_calls": called} if called else {})}
        case ToolResultMessage(call_id, content):
            return {"role": "tool", "tool_call_id": call_id, "content": content}
        case _:
            role = "system" if isinstance(message, SystemMessage) else "user"
            return {"role": role, "content": message.content}


assert check_theirs(map(as_json, history)) == []
assert len(check_theirs(map(as_json, history[:2] + history[3:]))) == 1

# %% [markdown]
# ## With a real model
#
# Set `REAL = True`. The embedded model is small: its calls parse, since a grammar holds them, and they are
# often wrong. Any other model fits in its place: a function from the history and the schemas to an
# `AssistantMessage`.

# %%
REAL = False

if REAL:
    from core.agent.embedded_chat import EmbeddedChat
    from core.lm import embedded
    from core.messages import ToolSchema, from_wire

    chat = EmbeddedChat(embedded(), calls="guided", max_tokens=80)

    def real(history, tools):
        sent = from_wire([as_json(message) for message in history], "openai-chat")
        message = chat.reply(sent, [ToolSchema(**told) for told in tools]).message
        calls = tuple(
            ToolCall(f"r{len(history)}.{n}", c.name, c.arguments) for n, c in enumerate(message.tool_calls)
        )
        return AssistantMessage(message.content, calls)

    history = [SystemMessage("You answer students. Use facts from tool results only.")]
    print(run_agent(real, history, "How many days do I have for a refund?"))
    check_pairing(history)

# %% [markdown]
# ## Try it
#
# 1. Add a policy: an enrolment may be looked up for the student's own address only. Where does it belong, and
#    why is it none of the three checks?
# 2. Run the calls of one reply in parallel. What must stay as it is, so that the invariant holds?
# 3. Write `compact(history)`, which drops the oldest half. What may it not part?
