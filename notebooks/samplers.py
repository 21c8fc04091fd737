"""The samplers from scratch, and swept on the embedded model: see scripts/make_notebooks.py."""

# %% [markdown]
# # The samplers, from scratch
#
# From the logits of a model to a token: softmax, greedy, the categorical draw, temperature, top-k, top-p,
# min-p. First on five numbers that you can check by hand, then on the logits of a real model, a small one.
#
# You need numpy and plotly, and for the model Loopscope's package `core`: take the Python of its `.venv` as
# the kernel (`pip install ipykernel` there makes it one), and leave this notebook in its folder. The model is
# installed by `python -m core.lm.install`.

# %%
import sys
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

sys.path.insert(0, "..")  # Loopscope's folder

# %% [markdown]
# ## Softmax
#
# $$P(i) = \frac{e^{z_i}}{\sum_j e^{z_j}}$$
#
# Every entry is positive, and together they are 1. To take the largest logit away first changes nothing, for
# it cancels, and keeps the exponentials from overflowing.


# %%
def softmax(z):
    weights = np.exp(z - np.max(z))
    return weights / weights.sum()


z = np.array([2.0, 1.0, 0.5, -1.0])
print(softmax(z).round(4), "sum", softmax(z).sum())
assert np.allclose(softmax(z), softmax(z + 100))

# %% [markdown]
# ## Two ways to choose
#
# **Greedy** takes the largest. A **draw** takes token i with the probability P(i): a number u between 0 and 1
# picks the first token at which the running sum of the probabilities exceeds it.


# %%
def greedy(z):
    return int(np.argmax(z))


def draw(p, u):
    order = np.argsort(-p, kind="stable")  # by falling probability, as in Loopscope
    return int(order[np.searchsorted(p[order].cumsum(), u * p.sum(), side="right")])


p = softmax(z)
rng = np.random.default_rng(7)
counts = np.bincount([draw(p, u) for u in rng.random(20_000)], minlength=len(p))
print("greedy:", greedy(z), "  drawn:", counts / counts.sum(), "  P:", p.round(4))
assert np.abs(counts / counts.sum() - p).max() < 0.015

# %% [markdown]
# ## Temperature
#
# $$P_T(i) = \frac{e^{z_i/T}}{\sum_j e^{z_j/T}}$$
#
# T below 1 makes the distribution more peaked, T above 1 flatter. At T = 0 the formula cannot be evaluated:
# one divides by zero. So libraries take the largest logit there.


# %%
def at_temperature(z, T):
    if T == 0:
        return np.where(np.arange(len(z)) == np.argmax(z), 0.0, -np.inf)
    return z / T


for T in (0, 0.5, 1, 2, 100):
    print(f"T = {T:<5}", softmax(at_temperature(z, T)).round(4))

# %% [markdown]
# ## Top-k, top-p, min-p
#
# All three cut tokens and renormalise the rest. A cut token has the logit −∞: then the softmax gives it 0 and
# divides by what is left.
#
# - **top-k** keeps the k most probable, whatever the shape.
# - **top-p** keeps the fewest tokens whose probabilities reach p.
# - **min-p** keeps what is at least min_p times as probable as the first.


# %%
def cut(z, kept):
    return np.where(kept, z, -np.inf)


def top_k(z, k):
    rank = np.argsort(np.argsort(-z, kind="stable"))
    return cut(z, rank < k)


def top_p(z, p):
    probs = softmax(z)
    order = np.argsort(-probs, kind="stable")
    before = np.empty(len(z))
    before[order] = np.cumsum(probs[order]) - probs[order]  # the mass of what is more probable
    return cut(z, (before < p - 1e-9) | (before == 0))  # 1e-9: decimals are not exact in binary


def min_p(z, least):
    probs = softmax(z)
    return cut(z, probs >= least * probs.max() * (1 - 1e-9))


lecture = np.log([0.4, 0.3, 0.25, 0.03, 0.02])
print("top-k = 2   ", softmax(top_k(lecture, 2)).round(2))
print("top-p = 0.9 ", softmax(top_p(lecture, 0.9)).round(2))
print("min-p = 0.1 ", softmax(min_p(lecture, 0.1)).round(2))
assert np.allclose(softmax(top_k(lecture, 2)), [4 / 7, 3 / 7, 0, 0, 0])
assert np.allclose(softmax(top_p(lecture, 0.9)), np.array([40, 30, 25, 0, 0]) / 95)

