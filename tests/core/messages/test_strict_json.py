"""JSON in the sense of RFC 8259, with the place of a fault."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.messages.strict_json import JSONFault, parse

plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3),
)


@given(value=values, ensure_ascii=st.booleans(), indent=st.none() | st.just(2))
def test_json_is_read_as_it_was_written(value, ensure_ascii, indent):
    assert parse(json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)) == value


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ('{"a": 1, "b": 2, "a": 3}', 17),
        ('{"x": {"a": 1, "\\u0061": 2}}', 15),
        ('{"a": NaN}', 6),
        ("[1, -Infinity]", 4),
        ('{"a": 1e999}', 6),
        ('{"a": "\\ud800"}', 6),
        ("[" * 65 + "]" * 65, 64),
        ("{'a': 1}", 1),
        ('{"a": 1} x', 9),
    ],
)
def test_a_fault_is_found_at_its_place(text, position):
    with pytest.raises(JSONFault) as fault:
        parse(text)

    assert fault.value.position == position


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1}, {"a": 2}]',
        '{"a": {"a": {"a": 1}}}',
        '{"a": "a", "b": "a"}',
        '{"a": ["b", "b"], "b": 1}',
        '{"a": "NaN: {\\"a\\": 1}"}',
        "[" * 64 + "]" * 64,
    ],
)
def test_what_only_looks_like_a_fault_is_read(text):
    assert parse(text) == json.loads(text)


@pytest.mark.parametrize("text", ["9" * 5000, "[" * 100_000])
def test_what_python_cannot_read_is_a_fault(text):
    with pytest.raises(JSONFault):
        parse(text)


def test_a_place_is_told_as_line_and_column():
    with pytest.raises(JSONFault, match="line 2, column 3"):
        parse('{\n  "a": 1,\n}'.replace('"a"', "a"))


def test_the_place_is_told_once_where_the_parser_of_python_begins_to_tell_it():
    with pytest.raises(JSONFault, match=r"^Unterminated string starting at line 1, column 10$"):
        parse('{"city": "Ber')
