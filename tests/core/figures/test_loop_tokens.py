"""The tokens of a reply: whose they are, what else they might have been, and where they stand."""

import math
from urllib.parse import parse_qs, urlsplit

import pytest

from core.figures.loop_tokens import LONGEST_LINK, sampling_address, stretches, token_panel
from core.lm import load_tokenizer
from core.messages.types import AssistantMessage, SystemMessage, ToolCall, UserMessage
from core.scenarios.embedded_run import embedded_run
from core.trace import Counting, ModelCall, Part, Segment, Step, StepKind, TokenChoice, Trace

A, B = (ToolCall(id=name, name=name, arguments="{}") for name in "ab")


def token(text: str, prob: float, *others: tuple[str, float]) -> TokenChoice:
    return TokenChoice(
        text=text,
        token_id=ord(text[0]),
        logprob=math.log(prob),
        alternatives=tuple(
            TokenChoice(text=other, token_id=ord(other[0]), logprob=math.log(share))
            for other, share in others
        ),
    )


def drawn(*texts: str) -> ModelCall:
    tokens = tuple(token(text, 0.5, (text, 0.5)) for text in texts)
    return ModelCall(reply=AssistantMessage(), tokens=tokens)


def texts(call: ModelCall, message: AssistantMessage) -> dict[int, list[str]]:
    return {owner: [chip.text for chip in s.chips] for owner, s in stretches(call, 1, message).items()}


def test_a_thought_and_two_calls_have_each_their_own_tokens():
    call = drawn("Hm.", "\n<tool_call>", "a", "</tool_call>", "\n", "<tool_call>", "b", "</tool_call>")
    message = AssistantMessage(content="Hm.", tool_calls=(A, B))
    assert texts(call, message) == {
        -1: ["Hm."],
        0: ["↵<tool_call>", "a", "</tool_call>", "↵"],
        1: ["<tool_call>", "b", "</tool_call>"],
    }


def test_an_action_written_as_text_is_a_call_from_its_label_on():
    call = drawn("Thought: hm", "\n", "Action", ": a", "\nAction Input: {}")
    message = AssistantMessage(content="hm", tool_calls=(A,))
    assert list(texts(call, message)) == [-1, 0]
    assert texts(call, message)[0] == ["Action", ":·a", "↵Action·Input:·{}"]


def test_tokens_whose_calls_cannot_be_told_apart_stay_together():
    call = drawn('{"calls": ', "[a, b]}")
    assert list(texts(call, AssistantMessage(tool_calls=(A, B)))) == [-1]


def test_a_stretch_says_where_it_begins():
    call = drawn("Hm.", "<tool_call>", "</tool_call>")
    found = stretches(call, 3, AssistantMessage(content="Hm.", tool_calls=(A,)))[0]
    assert (found.call, found.first) == (3, 1)


def run(taken: TokenChoice, answer: str = "yes") -> Trace:
    """One call of the model, whose only token is `taken`."""
    segments = (Segment(part=Part.USER, text="q", message=0, token_ids=(1, 2), tokens=2),)
    reply = AssistantMessage(content=answer)
    call = ModelCall(segments=segments, counting=Counting(method="exact"), reply=reply, tokens=(taken,))
    steps = (
        Step(kind=StepKind.USER_INPUT, turn=0, appended=UserMessage(content="q")),
        Step(kind=StepKind.MODEL_CALL, turn=1, model_call=call),
        Step(kind=StepKind.ANSWER, turn=1, appended=reply, text=answer),
    )
    return Trace(title="", source="live", steps=steps)


SECOND = token("b", 0.2, ("a", 0.5), ("b", 0.2), ("c", 0.1))


@pytest.mark.parametrize(
    ("drawing", "why", "note"),
    [
        ("greedy grammar", "the grammar took it away.", "forbidden"),
        ("grammar", "the grammar took it away, or the draw fell on another.", ""),
        ("sampled", "the draw fell on another.", ""),
        ("not told", "why it was not taken is not in this trace.", ""),
    ],
)
def test_why_the_first_choice_was_not_taken_is_said_as_far_as_it_is_known(drawing, why, note):
    panel = token_panel(run(SECOND), 1, 0, drawing, embedded=False)
    assert panel["how"] == f"The model's own first choice was a: {why}"
    assert [row["note"] for row in panel["rows"]] == [note, "taken", ""]


def test_alternatives_have_their_probabilities_and_the_rest_what_is_left():
    panel = token_panel(run(SECOND), 1, 0, "sampled", embedded=False)
    assert [(row["name"], row["label"]) for row in panel["rows"]] == [
        ("a", "50.0 %"),
        ("b", "20.0 %"),
        ("c", "10.0 %"),
    ]
    assert [row["share"] for row in panel["rows"]] == [1, pytest.approx(0.4), pytest.approx(0.2)]
    assert panel["rest"] == "all others together 20.0 %"


