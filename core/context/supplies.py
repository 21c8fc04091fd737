"""What a runtime adds to the system prompt at every call: skills, long-term memory, retrieved documents.

None of it belongs to the history. It is chosen anew for each question, under one principle: an index first,
the whole on demand. Of a skill one line is always there, and its instructions once the question matches it;
of the facts and documents only those that fit the question best. What fits is ranked by BM25.
"""

from collections.abc import Sequence

from core.context.assemble import Insert
from core.context.retrieval import Document, Index, documents
from core.messages import Part
from core.values import Value

SKILLS = "Skills, one line each; the instructions of a skill that fits the task stand below."
MEMORY = "What you remember of the user:"
DOCUMENTS = "Passages of the help pages that fit the question:"


class Skill(Value):
    """Instructions for one kind of task: its name, the one line that is always sent, and the instructions."""

    name: str
    line: str
    instructions: str


class Choice(Value):
    """How much is added: how many documents and facts at most, and whether skills wait for a match.

    Without `skills`, the instructions of all of them are in the prompt all the time.
    """

    documents: int = 2
    facts: int = 2
    skills: bool = True


class Supplies(Value):
    """What there is to choose from; `pages` are the documents, those of the bundled help pages if `None`."""

    skills: tuple[Skill, ...] = ()
    facts: tuple[str, ...] = ()
    pages: tuple[Document, ...] | None = None

    def chosen(self, question: str, choice: Choice) -> tuple[Insert, ...]:
        """What is added for a question, in the order in which it is sent: what changes least comes first."""
        return (
            *self._skills(question, choice),
            *_listed(Part.MEMORY, MEMORY, "fact", self._facts(question, choice.facts)),
            *_listed(Part.RETRIEVED, DOCUMENTS, "", self._documents(question, choice.documents)),
        )

    def _skills(self, question: str, choice: Choice) -> tuple[Insert, ...]:
        if not self.skills:
            return ()
        cards = [Document(id=skill.name, title=skill.name, text=skill.line) for skill in self.skills]
        fitting = {found.id for found in _best(cards, question, 1)} if choice.skills else set(_ids(cards))
        lines = [f"- {skill.name}: {skill.line}" for skill in self.skills]
        index = Insert(part=Part.SYSTEM, label="skills, one line each", text="\n".join([SKILLS, *lines]))
        loaded = (
            Insert(
                part=Part.SYSTEM, label=f"skill {skill.name}", text=f"# {skill.name}\n{skill.instructions}"
            )
            for skill in self.skills
            if skill.name in fitting
        )
        return (index, *loaded)

    def _facts(self, question: str, most: int) -> list[Document]:
        return _best([Document(id="", title="", text=fact) for fact in self.facts], question, most)

    def _documents(self, question: str, most: int) -> list[Document]:
        return _best(documents() if self.pages is None else self.pages, question, most)


class Assembly(Value):
    """What the system prompt of a run is made of."""

    system: str
    question: str
    supplies: Supplies

    def composed(self, choice: Choice) -> tuple[str, tuple[Insert, ...]]:
        """The system prompt as it is sent, and what in it was added."""
        inserts = self.supplies.chosen(self.question, choice)
        return with_inserts(self.system, inserts), inserts


def with_inserts(system: str, inserts: Sequence[Insert]) -> str:
    """The system prompt with what is added to it."""
    return "\n\n".join([system, *(insert.text for insert in inserts)])


def _listed(part: Part, title: str, label: str, found: Sequence[Document]) -> tuple[Insert, ...]:
    """A stretch for each document or fact; the first brings the title along."""
    return tuple(
        Insert(
            part=part,
            label=label or document.id,
            text=(f"{title}\n" if number == 0 else "")
            + (f"[{document.id}] {document.text}" if document.id else f"- {document.text}"),
        )
        for number, document in enumerate(found)
    )


def _best(cards: Sequence[Document], question: str, most: int) -> list[Document]:
    return [hit.document for hit in Index(cards).search(question, most)] if cards and most else []


def _ids(cards: Sequence[Document]) -> list[str]:
    return [card.id for card in cards]
