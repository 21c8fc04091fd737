"""What is sent at every call? The tokens by part, what is sent again, and what is left of the window."""

# %% [markdown]
# # What is sent at every call?
#
# The model keeps nothing. So every call sends the whole context: system prompt, tool schemas, all messages.
# This notebook counts a run's calls by part, and how much of each was sent before. It needs numpy and plotly.

# %%
import numpy as np

# %% state
parts = ["system prompt", "user", "tool call"]
counts = np.array([[10, 5, 0], [10, 5, 8]])  # tokens: a row for each call, a column for each part
resent = np.array([0, 15])  # of each call: the prefix that it shares with the call before
window = 64

# %% [markdown]
# **Each call.** Its parts add up to what is sent; what is left of the window is for the reply. A server can
# keep its work on the *prefix* that a call shares with the one before, up to the first token that differs.

# %%
total = counts.sum(axis=1)
new = total - resent
for number, (sent, again) in enumerate(zip(total, resent, strict=True), start=1):
    left = f", {window - sent:,} of {window:,} left" if window else ""
    print(f"call {number}: {sent:,} tokens, {again:,} of them as before, {sent - again:,} new{left}")

# %% [markdown]
# **The run.** The sum of what is sent grows faster than the context: in n calls of growing length, everything
# early is paid n times.

# %%
print(f"sent in all: {total.sum():,}; without what was sent again: {new.sum():,}")
print(
    f"the last call: {total[-1]:,}, of which",
    ", ".join(f"{name} {tokens:,}" for name, tokens in zip(parts, counts[-1], strict=True) if tokens),
)

# %% notebook
import plotly.graph_objects as go

calls = np.arange(1, len(counts) + 1)
figure = go.Figure([go.Bar(name=part, x=calls, y=counts[:, n]) for n, part in enumerate(parts)])
figure.add_scatter(name="sent again", x=calls, y=resent, mode="lines+markers", line_color="black")
if window and window < 2.5 * total.max():
    figure.add_hline(y=window, line_dash="dot", annotation_text="window")
figure.update_layout(barmode="stack", xaxis_title="call", yaxis_title="tokens", template="plotly_white")
figure

# %% [markdown]
# **From the tokens themselves.** Here are the contexts of the run as token ids, and the part of each token.
# Where two contexts first differ, the shared prefix ends; what is the same behind that place has to be read
# anew.

# %% screen
ids = np.array([*range(15), *range(15), *range(100, 108)])
owners = np.array([*[0] * 10, *[1] * 5, *[0] * 10, *[1] * 5, *[2] * 8])
lengths = [15, 23]
screen_sent, screen_unique = 38, 23

# %% notebook
ends = np.cumsum(lengths)
contexts = [ids[end - length : end] for end, length in zip(ends, lengths, strict=True)]
of_parts = [owners[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def shared(one, other):
    short = min(len(one), len(other))
    differs = np.flatnonzero(one[:short] != other[:short])
    return int(differs[0]) if len(differs) else short


again = [shared(*pair) for pair in zip([ids[:0], *contexts], contexts, strict=False)]
assert again == resent[: len(again)].tolist()
for row, of_part in zip(counts, of_parts, strict=False):
    assert np.bincount(of_part, minlength=len(parts)).tolist() == row.tolist()

# %% [markdown]
# **The same as on the screen?**

# %% notebook
assert total.sum() == screen_sent
assert new.sum() == screen_unique
