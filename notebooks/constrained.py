"""A constrained decoder from scratch, on the embedded model: see scripts/make_notebooks.py."""

# %% [markdown]
# # A constrained decoder, from scratch
#
# A prompt that asks for a format raises its probability. A *mask* enforces it: at each step, the tokens that
# lead out of the grammar get the probability 0, and the rest is renormalised. So the finished text is sure to
# fit.
#
# Here you build the three parts: an automaton that says what may come next, the mask over the tokens of a
# real model, and the decoder.
#
# You need numpy and plotly, and for the model Loopscope's package `core`: take the Python of its `.venv` as
# the kernel (`pip install ipykernel` there makes it one), and leave this notebook in its folder. The model is
# installed by `python -m core.lm.install`.

# %%
import sys
from collections import defaultdict
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

sys.path.insert(0, "..")  # Loopscope's folder

# %% [markdown]
# ## The automaton
#
# A regular expression is a value: a set of characters, one expression after another, one or another, or one
# many times. Its *derivative* by a character is the expression for what may follow that character (Brzozowski
# 1964). So the state of the automaton is itself an expression, and a step is a derivative:
#
# - `NEVER` fits nothing: the text has left the grammar,
# - an expression is *done* if the empty text fits it: the text may end here.

# %%
NEVER, EMPTY = ("never",), ("empty",)


def chars(characters):
    return ("chars", frozenset(characters))


def then(*parts):
    """One after another."""
    whole = EMPTY
    for part in reversed(parts):
        if NEVER in (part, whole):
            return NEVER
        whole = part if whole == EMPTY else whole if part == EMPTY else ("then", part, whole)
    return whole


def either(*ways):
    left = sorted({way for way in ways if way != NEVER}, key=repr)
    return NEVER if not left else left[0] if len(left) == 1 else ("either", *left)


def many(part):
    """None, one or more."""
    return ("many", part)


def text(string):
    return then(*map(chars, string))


@lru_cache(None)
def done(state):
    kind, *parts = state
    if kind == "then":
        return all(map(done, parts))
    if kind == "either":
        return any(map(done, parts))
    return kind in ("empty", "many")


@lru_cache(None)
def after(state, character):
    """The derivative: what may follow."""
    kind, *parts = state
    if kind == "chars":
        return EMPTY if character in parts[0] else NEVER
    if kind == "then":
        first, rest = parts
        step = then(after(first, character), rest)
        return either(step, after(rest, character)) if done(first) else step
    if kind == "either":
        return either(*(after(way, character) for way in parts))
    if kind == "many":
        return then(after(parts[0], character), state)
    return NEVER


def follow(state, string):
    for character in string:
        state = after(state, character)
        if state == NEVER:
            break
    return state


digit = chars("0123456789")
date = then(digit, digit, digit, digit, text("-"), digit, digit, text("-"), digit, digit)
for string in ("2026-11-30", "2026-11", "30.11.2026"):
    state = follow(date, string)
    print(
        f"{string:12}", "fits" if done(state) else "may go on" if state != NEVER else "has left the grammar"
    )

# %% [markdown]
# ## The mask
#
# The model does not write characters, it writes tokens: `20`, `-`, ` the`. A token is allowed if *all* its
# characters lead from the state to a state that is not `NEVER`. The end token is allowed if the text may end.
# The same state always has the same mask, so each is computed once.

# %%
from core.lm import embedded

model = embedded()
tokenizer = model.tokenizer
END = sorted(tokenizer.end_ids)
TOKENS = []
for token_id in range(tokenizer.vocab_size):
    special = tokenizer.is_special(token_id)
    try:
        TOKENS.append("" if special else tokenizer.token_bytes(token_id).decode())
    except UnicodeDecodeError:  # a part of a character: never in these grammars
        TOKENS.append("")


BEGIN = defaultdict(list)  # tokens by their first character
for token_id, token in enumerate(TOKENS):
    if token:
        BEGIN[token[0]].append(token_id)


@lru_cache(None)
def mask(state):
    allowed = np.zeros(len(TOKENS), dtype=bool)
    for character, token_ids in BEGIN.items():
        if after(state, character) != NEVER:  # else none of them need be looked at
            allowed[token_ids] = [follow(state, TOKENS[token_id]) != NEVER for token_id in token_ids]
    allowed[END] = done(state)
    return allowed


allowed = np.flatnonzero(mask(date))
print(f"{len(allowed)} of {len(TOKENS):,} tokens may begin a date:", [TOKENS[i] for i in allowed])

