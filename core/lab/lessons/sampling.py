"""Which token comes next? From logits to the distribution that a token is drawn from."""

# %% [markdown]
# # Which token comes next?
#
# A language model gives every token of its vocabulary one number, its *logit*. This notebook goes the way
# from the logits of the screen to the token that is drawn. It needs numpy and plotly, and no model.

# %%
import numpy as np

# %% state
# The lecture's example: probabilities 0.4, 0.3, 0.25, 0.03 and 0.02, with top-p = 0.9.
tokens = ["A", "B", "C", "D", "E"]
logits = np.log([0.4, 0.3, 0.25, 0.03, 0.02])
count = np.array([1, 1, 1, 1, 1])
T, top_k, top_p, min_p = 1.0, 0, 0.9, 0.0
tempered = logits / T
ties = True
order = ["top-p"]
u = 0.5

# %% [markdown]
# `logits` are sorted: the largest comes first. `count` says how many tokens an entry stands for, here one
# each.
#
# **Softmax** makes probabilities of logits: each becomes positive by the exponential, and then all are
# divided by their sum. To take the largest logit away first changes nothing and keeps the exponentials small.


# %%
def softmax(z):
    weights = count * np.exp(z - z.max())
    return weights / weights.sum()


def cut(z, kept):  # a token with the logit -inf has the probability 0
    return np.where(kept, z, -np.inf)


# %% [markdown]
# **The stages.** Temperature divides the logits by T; T = 0 is its limit, the largest alone. The three
# filters cut tokens, and the softmax after them renormalises what is left:
#
# - top-k keeps the k first tokens (in some engines also those that tie with the k-th),
# - top-p keeps the fewest whose probabilities reach p: a token stays if what stands before it is less than p,
# - min-p keeps a token that is at least min_p times as probable as the first.
#
# Engines run them in different orders: `order` has those that are on.


# %%
def temperature(z):
    return cut(tempered, z > -np.inf)


def keep_top_k(z):
    kept = count.cumsum() - count < top_k
    return cut(z, kept | (ties & (z == z[kept].min())))


def keep_top_p(z):
    p = softmax(z)
    before = p.cumsum() - p
    return cut(z, (before < top_p - 1e-9) | (before == 0))  # 1e-9: decimals are not exact in binary


def keep_min_p(z):
    each = softmax(z) / count
    return cut(z, each >= min_p * each[0] * (1 - 1e-9))


stages = {"temperature": temperature, "top-k": keep_top_k, "top-p": keep_top_p, "min-p": keep_min_p}
z = logits
for name in order:
    z = stages[name](z)
p = softmax(z)

for token, before, after in zip(tokens, softmax(logits), p, strict=False):
    print(f"{token:16} {before:8.4f}  -> {after:8.4f}")

# %% [markdown]
# **The draw.** One number u between 0 and 1 picks the token: the first at which the running sum of the
# probabilities exceeds u.

# %%
if u is not None:
    place = np.searchsorted(p.cumsum(), u * p.sum(), side="right")
    print(f"u = {u:.4f} draws", tokens[place] if place < len(tokens) else "one that is not listed")

# %% [markdown]
# **How open is the choice?** The entropy in bits says it; 2 to the power of it is the number of equally
# probable tokens that would be as open.

# %% notebook
import plotly.graph_objects as go

some = p[p > 0]
entropy = -np.sum(some * np.log2(some))
print(f"{entropy:.3f} bits: like choosing among {2**entropy:.1f} tokens")

figure = go.Figure(
    [
        go.Bar(name="the model", x=tokens, y=softmax(logits)[: len(tokens)], marker_color="#7F7F7F"),
        go.Bar(name="after the stages", x=tokens, y=p[: len(tokens)], marker_color="#0072B2"),
    ]
)
figure.update_layout(yaxis_title="probability", template="plotly_white")
figure

# %% [markdown]
# **The same numbers as on the screen?** This cell fails if one differs.

# %% screen
screen = [0.42105263157894735, 0.3157894736842105, 0.2631578947368421, 0.0, 0.0]
screen_kept, screen_entropy = 3, 1.557431961929588

# %% notebook
np.testing.assert_allclose(p[: len(screen)], screen, rtol=0, atol=1e-9)
assert np.isfinite(z).sum() == screen_kept
np.testing.assert_allclose(entropy, screen_entropy, rtol=0, atol=1e-9)
