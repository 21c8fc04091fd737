"""Constraints to begin with, one or more of each kind, with a prompt that asks for the same in words."""

import json
from dataclasses import dataclass

from core.decoding.constrained_grammar import Kind

_WEATHER = {
    "type": "object",
    "properties": {
        "name": {"const": "get_weather"},
        "arguments": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "maxLength": 40},
                "unit": {"enum": ["celsius", "fahrenheit"]},
            },
            "required": ["city", "unit"],
            "additionalProperties": False,
        },
    },
    "required": ["name", "arguments"],
    "additionalProperties": False,
}
_BOOK = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 40},
        "year": {"type": "integer", "minimum": 1450, "maximum": 2100},
        "genres": {
            "type": "array",
            "items": {"enum": ["novel", "poetry", "essay", "play"]},
            "minItems": 1,
            "maxItems": 3,
        },
    },
    "required": ["title", "year", "genres"],
    "additionalProperties": False,
}
_LISTS = {"$defs": {"list": {"type": "array", "items": {"$ref": "#/$defs/list"}}}, "$ref": "#/$defs/list"}


@dataclass(frozen=True)
class ConstraintExample:
    """`instruction`: what a user would write to ask for it, before the question `question`.

    `fact`: what a true answer holds, word for word; empty where that is not said in a few words.
    """

    slug: str
    title: str
    kind: Kind
    text: str
    instruction: str
    question: str
    fact: str = ""

    @property
    def prompt(self) -> str:
        """A chat of one turn in the template of the embedded model, ChatML."""
        return _chat(f"{self.instruction} {self.question}")

    @property
    def unasked(self) -> str:
        """The same without the instruction."""
        return _chat(self.question)


def _chat(user: str) -> str:
    return f"<|im_start|>user\n{user}<|im_end|>\n<|im_start|>assistant\n"


CONSTRAINT_EXAMPLES = (
    ConstraintExample(
        "call",
        "A tool call",
        "json schema",
        json.dumps(_WEATHER, indent=2),
        'Call the tool get_weather: answer only with a JSON object that has the keys "name" and "arguments".',
        "What is the weather in Berlin?",
        "Berlin",
    ),
    ConstraintExample(
        "book",
        "Facts about a book",
        "json schema",
        json.dumps(_BOOK, indent=2),
        'Answer only in JSON, with the keys "title", "year" and "genres".',
        "Which book did Jane Austen publish first?",
        "Sense and Sensibility",
    ),
    ConstraintExample(
        "date",
        "A date",
        "regex",
        "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])",
        "Answer only with a date in the form YYYY-MM-DD.",
        "When did Apollo 11 land on the Moon?",
        "1969-07-20",
    ),
    ConstraintExample(
        "thought",
        "A line of ReAct",
        "regex",
        r"Thought: [A-Za-z ,']{5,60}\.\nAction: (search|lookup|finish)\[[A-Za-z ]{1,30}\]",
        "Answer with one line that begins with Thought: and one that begins with Action:.",
        "Which river flows through Berlin?",
    ),
    ConstraintExample(
        "mood",
        "One of three words",
        "choice",
        "positive\nneutral\nnegative",
        "Answer with one word: positive, neutral or negative.",
        "How does this sound: the train was late again, but the view was lovely?",
    ),
    ConstraintExample(
        "sum",
        "Arithmetic",
        "grammar",
        'start: term (("+" | "-") term)*\nterm: factor (("*" | "/") factor)*\n'
        'factor: NUMBER | "(" start ")"\nNUMBER: /[0-9]{1,3}/',
        "Answer only with an arithmetic expression.",
        "How many minutes are three hours and a half?",
    ),
    ConstraintExample(
        "lists",
        "Lists without end",
        "json schema",
        json.dumps(_LISTS, indent=2),
        "Answer only with nested empty lists in JSON.",
        "Show me some.",
    ),
)