# %% [markdown]
# ## On a real model
#
# SmolLM2 has 49,152 tokens and 135 million parameters. Here are its logits after a prompt.

# %%
from core.lm import embedded

model = embedded()
tokenizer = model.tokenizer


def logits_after(text):
    return np.array(model.next_logits(model.start(tokenizer.encode(text))), dtype=float)


peaked, flat = logits_after("The capital of France is"), logits_after("My favourite thing is")
for z in (peaked, flat):
    order = np.argsort(-z)[:5]
    print([(tokenizer.decode([int(i)]), round(float(softmax(z)[i]), 3)) for i in order])

# %% [markdown]
# **Sweep the temperature.** The entropy in bits says how open the choice is; 2 to the power of it is the
# number of equally probable tokens that would be as open. At T → ∞ it comes to log₂ 49,152 = 15.6 bits.


# %%
def entropy(p):
    p = p[p > 0]
    return float(-np.sum(p * np.log2(p)))


temperatures = np.linspace(0.1, 4, 40)
figure = go.Figure()
for name, z in (("peaked", peaked), ("flat", flat)):
    swept = [entropy(softmax(z / T)) for T in temperatures]
    assert all(low <= high + 1e-9 for low, high in pairwise(swept))  # it only grows
    figure.add_scatter(x=temperatures, y=swept, name=name)
figure.update_layout(xaxis_title="T", yaxis_title="entropy in bits", template="plotly_white")
figure

# %% [markdown]
# **Sweep top-p.** The same p keeps a handful of tokens on the peaked distribution and many on the flat one.
# Top-k would keep the same number on both.

# %%
ps = np.linspace(0.05, 0.99, 40)
figure = go.Figure()
for name, z in (("peaked", peaked), ("flat", flat)):
    kept = [int(np.isfinite(top_p(z, p)).sum()) for p in ps]
    figure.add_scatter(x=ps, y=kept, name=name)
figure.update_layout(xaxis_title="p", yaxis_title="tokens kept", yaxis_type="log", template="plotly_white")
figure

# %% [markdown]
# ## In which order?
#
# Temperature first or last: the filters then see another distribution, and keep other tokens. transformers
# and vLLM begin with the temperature, llama.cpp and Ollama end with it.

# %%
T, p = 1.8, 0.9
first = top_p(flat / T, p)
last = cut(flat, np.isfinite(top_p(flat, p))) / T
print("temperature first keeps", np.isfinite(first).sum(), "tokens; last keeps", np.isfinite(last).sum())

# %% [markdown]
# The same by Loopscope's own samplers, which are tested against those engines:

# %%
from core.sampling import SamplerSettings, distribution

for engine, ours in (("transformers", first), ("llama.cpp", last)):
    theirs = distribution(flat, SamplerSettings(temperature=T, top_p=p, engine=engine))
    np.testing.assert_allclose(softmax(ours), theirs.probs, rtol=0, atol=1e-9)
print("equal")

# %% [markdown]
# ## A text
#
# Generation is one draw after another: append the token, read again. The seed fixes the numbers u, so the
# same seed gives the same text, and at another temperature the same numbers meet other distributions.


# %%
def generate(prompt, T, p, seed, length):
    ids = model.start(tokenizer.encode(prompt))
    start = len(ids)
    for u in np.random.default_rng(seed).random(length):
        z = np.array(model.next_logits(ids), dtype=float)
        ids.append(draw(softmax(top_p(at_temperature(z, T), p)), u))
        if ids[-1] in tokenizer.end_ids:
            break
    return tokenizer.decode(ids[start:])


for T in (0, 0.7, 1.5):
    print(f"T = {T}: {generate('The weather today is', T, 0.95, seed=3, length=6)!r}")

# %% [markdown]
# ## Try it
#
# 1. For which T does "peaked" have the entropy that "flat" has at T = 1?
# 2. Draw 1,000 tokens of "flat" at T = 1 and count how many come from beyond the first hundred. What does
#    top-p = 0.9 do to them?
# 3. Write top-k so that it keeps all that tie with the k-th, as transformers does.
