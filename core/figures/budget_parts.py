"""What each part of a context is, in a line, and which parts are the history."""

from collections.abc import Mapping

from core.trace import Part

HISTORY = frozenset({Part.SYSTEM, Part.USER, Part.ASSISTANT, Part.TOOL_CALL, Part.TOOL_RESULT})
"""What the loop keeps between calls; everything else is added anew to each."""

ABOUT: Mapping[Part, str] = {
    Part.SYSTEM: (
        "In the history, its first message, in every call: standing instructions. With the tool schemas it "
        "is c₀. The same rule for instructions: an agent need not hold them all. A skill is a directory, of "
        "which a line stands here until a task matches it, and then its instructions."
    ),
    Part.TOOLS: (
        "Not in the history: the runtime inserts the advertised tools at every call. All parts share the "
        "window: what tools and documents take, the history has not, and the reverse."
    ),
    Part.USER: "In the history, the messages that the loop stores between calls: what the user says.",
    Part.ASSISTANT: "In the history: what the model writes, thoughts and answers.",
    Part.TOOL_CALL: "In the history: what the model requests, in the assistant's turn.",
    Part.TOOL_RESULT: (
        "In the history, which the loop keeps: the system prompt, all turns so far, their calls, and what "
        "tools return. Once used it may go, but never without its call."
    ),
    Part.RETRIEVED: (
        "Not in the history: passages that fit the question, by retrieval-augmented generation (RAG). They "
        "are found by the words they share with it (BM25); elsewhere by the similarity of embeddings, "
        "vectors that stand for meaning. Index first, load on demand: so do skills and tool schemas."
    ),
    Part.MEMORY: (
        "Not in the history: facts of long-term memory that fit the question, found as documents are."
    ),
    Part.TEMPLATE: "What the chat template writes around the messages: it makes one text of them.",
}


def sum_of(parts: Mapping[Part, int]) -> str:
    """A context as the lecture adds it up: the history, and what the runtime adds to it at this call.

    Args:
        parts: the tokens of each part.
    """
    history = sum(tokens for part, tokens in parts.items() if part in HISTORY)
    added = [f"{part.value} {parts[part]:,}" for part in Part if part not in HISTORY and parts.get(part)]
    adds = f" + what the runtime adds: {' + '.join(added)}" if added else ""
    return f"history {history:,}{adds}"
