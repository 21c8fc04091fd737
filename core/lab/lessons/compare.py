"""Where do two runs part? Two rows of steps, aligned."""

# %% [markdown]
# # Where do two runs part?
#
# Two runs are two rows of steps: what kind each is, and what it did. What both begin with is the same; where
# they part is the first step that differs. Behind it, what both have in common is found as in `diff`.

# %%
from difflib import SequenceMatcher

# %% state
left = [("user input", "2 + 2?"), ("model call", "4"), ("answer", "4")]
right = [("user input", "2 + 2?"), ("model call", "calculate"), ("tool call", "2 + 2"), ("answer", "4")]
sums = {"left": {"model calls": 1, "tool calls": 0}, "right": {"model calls": 1, "tool calls": 1}}

# %% [markdown]
# **Align.** First by what the steps did. What is left in a gap is paired by its kind alone: both called the
# model, say, and got different replies.


# %%
def blocks(left, right, lefts, rights):
    """Stretches of both rows, and whether they are equal."""
    matcher = SequenceMatcher(None, [left[n] for n in lefts], [right[n] for n in rights], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        yield tag == "equal", lefts[a:b], rights[c:d]


def align(left, right):
    """Pairs (step of the left, step of the right, whether they did the same); None where there is none."""
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    pairs = [(n, n, True) for n in range(start)]
    kinds = [kind for kind, _ in left], [kind for kind, _ in right]
    for same, ones, others in blocks(left, right, range(start, len(left)), range(start, len(right))):
        if same:
            pairs += [(one, other, True) for one, other in zip(ones, others, strict=True)]
            continue
        for paired, some, more in blocks(*kinds, ones, others):
            if paired:
                pairs += [(one, other, False) for one, other in zip(some, more, strict=True)]
            else:
                pairs += [(one, None, False) for one in some] + [(None, other, False) for other in more]
    return pairs


pairs = align(left, right)
parted = next((n for n, (_, _, same) in enumerate(pairs) if not same), None)
print("They part at row", parted + 1 if parted is not None else "none: both do the same")
for one, other, same in pairs:
    print(*("=" if same else "≠", left[one][0] if one is not None else "—", "|"), end=" ")
    print(right[other][0] if other is not None else "—")
print(sums)

# %% notebook
import plotly.graph_objects as go

marks = [
    (row, side, run[index][0], same)
    for row, (one, other, same) in enumerate(pairs, start=1)
    for side, run, index in (("left", left, one), ("right", right, other))
    if index is not None
]
figure = go.Figure(
    go.Scatter(
        x=[row for row, *_ in marks],
        y=[side for _, side, _, _ in marks],
        text=[kind for *_, kind, _ in marks],
        mode="markers",
        marker={
            "size": 14,
            "symbol": ["square" if same else "diamond" for *_, same in marks],
            "color": ["#7F7F7F" if same else "#D55E00" for *_, same in marks],
        },
    )
)
figure.update_layout(xaxis_title="row", template="plotly_white")
figure

# %% [markdown]
# **The same as on the screen?** And what both runs cost is counted from their steps.

# %% screen
screen = [(0, 0, True), (1, 1, False), (None, 2, False), (2, 3, True)]
screen_parted = 1

# %% notebook
assert pairs == screen
assert parted == screen_parted
for side, run in (("left", left), ("right", right)):
    for kind, number in (("model call", "model calls"), ("tool call", "tool calls")):
        assert sum(one == kind for one, _ in run) == sums[side][number]
