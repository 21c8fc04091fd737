"""ReAct as text: both dialects, what models make of them, and where a reply is cut."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.react_text import (
    Action,
    Finish,
    Malformed,
    Observation,
    Thought,
    observation_at,
    parse_react,
    stop_and_parse,
)
from core.errors import InputError


def acted(text: str) -> tuple[str, str]:
    [action] = parse_react(text)
    assert isinstance(action, Action)
    return action.name, action.input


def test_an_episode_of_the_numbered_dialect():
    text = (
        "Question: How high is it?\n"
        "Thought 1: I search the hill.\nAction 1: Search[High Plains]\nObservation 1: It has\ntwo regions.\n"
        "Thought 2: So I know.\nAction 2: Finish[1,800 to 7,000 ft]\n"
    )

    assert parse_react(text) == [
        Thought(text="I search the hill."),
        Action(name="Search", input="High Plains"),
        Observation(text="It has\ntwo regions."),
        Thought(text="So I know."),
        Finish(answer="1,800 to 7,000 ft"),
    ]


def test_an_episode_of_the_labelled_dialect():
    text = (
        'Thought: I look it up.\nAction: search\nAction Input: {"q": "Oslo"}\nObservation: 5°C\n'
        "Thought: That is cold.\nFinal Answer: Cold,\nat 5°C."
    )

    assert parse_react(text) == [
        Thought(text="I look it up."),
        Action(name="search", input='{"q": "Oslo"}'),
        Observation(text="5°C"),
        Thought(text="That is cold."),
        Finish(answer="Cold,\nat 5°C."),
    ]


def test_a_few_shot_prompt_holds_several_episodes():
    episode = "Claim: Water is wet.\nThought 1: Clear.\nAction 1: Finish[SUPPORTS]\n\n"

    assert parse_react("Judge the claims.\n" + 2 * episode) == 2 * [
        Thought(text="Clear."),
        Finish(answer="SUPPORTS"),
    ]


def test_an_answer_can_stand_without_the_label_of_an_action():
    assert parse_react("Thought 3: Done.\nFinish[Oslo]") == [Thought(text="Done."), Finish(answer="Oslo")]


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("Finish[[1, 2] and [3]]", "[1, 2] and [3]"),
        ("Finish[the half-open [0, 1)]", "the half-open [0, 1)"),
        ("Finish[smile :] ok]", "smile :] ok"),
        ("Finish[Oslo\nand Rome]", "Oslo\nand Rome"),
        ("Finish[Oslo].", "Oslo"),
        ("Finish[]", ""),
        ("finish[yes]", "yes"),
    ],
)
def test_an_answer_may_hold_brackets_and_lines(written, answer):
    [finish] = parse_react(f"Action 1: {written}")

    assert (type(finish), finish.answer) == (Finish, answer)


def test_what_follows_a_closed_bracket_is_ignored_and_kept():
    assert parse_react("Action 1: Search[a] and then Lookup[b]") == [
        Action(name="Search", input="a", ignored="and then Lookup[b]")
    ]


def test_an_answer_beside_an_action_is_made_up_and_counts_for_nothing():
    text = "Thought: I will look it up.\nAction: search\nAction Input: capital of Norway\nFinal Answer: Oslo"

    assert parse_react(text) == [
        Thought(text="I will look it up."),
        Action(name="search", input="capital of Norway", ignored="Final Answer: Oslo"),
    ]


def test_of_several_actions_the_first_counts_with_its_own_input():
    assert parse_react("Action: a\nAction Input: 1\nAction: b\nAction Input: 2") == [
        Action(name="a", input="1", ignored="Action: b\nAction Input: 2")
    ]


def test_labels_inside_a_code_fence_are_text():
    text = "Thought: the format is\n```\nAction: demo\nAction Input: x\n```\nAction: real\nAction Input: y"

    assert parse_react(text) == [
        Thought(text="the format is\n```\nAction: demo\nAction Input: x\n```"),
        Action(name="real", input="y"),
    ]


def test_a_fence_that_is_never_closed_hides_no_label():
    assert parse_react("Thought: ```\nAction: a\nAction Input: 1")[1] == Action(name="a", input="1")


def test_an_action_input_can_be_fenced():
    assert acted('Action: a\nAction Input:\n```json\n{"x": 1}\n```') == ("a", '{"x": 1}')


def test_a_label_counts_only_at_the_start_of_a_line():
    text = "Thought: The Observation: label means tool output.\nAction: length\nAction Input: abc"

    assert parse_react(text) == [
        Thought(text="The Observation: label means tool output."),
        Action(name="length", input="abc"),
    ]


def test_the_first_letters_of_a_stop_sequence_are_no_input():
    assert acted("Action: length\nAction Input: 'abc'\nObserv") == ("length", "'abc'")


def test_an_input_of_one_line_is_kept_though_a_label_begins_like_it():
    assert acted("Action: grade\nAction Input: A") == ("grade", "A")


def test_a_json_input_ends_where_its_object_ends():
    text = 'Action: write\nAction Input: {\n  "f": {"a": 1},\n  "s": "x } y",\n  "t": "Action: no"\n}\nthanks'

    [action] = parse_react(text)

    assert json.loads(action.input) == {"f": {"a": 1}, "s": "x } y", "t": "Action: no"}
    assert action.ignored == "thanks"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Action: search\nI will look this up\nAction Input: x", "search"),
        ("Action: Use search\nAction Input: x", "Use search"),
        ("Action: [search]\nAction Input: x", "[search]"),
        ("Action: **search** \nAction Input: x", "search"),
        ("Action:search\nAction Input:x", "search"),
        ("Action:\nsearch\nAction Input: x", "search"),
    ],
)
def test_the_name_is_the_first_line_without_asterisks(text, name):
    assert acted(text) == (name, "x")


@pytest.mark.parametrize(
    "text",
    [
        'action: add\naction input: {"a": 2}',
        'Action 1: add\nAction Input 1: {"a": 2}',
        '**Action:** add\n**Action Input:** {"a": 2}',
        '**Action**: add\n**Action Input**: {"a": 2}',
        '### Action: add\n### Action Input: {"a": 2}',
        'Action: add\nInput: {"a": 2}',
        '  Action : add\r\n  Action Input : {"a": 2}\r\n',
    ],
)
def test_variants_of_the_labels(text):
    assert acted(text) == ("add", '{"a": 2}')


@pytest.mark.parametrize("written", ["{'a': 2}", '{"on": True}', '{"a": 1'])
def test_an_input_that_is_no_json_is_left_to_the_check_of_the_call(written):
    assert acted(f"Action: set\nAction Input: {written}") == ("set", written)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Thought: I know this.\nAction: None", "`Action: None` has no `Action Input:`."),
        ("The answer is 65.", "The reply has no `Thought:`, no `Action:` and no `Final Answer:`."),
        ("Thought: I should search.", "The reply has no action and no answer."),
        ("", "The reply is empty."),
        ("Action: search", "`Action: search` has no `Action Input:`."),
        ('Action: search("x")', '`Action: search("x")` has no `Action Input:`.'),
        ("Action:\nAction Input: x", "`Action:` names no tool."),
        ("Action 1: Search[x", "The bracket of `Action 1: Search[x` is not closed."),
        ("Action Input: x", "There is an `Action Input:` without an `Action:` above it."),
        ("Final Answer:", "There is nothing after `Final Answer:`."),
        ("Thought: a\nObservation: made up", "The reply has no action and no answer."),
    ],
)
def test_a_turn_that_neither_acts_nor_answers_is_told_with_the_expected_form(text, problem):
    [fault] = [item for item in parse_react(text) if isinstance(item, Malformed)]

    assert fault.problem.startswith(f"{problem} Write `Action:`")


def test_text_before_the_first_label_is_a_thought_that_the_prompt_began():
    assert parse_react("I look it up.\nAction: a\nAction Input: 1")[0] == Thought(text="I look it up.")


def test_a_reply_is_cut_at_the_first_observation_that_the_model_wrote():
    text = "Thought: I ask.\nAction: a\nAction Input: 1\nObservation: made up\nThought: So.\nFinal Answer: no"

    assert stop_and_parse(text) == [Thought(text="I ask."), Action(name="a", input="1")]


def test_a_reply_goes_on_to_no_second_episode():
    text = "Thought: Clear.\nFinal Answer: Oslo\n\nQuestion: And Italy?\nFinal Answer: Rome"

    assert stop_and_parse(text) == [Thought(text="Clear."), Finish(answer="Oslo")]


def test_an_observation_is_found_at_the_start_of_its_line():
    assert observation_at("Action: a\nObservation: b") == len("Action: a\n")


@pytest.mark.parametrize("text", [None, 3, b"Thought: x", ["Thought: x"]])
def test_what_is_no_text_is_refused_in_a_sentence(text):
    with pytest.raises(InputError, match="must be a string"):
        parse_react(text)


LABELS = ["Thought", "Action", "Action Input", "Input", "Observation", "Final Answer", "Question", "Finish"]
SIGNS = [
    ":",
    " 1:",
    "[",
    "]",
    "{",
    "}",
    '"',
    "```",
    "**",
    "#",
    "\n",
    "\r\n",
    "\u2028",
    " ",
    "a",
    "\x00",
    "\ud800",
]
words = st.sampled_from(LABELS) | st.sampled_from(SIGNS)
texts = st.lists(words, max_size=30).map("".join) | st.text(max_size=60)


@given(texts)
def test_no_text_is_an_error(text):
    assert parse_react(text)


@given(texts)
def test_a_reply_ends_in_one_action_answer_or_fault_after_thoughts_alone(text):
    *thoughts, end = stop_and_parse(text)

    assert all(isinstance(item, Thought) for item in thoughts)
    assert isinstance(end, Action | Finish | Malformed)


names = st.text("abcXYZ_", min_size=1).filter(lambda name: name.lower() != "finish")
arguments = st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text()))


@given(names, arguments, st.booleans())
def test_any_json_input_comes_back_as_it_was_written(name, given_arguments, indented):
    written = json.dumps(given_arguments, indent=2 if indented else None)

    assert acted(f"Action: {name}\nAction Input: {written}\n") == (name, written)


def test_a_long_text_is_read_in_time():
    text = "thought" + " " * 200_000 + "\n" + "a\n```\n" * 100_000 + "Action: a[" + "[" * 50_000

    assert parse_react(text)
