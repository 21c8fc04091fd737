"""Values as Python text: what is written gives the value back, and can be read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lab.python import comment, literal, packed, rounded, shortened
from tests.core.lab.running import ran

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=12,
)


@given(VALUES, st.integers(0, 40))
def test_a_literal_gives_the_value_back(value, indent):
    assert ran(f"value = {literal(value, indent)}")[0]["value"] == value


@pytest.mark.parametrize(
    "array",
    [
        np.linspace(-20, 20, 300).astype(np.float32).astype(float),
        np.log([0.4, 0.3, 0.25, 0.03, 0.02]),
        np.array([1.5, -np.inf]),
        np.arange(500, dtype=np.int32),
        np.array([True, False]),
    ],
    ids=["a model's logits", "more digits", "a forbidden one", "ids", "a mask"],
)
@pytest.mark.parametrize("write", [literal, packed])
def test_an_array_comes_back_exactly(array, write):
    names, _ = ran(f"import base64, zlib\nimport numpy as np\nvalue = {write(array)}")
    assert names["value"].dtype.kind == array.dtype.kind
    assert np.array_equal(names["value"], array)


def test_a_row_of_numbers_is_broken_between_them():
    assert max(map(len, literal(list(range(100))).splitlines())) <= 92


def test_probabilities_have_nine_digits():
    assert rounded([1 / 3]).tolist() == [0.333333333]


def test_long_texts_that_differ_behind_the_cut_still_differ():
    assert shortened("a" * 50 + "b", 40) != shortened("a" * 50 + "c", 40)
    assert shortened("short", 40) == "short"


def test_a_comment_is_one_line():
    assert comment("two\nlines") == "# two lines"
    assert len(comment("word " * 100)) <= 94
