"""How well a tool can be used without guessing: the five design rules of the agent-computer interface.

The rules are those of Schluntz and Zhang, "Building effective agents" (Anthropic, 2024), appendix 2. What a
schema alone can tell of each is computed here, and every finding says how. Words are looked for, not
understood: a finding is a question to the author, not a mark.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from core.agent.interface_trials import Trial, trials
from core.agent.validation import schema_problems
from core.messages.types import ToolSchema
from core.values import Value

Tone = Literal["good", "bad", "open"]

REASONS = ("reason", "reasoning", "thought", "thoughts", "thinking", "rationale", "why", "explanation")
LANGUAGES = ("code", "program", "script", "json", "xml", "html", "sql", "diff", "patch", "regex")
COUNTED = ("line", "lines", "count", "offset", "length", "position", "index")
FEW_WORDS = 8

_WORD = re.compile(r"[a-z]+")
_WHEN = re.compile(r"\b(use|used|when|whenever|before|after|instead)\b", re.IGNORECASE)
_LIMIT = re.compile(r"\b(not|no|never|only|cannot|can't|without|at most|at least|except)\b", re.IGNORECASE)
_EXAMPLE = re.compile(r"\b(such as|for example|e\.g\.|example)", re.IGNORECASE)


class InterfaceFinding(Value):
    """What was found: `good`, `bad` where a model has to guess, `open` where the schema cannot tell."""

    tone: Tone
    text: str
    how: str


class Rule(Value):
    """A rule, what it asks for, and what was found of it in a schema."""

    name: str
    asks: str
    findings: tuple[InterfaceFinding, ...]
    trials: tuple[Trial, ...] = ()


def check_interface(schema: ToolSchema, right: Mapping[str, Any] | None = None) -> tuple[Rule, ...]:
    """The five rules with what was found of them.

    Args:
        schema: the tool.
        right: the arguments of a call that is right. From it wrong ones are made, and tried.

    Raises:
        InputError: the parameters are not a JSON Schema.
    """
    fields = _fields(schema)
    if right is not None and schema_problems(right, schema):
        right = None
    tried = () if right is None else tuple(trials(schema, right))
    return (
        Rule(
            name="Room to think",
            asks="The model may write why before it has to commit itself to values: no token can be revised.",
            findings=(_room_to_think(fields),),
        ),
        Rule(
            name="Natural formats",
            asks="As in training data: nothing to escape, nest or count by hand, which takes attention and "
            "is a chance to malform the call.",
            findings=tuple(_formats(fields, right or {})),
        ),
        Rule(
            name="A description for the model",
            asks="From the model's view: usage, edge cases, input format, limits, clear names, an example "
            "call. A docstring for a competent colleague who cannot ask back: when the model decides "
            "whether the tool applies, this text is all it has.",
            findings=tuple(_description(schema, fields)),
        ),
        Rule(
            name="Hard to get wrong",
            asks="Poka-yoke: a mistake is refused, not only forbidden. An absolute path, an enum, one unit.",
            findings=tuple(_mistake_proof(schema, fields)),
        ),
        Rule(
            name="Tested on many inputs",
            asks="What goes wrong is observed, and mended. It cannot be read off the schema.",
            findings=(_tested(tried),),
            trials=tried,
        ),
    )


def _fields(schema: ToolSchema) -> dict[str, Mapping[str, Any]]:
    properties = schema.parameters.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    return {name: field if isinstance(field, Mapping) else {} for name, field in properties.items()}


def _room_to_think(fields: Mapping[str, Mapping[str, Any]]) -> InterfaceFinding:
    how = f"Looked for a field of free text called {', '.join(REASONS[:3])} or alike, and for its place."
    names = list(fields)
    place = next((names.index(name) for name in names if _is_reason(name, fields[name])), None)
    if place is None:
        text = "There is no field for a reason. Then only text before the call gives room."
        return InterfaceFinding(tone="open", text=text, how=how)
    if place == 0:
        text = f"{names[0]} comes first: it is written before anything is decided."
        return InterfaceFinding(tone="good", text=text, how=how)
    before = ", ".join(names[:place])
    text = f"{names[place]} comes after {before}: it can only defend what is written already. Put it first."
    return InterfaceFinding(tone="bad", text=text, how=how)


def _is_reason(name: str, field: Mapping[str, Any]) -> bool:
    return name.lower() in REASONS and _is_free_text(field)


def _is_free_text(field: Mapping[str, Any]) -> bool:
    return field.get("type") == "string" and not {"enum", "const", "pattern", "format"} & set(field)


def _formats(fields: Mapping[str, Mapping[str, Any]], right: Mapping[str, Any]) -> Iterator[InterfaceFinding]:
    found = False
    for name, field in fields.items():
        words = _words(f"{name} {field.get('description', '')}")
        if field.get("type") == "string" and words & set(LANGUAGES):
            found = True
            escaped = _escapes(right.get(name))
            measured = (
                f" In the right call {_counted(escaped, 'character')} serve that alone." if escaped else ""
            )
            yield InterfaceFinding(
                tone="bad",
                text=f"{name} is another language inside a JSON text: its quotes and line breaks are escaped."
                + measured,
                how=f"Looked for {', '.join(LANGUAGES[:4])} and alike in names and descriptions.",
            )
        if field.get("type") in ("integer", "number") and _words(name) & set(COUNTED):
            found = True
            yield InterfaceFinding(
                tone="bad",
                text=f"{name} has to be counted, which models do badly.",
                how=f"Looked for {', '.join(COUNTED[:4])} and alike in the names of numbers.",
            )
    levels = max(map(_levels, fields.values()), default=0)
    how = "Counted objects and lists within each other."
    if levels:
        deepest = max(fields, key=lambda name: _levels(fields[name]))
        text = f"{deepest} nests {_counted(levels, 'level')} of brackets to close."
        yield InterfaceFinding(tone="open" if levels == 1 else "bad", text=text, how=how)
    elif not found:
        text = f"{_counted(len(fields), 'flat field')}: nothing to escape or to count."
        yield InterfaceFinding(tone="good", text=text, how=f"{how} Looked for code and counts.")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _escapes(value: object) -> int:
    """How many characters JSON adds to a text."""
    return sum(value.count(character) for character in '"\\\n\r\t') if isinstance(value, str) else 0


def _levels(field: Any) -> int:
    """How many objects and lists lie within each other."""
    if not isinstance(field, Mapping):
        return 0
    inner = [field.get("items"), *_mapping(field.get("properties")).values()]
    for keyword in ("anyOf", "oneOf", "allOf"):
        inner += field.get(keyword) or []
    own = 1 if field.get("type") in ("object", "array") or "properties" in field else 0
    return own + max(map(_levels, inner), default=0)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _description(schema: ToolSchema, fields: Mapping[str, Mapping[str, Any]]) -> Iterator[InterfaceFinding]:
    told, count = schema.description, len(schema.description.split())
    if count < FEW_WORDS:
        text = (
            f"{_counted(count, 'word')} must do for the model to know the tool."
            if count
            else "There is none."
        )
        yield InterfaceFinding(tone="bad", text=text, how="Counted the words.")
    yield _said(
        _WHEN,
        told,
        "It says when to use the tool.",
        "It does not say when to use the tool.",
        "use, when, before",
    )
    yield _said(
        _LIMIT,
        told,
        "It names a limit.",
        "It names no limit: what is the tool not for?",
        "not, only, at most",
    )
    silent = [name for name, field in fields.items() if not field.get("description")]
    how = "Looked for description in each field."
    if silent:
        yield InterfaceFinding(tone="bad", text=f"Not described: {', '.join(silent)}.", how=how)
    elif fields:
        yield InterfaceFinding(tone="good", text="Every field is described.", how=how)
    everything = " ".join([told, *(str(field.get("description", "")) for field in fields.values())])
    has_examples = any("examples" in field for field in fields.values())
    said = _EXAMPLE.search(everything)
    how = "Looked for such as, for example, e.g. and examples" + (f"; found “{said[0]}”." if said else ".")
    if has_examples or said:
        yield InterfaceFinding(tone="good", text="There is an example.", how=how)
    else:
        yield InterfaceFinding(tone="bad", text="There is no example.", how=how)


def _said(pattern: re.Pattern[str], text: str, yes: str, no: str, words: str) -> InterfaceFinding:
    found = pattern.search(text)
    how = f"Looked for {words} and alike" + (f"; found “{found[0]}”." if found else ".")
    return InterfaceFinding(tone="good" if found else "bad", text=yes if found else no, how=how)


def _mistake_proof(schema: ToolSchema, fields: Mapping[str, Mapping[str, Any]]) -> Iterator[InterfaceFinding]:
    free = [name for name, field in fields.items() if _is_free_text(field) and not _is_reason(name, field)]
    how = "Looked for texts without enum, const, pattern or format."
    if free:
        text = f"Any text will do for {', '.join(free)}. Is there a list, or a form?"
        yield InterfaceFinding(tone="bad", text=text, how=how)
    elif fields:
        yield InterfaceFinding(tone="good", text="No field takes just any text.", how=how)
    bounds = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "enum", "const", "multipleOf"}
    numbers = [name for name, field in fields.items() if field.get("type") in ("integer", "number")]
    boundless = [name for name in numbers if not bounds & set(fields[name])]
    how = "Looked for minimum, maximum and enum of each number."
    if boundless:
        text = f"Any number will do for {', '.join(boundless)}."
        yield InterfaceFinding(tone="bad", text=text, how=how)
    elif numbers:
        yield InterfaceFinding(tone="good", text=f"{', '.join(numbers)}: within bounds.", how=how)
    closed = schema.parameters.get("additionalProperties") is False
    text = (
        "Invented fields are refused." if closed else "Invented fields pass, and the model never hears of it."
    )
    how = "additionalProperties is false." if closed else "additionalProperties is not false."
    yield InterfaceFinding(tone="good" if closed else "bad", text=text, how=how)


def _tested(tried: tuple[Trial, ...]) -> InterfaceFinding:
    if not tried:
        text = "Nothing was tried: no call is known here that is right by this schema."
        return InterfaceFinding(tone="open", text=text, how="The bundled example was checked against it.")
    refused = sum(trial.refused for trial in tried)
    text = f"Of {len(tried)} calls with one mistake each, the schema refuses {refused}."
    return InterfaceFinding(
        tone="good" if refused == len(tried) else "open",
        text=f"{text} Which mistakes a model really makes, only runs can show.",
        how="Made from a call that is right, and put to the schema check.",
    )
