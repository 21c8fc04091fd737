"""Does a draft change the text? Drafted tokens, their test, and the token after them."""

# %% [markdown]
# # Does a draft change the text?
#
# A draft proposes tokens with its distribution q; the target gives its own distribution p of all of them in
# one pass. A drafted token stays with the probability min(1, p / q). At the first one that does not, a token
# is drawn from what the target has more than the draft, max(0, p − q), normalised. So what comes out has the
# distribution p (Leviathan et al. 2023, algorithm 1). This notebook needs numpy and plotly.

# %%
import numpy as np

# %% state
# The drafted tokens with p, q and the number u of the test; None where the test was not reached.
drafted = [("B", 0.5, 0.25, 0.7), ("A", 0.2, 0.8, 0.6), ("C", 0.4, 0.4, None)]
# Where the first one failed, or behind the last: the likeliest tokens under both, and the sum of min(p, q).
tokens = ["A", "B", "C"]
p = np.array([0.2, 0.5, 0.3])
q = np.array([0.8, 0.1, 0.1])
overlap = 0.4
last_u = 0.5
# The same at the first drafted token, for the count below.
first_tokens = ["A", "B"]
first_p, first_q = np.array([0.3, 0.5]), np.array([0.6, 0.25])

# %% [markdown]
# **The test.** Where the target finds the token at least as probable as the draft, p ≥ q, it always stays.


# %%
def test(drafted):
    """How many drafted tokens stay: those before the first whose u is too large."""
    for place, (token, p, q, u) in enumerate(drafted):
        stays = u < min(1, p / q)
        print(f"{token:16} p = {p:.4f}  q = {q:.4f}  u = {u:.4f}  {'stays' if stays else 'is rejected'}")
        if not stays:
            return place
    return len(drafted)


accepted = test(drafted)

# %% [markdown]
# **The token after them.** If all stay, the same pass of the target gives one more: the bonus, drawn from p.
# Else it comes from the residual. What it is divided by is known: p sums to 1, so max(0, p − q) sums to 1 − Σ
# min(p, q).

# %%
last = p if accepted == len(drafted) else np.maximum(0, p - q) / (1 - overlap)
order = np.argsort(-last, kind="stable")
place = np.searchsorted(last[order].cumsum(), last_u, side="right")
print(f"u = {last_u:.4f} draws", tokens[order[place]] if place < len(tokens) else "one that is not listed")

# %% notebook
import plotly.graph_objects as go

figure = go.Figure(
    [
        go.Bar(name="p, the target", x=tokens, y=p, marker_color="#0072B2"),
        go.Bar(name="q, the draft", x=tokens, y=q, marker_color="#E69F00"),
        go.Bar(name="the last token", x=tokens, y=last, marker_color="#009E73"),
    ]
)
figure.update_layout(yaxis_title="probability", template="plotly_white")
figure

# %% [markdown]
# **Is it really p?** A hundred thousand drafts of the first token, with everything that is not listed as one
# more token. The frequencies of what comes out are p, whatever the draft wants.

# %% notebook
full_p, full_q = (np.clip(np.append(row, 1 - row.sum()), 0, 1) for row in (first_p, first_q))
rng, draws = np.random.default_rng(0), 100_000
draft = rng.choice(len(full_q), size=draws, p=full_q / full_q.sum())
stays = rng.random(draws) * full_q[draft] < full_p[draft]
left = np.maximum(0, full_p - full_q)
left = left / left.sum() if left.sum() > 0 else full_p
other = rng.choice(len(left), size=draws, p=left)
came = np.bincount(np.where(stays, draft, other), minlength=len(full_p)) / draws

print(f"{stays.mean():.3f} of the drafts stay; sum of min(p, q): {np.minimum(full_p, full_q).sum():.3f}")
figure = go.Figure(
    [
        go.Bar(name="p", x=[*first_tokens, "others"], y=full_p, marker_color="#0072B2"),
        go.Bar(name="came out", x=[*first_tokens, "others"], y=came, marker_color="#009E73"),
        go.Bar(name="drafted", x=[*first_tokens, "others"], y=full_q, marker_color="#E69F00"),
    ]
)
figure.update_layout(yaxis_title="frequency", template="plotly_white")
figure

# %% [markdown]
# **The same as on the screen?**

# %% screen
screen_accepted, screen_last = 1, {"B": 0.4 / 0.6, "C": 0.2 / 0.6}
rounds = [(2, 1)]  # of every round: how many were tested, and how many stayed

# %% notebook
assert accepted == screen_accepted
for token, probability in screen_last.items():
    if token in tokens:
        np.testing.assert_allclose(last[tokens.index(token)], probability, rtol=0, atol=1e-6)
np.testing.assert_allclose(came, full_p, rtol=0, atol=0.01)
tested, stayed = np.sum(rounds, axis=0)
print(f"In all rounds {stayed} of {tested} tested tokens stayed.")
