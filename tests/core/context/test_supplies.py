"""What a runtime adds to the system prompt for a question, and whose tokens it is."""

import pytest

from core.context import Supposition, TokenCounter, assemble, suppose
from core.context.retrieval import Document
from core.context.supplies import Assembly, Choice, Skill, Supplies, with_inserts
from core.errors import InputError
from core.lm import load_tokenizer
from core.messages import Part, SystemMessage, UserMessage
from core.scenarios import scenario_of, trace
from tests.core.context.toy import ToyTokenizer

SUPPLIES = Supplies(
    skills=(
        Skill(name="refunds", line="Money back.", instructions="Look first."),
        Skill(name="exams", line="Points and dates.", instructions="Be strict."),
    ),
    facts=("Asha likes tea.", "Asha had a refund."),
    pages=(
        Document(id="a", title="Refunds", text="Within a week."),
        Document(id="b", title="Exams", text="Forty questions."),
        Document(id="c", title="Vouchers", text="A refund can be a voucher."),
    ),
)
QUESTION = "Do refunds exist?"


def added(**choice):
    return [(insert.part, insert.text) for insert in SUPPLIES.chosen(QUESTION, Choice(**choice))]


def texts(part, **choice):
    return [text for of, text in added(**choice) if of is part]


def test_of_a_skill_one_line_is_there_and_the_instructions_of_the_one_that_matches():
    index, loaded = texts(Part.SYSTEM)
    assert index.splitlines()[1:] == ["- refunds: Money back.", "- exams: Points and dates."]
    assert loaded == "# refunds\nLook first."


def test_without_skills_on_demand_all_instructions_are_there():
    assert texts(Part.SYSTEM, skills=False)[1:] == ["# refunds\nLook first.", "# exams\nBe strict."]


def test_facts_are_those_that_share_a_word_with_the_question():
    assert texts(Part.MEMORY) == ["What you remember of the user:\n- Asha had a refund."]


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_no_more_documents_are_retrieved_than_asked_for(depth):
    assert len(texts(Part.RETRIEVED, documents=depth)) == depth


def test_a_document_that_shares_no_word_is_not_retrieved():
    assert len(texts(Part.RETRIEVED, documents=9)) == 2


def test_what_is_added_belongs_to_its_own_part():
    """`be`, two new lines, and `tea` of memory: one token each."""
    fact = SUPPLIES.chosen("tea", Choice(documents=0))[-1].model_copy(update={"text": "tea"})
    counter = TokenCounter(ToyTokenizer(), inserts=(fact,))
    system = with_inserts("be", (fact,))
    context = assemble((SystemMessage(content=system), UserMessage(content="x")), (), counter)
    counts = {segment.part: segment.tokens for segment in context if segment.message == 0}
    assert counts[Part.SYSTEM] == 3
    assert counts[Part.MEMORY] == 1
    assert sum(segment.tokens for segment in context) == 3 + 4 + 2 + 6 + 3


def test_the_same_words_of_the_user_stay_the_users():
    fact = SUPPLIES.chosen("tea", Choice(documents=0))[-1]
    counter = TokenCounter(ToyTokenizer(), inserts=(fact,))
    context = assemble((SystemMessage(content="be"), UserMessage(content=fact.text)), (), counter)
    assert Part.MEMORY not in {segment.part for segment in context}


def test_the_bundled_run_has_all_parts_of_the_lecture():
    made = trace("assembled", TokenCounter(load_tokenizer()))
    assert {segment.part for segment in made.calls[-1].segments} == set(Part)
    assert "".join(
        segment.text for segment in made.calls[0].segments if segment.part is not Part.TEMPLATE
    ).startswith(made.system)


def test_the_answer_of_the_bundled_run_is_in_what_it_was_given():
    made = trace("assembled", TokenCounter(load_tokenizer()))
    answer = made.messages[-1].content
    assert "within 7 days" in answer
    assert "within 7 days of purchase if less than 20%" in made.system
    result = next(message.content for message in made.messages if message.role == "tool")
    assert '"purchased_days_ago": 4' in result
    assert '"progress": 12' in result


def supposed(**choice):
    counter = TokenCounter(load_tokenizer())
    made = trace("assembled", counter)
    asked = Supposition.of(window=8192, choice=Choice(**choice))
    return suppose(made, asked, counter, scenario_of("assembled").assembly).budget.calls[0]


def test_as_chosen_for_the_run_the_run_is_as_it_was():
    counter = TokenCounter(load_tokenizer())
    made = trace("assembled", counter)
    same = suppose(made, Supposition.of(window=8192), counter, scenario_of("assembled").assembly)
    assert [call.segments for call in same.calls] == [call.segments for call in made.calls]


def test_no_documents_and_no_facts_leave_their_parts_empty():
    assert {Part.RETRIEVED, Part.MEMORY}.isdisjoint(supposed(documents=0, facts=0).parts)


def test_skills_that_do_not_wait_for_a_match_cost_more():
    assert supposed(skills=False).parts[Part.SYSTEM] > supposed().parts[Part.SYSTEM]


def test_less_than_no_documents_cannot_be_supposed():
    with pytest.raises(InputError):
        Supposition.of(choice=Choice(documents=-1))


def test_an_assembly_tells_what_was_added():
    system, inserts = Assembly(system="be", question=QUESTION, supplies=SUPPLIES).composed(Choice())
    assert system.startswith("be\n\n")
    assert all(insert.text in system for insert in inserts)
