"""What does the model really read? Typed messages, their pairing, and one text."""

# %% [markdown]
# # What does the model really read?
#
# A conversation is a list of typed messages. The model reads one text: a chat template writes every message
# with special tokens around it, and ends with the opening of the assistant's turn. Every call must have one
# result.

# %%
import json

# %% state
messages = [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "content": "What is the weather in Berlin?"},
    {
        "role": "assistant",
        "content": "",
        "calls": [{"id": "call_1", "name": "get_weather", "arguments": {"city": "Berlin"}}],
    },
    {"role": "tool", "id": "call_1", "content": "12°C, rainy"},
]
tools = []
# The text of the screen, in pieces: whose each is, its tokens, and the piece.
template = "chatml"
pieces = [
    ("message 0", 11, "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"),
    ("message 1", 12, "<|im_start|>user\nWhat is the weather in Berlin?<|im_end|>\n"),
    (
        "message 2",
        31,
        '<|im_start|>assistant\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Berlin"}}\n'
        "</tool_call><|im_end|>\n",
    ),
    (
        "message 3",
        23,
        "<|im_start|>user\n<tool_response>\n12°C, rainy\n</tool_response><|im_end|>\n",
    ),
    ("template", 3, "<|im_start|>assistant\n"),
]

# %% [markdown]
# **The pairing invariant.** Each call is waiting until its result has come, and none may wait when another
# message follows. A result that nothing waits for has no call.


# %%
def faults(messages):
    """What is wrong with the pairing, as (message, what)."""
    found, waiting = [], {}
    for number, message in enumerate([*messages, {"role": "end"}]):
        if message["role"] == "tool":
            if waiting.pop(message["id"], None) is None:
                found.append((number, f"result {message['id']} has no open call"))
            continue
        found += [(n, f"call {id} has no result") for id, n in waiting.items()]
        waiting = {call["id"]: number for call in message.get("calls", []) if call["id"]}
    return sorted(found)


print("pairing:", faults(messages) or "every call has its result")

# %% [markdown]
# **ChatML**, the template of the Qwen family: a turn begins with `<|im_start|>` and its role, and ends with
# `<|im_end|>`. There is no role for tools: schemas stand in the system prompt, calls are JSON in
# `<tool_call>`, and results come in a turn of the user.


# %%
def dumps(value):
    return json.dumps(value, ensure_ascii=False)


def written(call):  # arguments that are no JSON are a text, and stand in quotes
    return f'{{"name": {dumps(call["name"])}, "arguments": {dumps(call["arguments"])}}}'


def chatml(messages, tools):
    text, turns = "", list(messages)
    system = turns.pop(0)["content"] if turns and turns[0]["role"] == "system" else None
    if tools:
        head = "" if system is None else system + "\n\n"
        system = head + HEAD + "".join(dumps(tool) + "\n" for tool in tools) + TAIL
    if system is not None:
        text = f"<|im_start|>system\n{system}<|im_end|>\n"
    for before, message, after in zip([{}, *turns], turns, [*turns[1:], {}], strict=False):
        if message["role"] == "tool":
            text += "" if before.get("role") == "tool" else "<|im_start|>user\n"
            text += f"<tool_response>\n{message['content']}\n</tool_response>"
            text += "\n" if after.get("role") == "tool" else "<|im_end|>\n"
        elif message.get("calls"):
            said = [message["content"]] if message["content"] else []
            said += [f"<tool_call>\n{written(call)}\n</tool_call>" for call in message["calls"]]
            text += "<|im_start|>assistant\n" + "\n".join(said) + "<|im_end|>\n"
        else:
            text += f"<|im_start|>{message['role']}\n{message['content']}<|im_end|>\n"
    return text + "<|im_start|>assistant\n"


HEAD = """# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
"""
TAIL = """</tools>

For each function call, return a json object with function name and arguments \
within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>"""

if template == "chatml":
    print(chatml(messages, tools))

# %% [markdown]
# **Whose are the tokens?** Each piece of the text belongs to a message or to the template; together they are
# the context of the next call.

# %% notebook
import plotly.graph_objects as go

owners = {}
for owner, tokens, _ in pieces:
    owners[owner] = owners.get(owner, 0) + tokens
print(sum(owners.values()), "tokens in all")
figure = go.Figure(go.Bar(x=list(owners), y=list(owners.values()), marker_color="#0072B2"))
figure.update_layout(yaxis_title="tokens", template="plotly_white")
figure

# %% [markdown]
# **The same as on the screen?**

# %% screen
screen_faults, screen_tokens = [], 80

# %% notebook
assert [number for number, _ in faults(messages)] == screen_faults
assert sum(owners.values()) == screen_tokens
if template == "chatml":
    assert chatml(messages, tools) == "".join(text for *_, text in pieces)
