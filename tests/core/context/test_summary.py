"""Summaries that a model writes, in the place of what a compaction takes away.

Counted by hand as in `test_what_if`: a ChatML message has five tokens beside its content, a call of `f` and
its result of ten words 30 + 24, the opening of the answer three.
"""

import pytest

from core.context import Strategy, Supposition, TokenCounter
from core.context.summary import LONGEST, Summary, summarise, transcript
from core.context.what_if import Replay
from core.errors import InputError
from core.lm.chat import Piece, Reply
from core.messages import AssistantMessage, SystemMessage, ToolCall, ToolResultMessage, UserMessage
from core.trace import ModelCall, Step, StepKind, Trace
from tests.core.context.toy import ToyTokenizer

OK = AssistantMessage(content="ok")
CALL = AssistantMessage(content="I look.", tool_calls=(ToolCall(id="t1", name="f", arguments="{}"),))
RESULT = ToolResultMessage(tool_call_id="t1", content="a b c d e f g h i j")


class Writer:
    """Streams some pieces, and notes what it was asked and whether somebody left."""

    name, window = "writer", None

    def __init__(self, *pieces):
        self._pieces = pieces
        self.asked, self.left = [], False

    def reply(self, messages, tools):  # noqa: ARG002
        raise AssertionError("it streams")

    def stream(self, messages, tools):
        self.asked.append((messages, tools))
        try:
            for text in self._pieces:
                yield Piece(text=text)
        except GeneratorExit:
            self.left = True
            raise
        return Reply(message=AssistantMessage(content="".join(self._pieces)))


def written(model, of="User: c"):
    """What is told on the way, and the summary."""
    writing, told = summarise(model, of), []
    while True:
        try:
            told.append(next(writing))
        except StopIteration as end:
            return told, end.value


def run_of(*messages):
    """A run that makes a call for each assistant message."""
    steps = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            steps.append(Step(kind=StepKind.MODEL_CALL, turn=1, model_call=ModelCall(reply=message)))
        steps.append(Step(kind=StepKind.OBSERVATION, turn=1, appended=message))
    return Trace(title="t", source="imported", system="a b", steps=tuple(steps))


def calls_of_f(count):
    """So many calls without a thought, each with its result."""
    for number in range(count):
        id_ = f"t{number}"
        yield AssistantMessage(tool_calls=(ToolCall(id=id_, name="f", arguments="{}"),))
        yield ToolResultMessage(tool_call_id=id_, content=RESULT.content)


def compacted(run, summaries, window, keep_last=2):
    chosen = Supposition.of(
        window=window, strategy=Strategy.COMPACT, threshold=100, keep_last=keep_last, summary="s"
    )
    return Replay(run, TokenCounter(ToyTokenizer())).suppose(chosen, summaries)


def test_a_transcript_has_a_line_for_each_message_and_each_call():
    messages = (SystemMessage(content="a"), UserMessage(content="b"), CALL, RESULT, OK)
    assert transcript(messages) == (
        "System: a\nUser: b\nAgent: I look.\nAgent calls f: {}\nResult: a b c d e f g h i j\nAgent: ok"
    )


def test_a_model_is_given_the_transcript_and_what_it_writes_is_told_as_it_comes():
    model = Writer("It was ", "cold.")
    told, summary = written(model)
    assert told == ["It was ", "It was cold."]
    assert summary == Summary(text="Summary of the conversation so far: It was cold.", by="writer")
    ((messages, tools),) = model.asked
    assert "User: c" in messages[-1].content
    assert tools == ()


def test_a_model_that_writes_on_is_stopped():
    model = Writer(*["x" * 500] * 9)
    _, summary = written(model)
    assert summary.text.count("x") == LONGEST
    assert model.left


def test_who_leaves_stops_the_model():
    model = Writer("a", "b")
    writing = summarise(model, "User: c")
    next(writing)
    writing.close()
    assert model.left


def test_a_model_that_writes_nothing_is_named():
    with pytest.raises(InputError, match="writer wrote no summary"):
        written(Writer(" ", "\n"))


def test_the_summary_of_a_model_stands_for_what_gave_way_and_is_counted():
    """Of 7 + 6 + 54 + 54 + 6 + 3 tokens the two first blocks give way to five and three words."""
    run = run_of(UserMessage(content="c"), *calls_of_f(2), UserMessage(content="h"), OK)
    made = compacted(run, lambda _: Summary(text="s t u", by="writer"), window=100, keep_last=1)
    last = made.outcomes[-1]
    assert (last.whole, last.total) == (7 + 6 + 54 + 54 + 6 + 3, 7 + 8 + 6 + 3)
    summary = next(segment for segment in made.calls[-1].segments if segment.label == "summary")
    assert (summary.text, summary.tokens, summary.message) == ("s t u", 3, None)
    (compaction,) = made.compactions
    assert (compaction.call, compaction.summary.by) == (3, "writer")
    assert compaction.gave_way.startswith("User: c\nAgent calls f: {}\nResult: a b")


def test_a_later_compaction_is_asked_to_keep_what_the_earlier_one_kept():
    run = run_of(UserMessage(content="c"), *calls_of_f(5), OK)
    asked = []

    def summaries(gave_way):
        asked.append(gave_way)
        return Summary(text=f"kept {len(asked)}", by="writer")

    made = compacted(run, summaries, window=140)
    assert asked[1].startswith("User: kept 1\nAgent calls f")
    assert [one.summary.text for one in made.compactions] == ["kept 1", "kept 2"]


def test_where_a_summary_is_not_written_that_of_the_supposition_stands():
    run = run_of(UserMessage(content="c"), *calls_of_f(3), OK)
    (compaction,) = compacted(run, lambda _: None, window=140).compactions
    assert compaction.summary == Summary(text="s")


def test_a_summary_that_is_too_long_is_not_summarised_again_by_itself():
    """The window holds the last block and the question, and not the summary beside them."""
    run = run_of(UserMessage(content="c"), *calls_of_f(3), OK)
    asked = []

    def summaries(gave_way):
        asked.append(gave_way)
        return Summary(text="s " * 99, by="writer")

    made = compacted(run, summaries, window=140)
    assert not any(of.count("\n") == 0 for of in asked)
    assert made.outcomes[-1].overflow > 0
