"""A thousand texts over twenty schemas, drawn almost at random, all parse and validate with jsonschema."""

import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator, FormatChecker

from core.decoding.constrained import generate_constrained
from core.decoding.constrained_grammar import constraint
from core.lm import load_tokenizer
from core.sampling import SamplerSettings
from tests.core.decoding.masks_toy import ToyModel, ToyVocabulary


def closed(required: bool = True, **properties):
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(properties)} if required else schema


TEXT, WHOLE = {"type": "string", "maxLength": 12}, {"type": "integer", "minimum": -50, "maximum": 999}
SCHEMAS = {
    "string": TEXT,
    "integer in bounds": WHOLE,
    "number in bounds": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
    "multiple": {"type": "integer", "multipleOf": 7, "minimum": 0, "maximum": 700},
    "boolean or null": {"type": ["boolean", "null"]},
    "enum": {"enum": ["celsius", "kelvin", 3, None]},
    "const": {"const": {"a": [1, 2]}},
    "pattern": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{1,4}$"},
    "date": {"type": "string", "format": "date"},
    "closed object": closed(city=TEXT, unit={"enum": ["celsius", "kelvin"]}),
    "optional keys": closed(required=False, end=WHOLE, start=WHOLE),
    "nested": closed(place=closed(name=TEXT, at=closed(x=WHOLE, y=WHOLE)), sure={"type": "boolean"}),
    "array": {"type": "array", "items": WHOLE, "minItems": 1, "maxItems": 4},
    "tuple": {"type": "array", "prefixItems": [WHOLE, TEXT], "items": False, "minItems": 2},
    "any of": {"anyOf": [closed(a=WHOLE), closed(b=TEXT), {"type": "null"}]},
    "all of": {"allOf": [{"type": "integer", "minimum": 5}, {"maximum": 8}]},
    "reference": {
        "$defs": {"p": closed(x=WHOLE)},
        "type": "array",
        "items": {"$ref": "#/$defs/p"},
        "maxItems": 3,
    },
    "recursive": {
        "$defs": {
            "tree": closed(required=False, left={"$ref": "#/$defs/tree"}, right={"$ref": "#/$defs/tree"})
        },
        "$ref": "#/$defs/tree",
    },
    "map": {"type": "object", "additionalProperties": WHOLE, "maxProperties": 2},
    "open object": {"type": "object", "properties": {"a": WHOLE}, "required": ["a"]},
}


def vocabulary() -> ToyVocabulary:
    """The bytes and the 1,200 most frequent pieces of the embedded model's vocabulary, for speed."""
    tokenizer = load_tokenizer()
    pieces = [tokenizer.token_bytes(id_) for id_ in range(17, 1500)]
    return ToyVocabulary([*dict.fromkeys(pieces), b"<eos>"])


WORDS = vocabulary()
CLOSING = np.array([token.strip()[:1] in (b'"', b"}", b"]") for token in WORDS.tokens])
CLOSING[-1] = True


def restless(seed: int) -> ToyModel:
    """Random logits at every step; after a while it inclines to closing things, or it would never end."""
    base = np.random.default_rng(seed)

    def logits(count: int) -> np.ndarray:
        return base.normal(size=WORDS.vocab_size) * 3 + CLOSING * max(0, count - 8)

    return ToyModel(WORDS, logits)


@pytest.mark.parametrize("name", SCHEMAS)
def test_fifty_texts_parse_and_validate(name):
    held = constraint("json schema", json.dumps(SCHEMAS[name]))
    validator = Draft202012Validator(SCHEMAS[name], format_checker=FormatChecker())
    texts = set()
    for seed in range(50):
        engine = ("transformers", "llama.cpp")[seed % 2]
        settings = SamplerSettings(temperature=1.2, top_k=40, engine=engine)
        steps = list(generate_constrained(restless(seed), [0], held, settings, seed, max_tokens=200))
        assert steps[-1].ending == "end token"
        text = WORDS.decode([done.token.token_id for done in steps[:-1]])
        validator.validate(json.loads(text))
        texts.add(text)
    assert len(texts) > 1


def test_there_are_twenty_schemas():
    assert len(SCHEMAS) == 20
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)
