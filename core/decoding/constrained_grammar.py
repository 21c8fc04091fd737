"""What a text is held to: a JSON schema, a regular expression, a list of choices or a context-free grammar.

All four become one grammar of llguidance, in its dialect of Lark (github.com/guidance-ai/llguidance,
docs/syntax.md and docs/json_schema.md). Its errors are told as sentences.
"""

import json
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_args

import llguidance
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from core.decoding.constrained_ending import grammar_never_ends, objects_in, schema_never_ends
from core.errors import InputError
from core.messages import strict_json

Kind = Literal["json schema", "regex", "choice", "grammar"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# By default llguidance, where the next characters are certain, allows only the tokens that the tokenizer
# would cut them into. Then a mask would hold less than the lecture's A(s): every token that keeps a match
# within reach.
ALL_TOKENS = '%llguidance {"no_forcing": true}'

MULTIPLE_OF = re.compile(r'"multipleOf"\s*:\s*(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)')

# JSON allows any white space between its parts (RFC 8259, section 2), and a model that prefers a line break
# would write line breaks until it is stopped. A schema can say otherwise in its own "x-guidance".
WHITE_SPACE = {"whitespace_pattern": "[ \\n]{1,2}"}

MOST_REMAINDERS = 100_000
"""What "multipleOf" may ask a grammar to keep apart: ten times as many take llguidance half a minute."""


SCHEMA_WITHOUT_END = (
    "No value of this schema is ever complete, for a part requires itself again. Whatever is drawn, the text "
    "is cut off: make that part optional."
)
GRAMMAR_WITHOUT_END = (
    "No text of this grammar ever ends, for a rule needs itself again. Whatever is drawn, the text is cut "
    "off: give the rule another way out."
)


@dataclass(frozen=True)
class Constraint:
    """A checked constraint. `text`: as it was written. `lark`: the same for llguidance.

    `remarks`: sentences on what the grammar takes more narrowly, or less so, than the text says. `endless`:
    that no text under it can end, a sentence; empty where one can, or where that cannot be told.
    """

    kind: Kind
    text: str
    lark: str
    remarks: tuple[str, ...] = ()
    endless: str = ""

    @property
    def schema(self) -> Any:
        """The JSON schema, a dict or a boolean; `None` for another kind."""
        return json.loads(self.text) if self.kind == "json schema" else None

    @property
    def choices(self) -> tuple[str, ...]:
        """The choices; none for another kind."""
        return _lines(self.text) if self.kind == "choice" else ()


def constraint(kind: str, text: str) -> Constraint:
    """Read a constraint. Of choices, each line is one.

    Errors: `InputError` if the text is none of its kind, or says something that llguidance does not support.
    """
    if not isinstance(text, str):
        raise InputError(f"A constraint is a text, not {text!r}.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError("The constraint holds half of a surrogate pair, which no text can: paste it again.")
    if kind == "json schema":
        return _json_schema(text)
    if kind == "regex":
        return _regex(text)
    if kind == "choice":
        return _choice(text)
    if kind == "grammar":
        return _grammar(text)
    raise InputError(f"There is no constraint of the kind {kind!r}; choose one of {', '.join(KINDS)}.")


def _json_schema(text: str) -> Constraint:
    try:
        schema = strict_json.parse(text)
        Draft202012Validator.check_schema(schema)
    except strict_json.JSONFault as fault:
        raise InputError(f"The schema is not JSON: {fault}.") from None
    except SchemaError as error:
        where = error.json_path.removeprefix("$").lstrip(".") or "its root"
        raise InputError(f"This is JSON but no JSON schema, at {where}: {error.message}.") from None
    bounded = isinstance(schema, dict) and "x-guidance" not in schema
    written = {"x-guidance": WHITE_SPACE, **schema} if bounded else schema
    lark = f"start: %json {json.dumps(written)}\n{ALL_TOKENS}\n"
    if message := _fault(lark):
        raise InputError(_schema_sentence(reason_of(message)))
    endless = SCHEMA_WITHOUT_END if schema_never_ends(schema) else ""
    return Constraint("json schema", text, lark, tuple(_schema_remarks(schema, bounded)), endless)


def _schema_sentence(reason: str) -> str:
    if keys := re.match(r"Unimplemented keys: \[(.*)\]", reason):
        return (
            f"The grammar library does not support {keys[1]} in a schema: leave it out, or say it otherwise."
        )
    if nothing := re.match(r"Unsatisfiable schema: (.*)", reason):
        return f"No JSON value fits this schema, so nothing could be generated: {nothing[1]}."
    if reason.startswith("oneOf"):
        return 'The grammar library supports "oneOf" only where no value fits two of its parts: use "anyOf".'
    return f"The grammar library cannot hold a text to this schema: {reason}."


def _schema_remarks(schema: Any, bounded: bool) -> list[str]:
    objects = [part for part in objects_in(schema) if "properties" in part or part.get("type") == "object"]
    remarks = []
    if any(isinstance(named := part.get("properties"), dict) and len(named) > 1 for part in objects):
        remarks.append("Keys come in the order of the schema, although JSON objects have none.")
    if any(part.get("additionalProperties", True) is not False for part in objects):
        remarks.append(
            'Other keys than those named are allowed, as "additionalProperties" is not false, '
            "and the grammar does not see to it that these differ from each other."
        )
    if any("format" in part for part in objects_in(schema)):
        remarks.append('"format" is enforced, which JSON Schema itself leaves open.')
    if bounded:
        remarks.append("At most two spaces or line breaks in a row, where JSON allows any number.")
    return remarks


def _regex(text: str) -> Constraint:
    if not text:
        raise InputError("There is no expression yet: write one, for instance [0-9]{4}.")
    lark = f"start: /{llguidance.regex_to_lark(text, '')}/\n{ALL_TOKENS}\n"
    if message := _fault(lark):
        raise InputError(f"This regular expression cannot be used: {reason_of(message)}.")
    remarks = ("The whole text must match. No look-around and no back-references: a grammar has no memory.",)
    return Constraint("regex", text, lark, remarks)


def _choice(text: str) -> Constraint:
    choices = _lines(text)
    if not choices:
        raise InputError("There is nothing to choose from: write one choice in each line.")
    lark = (
        f"start: {' | '.join(json.dumps(choice, ensure_ascii=False) for choice in choices)}\n{ALL_TOKENS}\n"
    )
    if message := _fault(lark):
        raise InputError(f"These choices cannot be used: {reason_of(message)}.")
    return Constraint("choice", text, lark)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for line in text.splitlines() if line.strip()))


