"""Whether a finished text keeps a constraint, by means that do not generate it."""

from dataclasses import dataclass

import referencing.exceptions
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry

from core.decoding.constrained_grammar import Constraint
from core.decoding.constrained_matcher import Matcher
from core.errors import InputError
from core.lm import Tokenizer
from core.messages import strict_json


@dataclass(frozen=True)
class Check:
    """`parses`: the text is JSON, or whatever form the constraint asks for. `conforms`: and keeps it in full.

    Only for a JSON schema are the two different. `problem`: what is wrong, a sentence; empty if nothing is.
    `independent`: not by the grammar itself, which is asked about an expression and about a grammar.
    """

    parses: bool
    conforms: bool
    problem: str
    independent: bool = True


def check(constraint: Constraint, text: str, tokenizer: Tokenizer) -> Check:
    """Check a text. White space around JSON counts for nothing, as in RFC 8259; a key twice is an error."""
    if constraint.kind == "json schema":
        return _json(constraint, text)
    if constraint.kind == "choice":
        fits, asked = text in constraint.choices, "one of the choices"
    else:
        fits = _accepts(constraint, text, tokenizer)
        asked = "a match of the expression" if constraint.kind == "regex" else "a text of the grammar"
    independent = constraint.kind == "choice"
    return Check(fits, fits, "" if fits else f"The text is not {asked}.", independent)


def _json(constraint: Constraint, text: str) -> Check:
    try:
        value = strict_json.parse(text)
    except strict_json.JSONFault as fault:
        return Check(False, False, f"Not JSON: {fault}.")
    validator = Draft202012Validator(constraint.schema, registry=Registry())
    try:
        error = best_match(validator.iter_errors(value))
    except (referencing.exceptions.Unresolvable, RecursionError):
        return Check(True, False, "The schema refers to something that is not there.")
    return Check(True, error is None, f"At {error.json_path}: {error.message}." if error else "")


def _accepts(constraint: Constraint, text: str, tokenizer: Tokenizer) -> bool:
    ids = tokenizer.encode(text, special=False)
    if tokenizer.decode(ids) != text:  # a few control characters have no token and vanish
        return False
    try:
        return Matcher(constraint, tokenizer).accepts(ids)
    except InputError:
        return False