def test_a_token_outside_of_its_alternatives_has_a_row_of_its_own():
    panel = token_panel(run(token("z", 0.01, ("a", 0.5), ("b", 0.2))), 1, 0, "sampled", embedded=False)
    assert [(row["name"], row["note"]) for row in panel["rows"]] == [("a", ""), ("b", ""), ("z", "taken")]
    assert panel["rest"] == "all others together 29.0 %"


def test_what_a_server_did_not_tell_is_not_guessed():
    panel = token_panel(run(TokenChoice(text="a")), 1, 0, "sampled", embedded=False)
    assert panel["how"] == "What else it might have been is not in this trace."
    assert [(row["label"], row["note"]) for row in panel["rows"]] == [("not told", "taken")]
    assert panel["rest"] == ""
    assert (panel["href"], panel["note"]) == ("", "")


@pytest.mark.parametrize(("call", "position"), [(0, 0), (2, 0), (1, 1), (1, -1)])
def test_there_is_no_panel_of_a_token_that_there_is_not(call: int, position: int):
    assert token_panel(run(SECOND), call, position, "sampled", embedded=False) is None


def test_the_place_and_the_share_of_a_call_are_those_of_the_context_that_sends_it_next():
    panel = token_panel(embedded_run(), 1, 10, "greedy grammar", embedded=True)
    sent = embedded_run().calls[1].segments
    total = sum(segment.tokens for segment in sent)
    [own] = [segment.tokens for segment in sent if segment.part is Part.TOOL_CALL]
    assert (
        panel["share"] == f"{own} tokens of the next context's {total} ({100 * own / total:.1f} %): tool call"
    )
    assert [(piece["text"], piece["own"]) for piece in panel["place"]] == [
        ("<|im_start|>assistant↵<tool_call>↵", False),
        ('{"name":·"get_weathe … ":·{"city":·"Oslo"}}', True),
        ("↵</tool_call><|im_end|>↵", False),
    ]


def test_an_answer_is_sent_no_more():
    panel = token_panel(embedded_run(), 2, 0, "greedy grammar", embedded=True)
    assert panel["title"] == "token 1 of 8 · answer"
    assert panel["place"] == []
    assert panel["share"] == "No later context of this run holds this reply."


def test_the_link_leads_to_the_ids_that_the_model_had_read():
    call = embedded_run().calls[0]
    panel = token_panel(embedded_run(), 1, 10, "greedy grammar", embedded=True)
    asked = parse_qs(urlsplit(panel["href"]).query)
    read = [
        *load_tokenizer().encode(asked["prompt"][0]),
        *map(int, asked["added"][0].split(".")),
    ]
    sent = [token_id for segment in call.segments for token_id in segment.token_ids]
    assert read == [*sent, *(one.token_id for one in call.tokens[:10])]


def test_there_is_no_link_for_another_model_or_where_the_text_is_an_estimate():
    assert token_panel(embedded_run(), 1, 0, "sampled", embedded=False)["href"] == ""
    call = embedded_run().calls[0].model_copy(update={"counting": Counting(method="estimate")})
    assert sampling_address(call, 0) is None


def test_a_context_too_long_for_a_link_says_so():
    long = run(SECOND)
    text = "x" * LONGEST_LINK
    call = long.calls[0].model_copy(update={"segments": (Segment(part=Part.USER, text=text, message=0),)})
    steps = (long.steps[0], long.steps[1].model_copy(update={"model_call": call}), long.steps[2])
    panel = token_panel(Trace(title="", source="live", steps=steps), 1, 0, "sampled", embedded=True)
    assert panel["href"] == ""
    # sampling?prompt= and the text
    assert panel["note"] == f"No link to the sampling screen: it would have {LONGEST_LINK + 16:,} characters."


def test_a_system_prompt_counts_as_a_message_when_the_place_is_looked_up():
    first, reply = drawn("I", "go"), AssistantMessage(content="I go", tool_calls=(A,))
    opening = Segment(part=Part.SYSTEM, text="s", message=0, tokens=1)
    asked = Segment(part=Part.USER, text="q", message=1, tokens=1)
    said = Segment(part=Part.ASSISTANT, text="I go", message=2, tokens=2)
    steps = (
        Step(kind=StepKind.USER_INPUT, turn=0, appended=UserMessage(content="q")),
        Step(
            kind=StepKind.MODEL_CALL,
            turn=1,
            model_call=first.model_copy(update={"segments": (opening, asked)}),
        ),
        Step(kind=StepKind.THOUGHT, turn=1, appended=reply, text="I go"),
        Step(
            kind=StepKind.MODEL_CALL,
            turn=2,
            model_call=ModelCall(segments=(opening, asked, said), reply=reply),
        ),
    )
    trace = Trace(title="", source="live", system=SystemMessage(content="s").content, steps=steps)
    panel = token_panel(trace, 1, 0, "sampled", embedded=False)
    assert panel["title"] == "token 1 of 2 · thought"
    assert panel["share"] == "2 tokens of the next context's 4 (50.0 %): thought"