def _grammar(text: str) -> Constraint:
    lark = f"{text}\n{ALL_TOKENS}\n"
    if message := _fault(lark):
        if message.startswith("no start rule"):
            raise InputError('The grammar needs a rule named "start", with which every text begins.')
        place = re.match(r"(?:at )?(\d+)\((\d+)\): ", message)
        where = f" at line {place[1]}, column {place[2]}" if place else ""
        raise InputError(f"The grammar cannot be read{where}: {reason_of(message)}.")
    return Constraint("grammar", text, lark, endless=GRAMMAR_WITHOUT_END if grammar_never_ends(text) else "")


def _fault(lark: str) -> str:
    if _remainders(lark) > MOST_REMAINDERS:
        return f'"multipleOf" with more than {MOST_REMAINDERS:,} remainders to keep apart'
    return llguidance.LLMatcher.validate_grammar(llguidance.LLMatcher.grammar_from_lark(lark))


def _remainders(lark: str) -> int:
    """An upper bound: the least common multiple of all "multipleOf", in units of the finest of them."""
    written = (float(number) for number in MULTIPLE_OF.findall(lark))
    steps = [Decimal(repr(step)).normalize() for step in written if 0 < step < math.inf]
    places = max((-int(step.as_tuple().exponent) for step in steps), default=0)
    return math.lcm(*(int(step.scaleb(max(places, 0))) for step in steps))


def reason_of(message: str) -> str:
    """The reason in an error of llguidance, which adds the place and the source, and of a regex much more."""
    if found := re.search(r"^error: (.*)$", message, re.MULTILINE):
        return found[1]
    first = re.sub(r"^(at )?\d+\(\d+\): ", "", message.split("\n")[0])
    first = first.removeprefix("failed to compile JSON schema: ")
    if first.startswith("Unable to determine if regex is empty"):
        return "its patterns are too much to combine"
    if "lexer precomputation failed" in first or "too big" in first:
        return "it has too many ways to go on"
    if "lookarounds not supported" in first:
        return "look-around and word boundaries are not supported"
    return re.sub(r"^invalid regex .* \(in regex\): ", "", first).rstrip(". ")
