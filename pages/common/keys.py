"""The keys of every screen, as they are listed under `?`."""

STEPS = (("PageDown", "one step on"), ("PageUp", "one step back"))
ENDS = (("Home", "the first"), ("End", "the last"))
PLAYS = (
    ("P", "play, pause"),
    ("S", "one step"),
    *STEPS,
    ("B", "begin again"),
)
EVERYWHERE = (
    ("PageDown  PageUp", "in a lesson: reveal, then the next step; and back"),
    ("?", "these keys"),
    ("/", "find a statement of the lecture"),
    (".", "the next place that shows the one that was found"),
    ("Q", "the link for the class, as a QR code and in short"),
    ("L", "spotlight: all but what the pointer is at gets dark"),
    ("X", "projector mode: large type, no navigation"),
)
SCREENS: dict[str, tuple[tuple[str, str], ...]] = {
    "sampling": (
        ("D", "draw"),
        ("M", "draw a thousand"),
        ("G", "greedy"),
        ("A", "append the token"),
        ("U", "take the last token back"),
        ("B", "begin again"),
        ("← →", "on a dial: finer"),
    ),
    "generation": (*PLAYS, ("1 … 9", "a branch"), ("← →", "on a token: the one beside it")),
    "constrained": PLAYS,
    "speculative": PLAYS,
    "thought": (("1 … 4", "a view"),),
    "react": (
        *STEPS,
        *ENDS,
        ("P", "live: pause, go on"),
        ("S", "live: stop"),
        ("T", "its trajectory, and back"),
        ("Esc", "close the token"),
    ),
    "compare": (*STEPS, *ENDS),
    "tools": (("1 … 6", "a view"), *STEPS),
    "exercises": (
        ("K", "check; in a field Enter, in a large one Ctrl+Enter"),
        ("N", "other figures"),
        ("H", "a hint"),
        ("W", "the worked solution"),
    ),
    "messages": (
        ("1 … 4", "a view"),
        *STEPS,
        *ENDS,
        ("E", "edit"),
        ("Del", "remove"),
        ("U  A  K  O", "add user, answer, call, result"),
        ("J", "the next provider"),
        ("T", "the next template"),
        ("N", "a call identifier of nine letters, where the template wants one"),
    ),
    "context": (
        *STEPS,
        *ENDS,
        ("0 … 9", "a part"),
        ("↑ ↓", "the part beside it"),
        ("S", "the next strategy"),
    ),
}
"""The keys of each screen, by the last part of its address, in the order in which one needs them."""
