"""What does the loop do? The messages of a run, made again by a loop in plain Python."""

# %% [markdown]
# # What does the loop do?
#
# An agent is a loop: the model replies to the whole conversation so far; what it asks for is run; the results
# are appended; and so on, until a reply asks for nothing. This notebook runs the loop of the screen again.
# The model is *scripted*: it gives the replies of that run. A tool gives what it gave there.

# %%
import copy

# %% state
# The run: what stood before the first step, what the user said, the model's replies, and what each tool gave.
start = [{"role": "system", "content": "You are a helpful assistant."}]
user_input = "What is the weather in Berlin?"
replies = [
    {"text": "", "calls": [{"id": "call_1", "name": "get_weather", "arguments": '{"city": "Berlin"}'}]},
    {"text": "It is 12°C and rainy.", "calls": []},
]
gave = {"get_weather": {'{"city": "Berlin"}': ["12°C, rainy"]}}
MAX_STEPS = 6

# %% [markdown]
# The scripted model looks at the context only to see which of its replies is next: the n-th call gets the
# n-th. A real model computes its reply from the whole of it.


# %%
def model(context):
    return next(script)


def execute(call):
    """What the tool gave for these arguments; asked again, what it gave next."""
    results = tools[call["name"]][call["arguments"]]
    return results.pop(0) if len(results) > 1 else results[0]


def run(user_input):
    context.append({"role": "user", "content": user_input})  # 1
    for _ in range(MAX_STEPS):  # 2
        response = model(context)  # 3
        context.append({"role": "assistant", **response})  # 4
        if not response["calls"]:  # 5
            return response["text"]
        for call in response["calls"]:  # 6
            try:
                result = execute(call)  # 7
            except Exception as error:
                result = f"ERROR: {error}"
            context.append({"role": "tool", "id": call["id"], "content": result})  # 8
    return "stopped: step budget exhausted"  # 9


context, script, tools = list(start), iter(replies), copy.deepcopy(gave)
answer = run(user_input)
for message in context:
    asked = [f"{call['name']}({call['arguments']})" for call in message.get("calls", [])]
    print(f"{message['role']:10}", message.get("content") or message.get("text") or "", *asked)

# %% [markdown]
# The numbers in the comments are the lines of the lecture's pseudocode. What a runtime does beside it
# (checks, a policy, guards) shows in the results: an error is a result like any other.
#
# **The context grows.** The model keeps nothing, so every call sends all messages again.

# %% notebook
import json

import plotly.graph_objects as go

sizes = [len(json.dumps(message, ensure_ascii=False)) for message in context]
ends = [number for number, message in enumerate(context) if message["role"] == "assistant"][-len(replies) :]
sent = [sum(sizes[:end]) for end in ends]
figure = go.Figure(go.Bar(x=[f"call {n}" for n in range(1, len(sent) + 1)], y=sent, marker_color="#0072B2"))
figure.update_layout(yaxis_title="characters that are sent", template="plotly_white")
figure

# %% [markdown]
# **The pairing invariant:** every call has exactly one result with its id, before the model is asked again.
# And the messages are those of the screen.

# %% screen
screen = [
    {"role": "user", "content": "What is the weather in Berlin?"},
    {
        "role": "assistant",
        "text": "",
        "calls": [{"id": "call_1", "name": "get_weather", "arguments": '{"city": "Berlin"}'}],
    },
    {"role": "tool", "id": "call_1", "content": "12°C, rainy"},
    {"role": "assistant", "text": "It is 12°C and rainy.", "calls": []},
]

# %% notebook
assert context[len(start) :] == screen

waiting = []
for message in context[len(start) :]:
    if message["role"] == "tool":
        waiting.remove(message["id"])
    else:
        assert not waiting, f"calls without a result: {waiting}"
        waiting = [call["id"] for call in message.get("calls", [])]
assert not waiting
