"""What does a mask do to the distribution? Forbidden tokens get probability 0, the rest is renormalised."""

# %% [markdown]
# # What does a mask do to the distribution?
#
# Under a grammar only some tokens may come next: A, the allowed ones. Constrained decoding gives every other
# token the probability 0 and divides the rest by its sum:
#
# $$P'(i) = \frac{\mathbb{1}[i \in A]\,P(i)}{\sum_{j \in A} P(j)}$$
#
# P is the model's own distribution, at T = 1 and without filters. This notebook needs numpy and plotly.

# %%
import numpy as np

# %% state
tokens = ["A", "the", "7", "3"]
P = np.array([0.4, 0.3, 0.2, 0.1])
allowed = np.array([False, False, True, True])  # a digit must come next
u = 0.5

# %%
kept = np.where(allowed, P, 0)
P_masked = kept / kept.sum()

print(
    f"The mask removes {1 - kept.sum():.4f} of P and makes the rest {1 / kept.sum():.4g} times as probable."
)
for token, before, after in zip(tokens, P, P_masked, strict=True):
    print(f"{token:24} {before:10.6f}  -> {after:10.6f}")

# %% [markdown]
# **The draw** is the same as without a mask: the first token at which the running sum exceeds u. The tokens
# stand by falling probability. A forbidden token adds nothing to the sum and can never be drawn.

# %%
if u is not None:
    place = np.searchsorted(P_masked.cumsum(), u, side="right")
    print(f"u = {u:.4f} draws", tokens[place])

# %% notebook
import plotly.graph_objects as go

figure = go.Figure(
    [
        go.Bar(name="P", x=tokens, y=P, marker_color="#7F7F7F"),
        go.Bar(name="P′", x=tokens, y=P_masked, marker_color="#0072B2"),
    ]
)
figure.update_layout(yaxis_title="probability", template="plotly_white")
figure

# %% [markdown]
# **Along the text.** At each token the mask removes another share of P: nearly nothing where the model wanted
# to write what fits anyway, and nearly everything where it wanted to write something else. A prompt that asks
# for the format moves these bars down, and never to 0 for good.

# %% screen
# Of every token of the text: its probability in P and in P′, and what the mask removed there.
text = ["7"]
text_P, text_P_masked, removed = np.array([0.2]), np.array([0.2 / 0.3]), np.array([0.7])
in_view = 0
screen = [0.0, 0.0, 0.2 / 0.3, 0.1 / 0.3]

# %% notebook
figure = go.Figure(go.Bar(x=np.arange(1, len(text) + 1), y=removed, text=text, marker_color="#D55E00"))
figure.update_layout(
    xaxis_title="token", yaxis_title="probability that the mask removes", template="plotly_white"
)
figure

# %% [markdown]
# **The same numbers as on the screen?** And for every token, the mask can only divide by what it left.

# %% notebook
np.testing.assert_allclose(P_masked, screen, rtol=0, atol=1e-7)
np.testing.assert_allclose(1 - kept.sum(), removed[in_view], rtol=0, atol=1e-7)
np.testing.assert_allclose(text_P_masked * (1 - removed), text_P, rtol=0, atol=1e-7)