# %% [markdown]
# ## The decoder
#
# $$P'(i) = \frac{\mathbb{1}[i \in A(s)]\,P(i)}{\sum_{j \in A(s)} P(j)}$$


# %%
def softmax(z):
    weights = np.exp(z - np.max(z))
    return weights / weights.sum()


def masked(p, allowed):
    """P′, and how much of P the mask removes."""
    kept = np.where(allowed, p, 0)
    return kept / kept.sum(), 1 - kept.sum()


def draw(p, u):
    order = np.argsort(-p, kind="stable")
    return int(order[np.searchsorted(p[order].cumsum(), u * p.sum(), side="right")])


def decode(prompt, grammar, seed, longest=30):
    """A text that fits the grammar: its tokens, the states before each, and what the mask removed."""
    ids, state, written, states, removed = model.start(tokenizer.encode(prompt)), grammar, [], [], []
    for u in np.random.default_rng(seed).random(longest):
        p, cut = masked(softmax(np.array(model.next_logits(ids), dtype=float)), mask(state))
        token = draw(p, u)
        states.append(state)
        removed.append(cut)
        if token in END:
            break
        ids.append(token)
        written.append(token)
        state = follow(state, TOKENS[token])
        if mask(state).sum() == len(END) and done(state):  # nothing but the end may come
            break
    return written, states, removed, state


prompt = "The first human landed on the Moon on "
day, _, removed_day, state = decode(prompt, date, seed=1)
print(repr(tokenizer.decode(day)), "fits" if done(state) else "is cut off")
assert done(state)

# %% [markdown]
# The form is sure, the meaning is not: the date need not be the right one. A mask cannot tell a model what it
# does not know.

# %%
figure = go.Figure(
    go.Bar(x=[f"{n}: {TOKENS[t]}" for n, t in enumerate(day, start=1)], y=removed_day[: len(day)])
)
figure.update_layout(
    xaxis_title="token", yaxis_title="probability that the mask removes", template="plotly_white"
)
figure

# %% [markdown]
# ## A tool call
#
# The arguments of a tool are JSON that conforms to a schema. With two fields and an enum, that is a regular
# language too. (Brackets within brackets to any depth are not: they need a stack, and so a context-free
# grammar.) An example in the prompt makes the model want the format by itself: the mask then does little.

# %%
letter = chars("abcdefghijklmnopqrstuvwxyz")
word = then(chars("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), letter, letter, many(letter))
call = then(text('{"city": "'), word, text('", "unit": "'), either(text("C"), text("F")), text('"}'))
example = 'Weather in Oslo, in Celsius: {"city": "Oslo", "unit": "C"}\n'
question = "Weather in Paris, in Fahrenheit: "
written, states, removed, state = decode(example + question, call, seed=2)
print(tokenizer.decode(written))
print(f"{sum(cut < 0.01 for cut in removed)} of {len(removed)} tokens lose less than one percent to the mask")

# %% [markdown]
# ## Is the mask right?
#
# Loopscope uses the library llguidance. For the same grammar, written as a regular expression, it must allow
# the same tokens in every state that the text went through.

# %%
from core.decoding.constrained_grammar import constraint
from core.decoding.constrained_matcher import Matcher

expression = r'\{"city": "[A-Z][a-z]{2,}", "unit": "(C|F)"\}'
matcher = Matcher(constraint("regex", expression), tokenizer)
for token, state in zip(written, states, strict=False):
    assert np.array_equal(matcher.allowed().mask, mask(state)), state
    matcher.take(token)
print("the same", len(written), "masks")

# %% [markdown]
# ## Asked, or held?
#
# The prompt asks for a date; nothing holds the model. How much of its probability leads out of the grammar,
# token by token, along the text that the mask wrote? Asking makes the bars lower, and only the mask makes
# them 0.

# %%
asked, _, removed_asked, _ = decode("Answer with a date like 2026-11-30. " + prompt, date, seed=1)
figure = go.Figure()
for name, tokens, cuts in (("not asked", day, removed_day), ("asked", asked, removed_asked)):
    figure.add_bar(name=name, x=np.arange(1, len(tokens) + 1), y=cuts[: len(tokens)])
figure.update_layout(
    barmode="group", xaxis_title="token", yaxis_title="probability outside", template="plotly_white"
)
figure

# %% [markdown]
# ## Try it
#
# 1. Allow a month from 01 to 12 only. How many states more does that make?
# 2. Without the rule "all characters of a token", which tokens would be allowed at the start of a date, and
#    what would go wrong?
# 3. What happens if the grammar allows an endless text, such as `many(digit)`, and the model never draws the
#    end?
