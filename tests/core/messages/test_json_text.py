"""JSON in a prompt: the text of json.dumps, with marks."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.messages.json_text import dumps

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(
    value=values, indent=st.none() | st.integers(0, 4), ensure_ascii=st.booleans(), sort_keys=st.booleans()
)
def test_the_text_is_that_of_json_dumps(value, indent, ensure_ascii, sort_keys):
    options = {"indent": indent, "ensure_ascii": ensure_ascii, "sort_keys": sort_keys}

    assert dumps(value, **options) == json.dumps(value, **options)


@pytest.mark.parametrize("key", [1, 1.5, True, None])
def test_a_key_that_is_no_string_is_spelt_as_json_dumps_spells_it(key):
    assert dumps({key: 0}) == json.dumps({key: 0})


def test_separators_can_be_chosen():
    assert dumps({"a": [1, 2]}, separators=(",", ":")) == '{"a":[1,2]}'


def test_a_mark_encloses_the_text_of_its_value():
    inner = {"a": 1}

    assert (
        dumps([inner, 2], mark=lambda value, text: f"<{text}>" if value is inner else text)
        == '[<{"a": 1}>, 2]'
    )
