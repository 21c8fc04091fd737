"""Numbers as students write them."""

import pytest

from core.errors import InputError
from core.teaching.exercises import NumberField
from core.teaching.exercises.numbers import read_number

SHARE = NumberField("share", "P(A)", probability=True)
COUNT = NumberField("count", "Sent", "tokens", tolerance=0)
PERCENT = NumberField("rate", "Cached", "%", tolerance=1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.57", 0.57),
        ("0,57", 0.57),
        (".5", 0.5),
        ("1.", 1),
        ("57 %", 0.57),
        ("57%", 0.57),
        ("4/7", 4 / 7),
        (" 4 / 7 ", 4 / 7),
        ("0,3/0,7", 3 / 7),
        ("−1.5", -1.5),
        ("≈ 0.571", 0.571),
        ("= 0.571", 0.571),
        ("\u00a00.57\u202f", 0.57),
    ],
)
def test_a_number_is_read_as_students_write_it(text, value):
    assert read_number(text, SHARE) == pytest.approx(value)


@pytest.mark.parametrize("text", ["1,024", "1.024", "1 024", "1'024", "1024 tokens", "1024 Token", "1024"])
def test_where_something_is_counted_a_separator_stands_for_thousands(text):
    assert read_number(text, COUNT) == 1024


@pytest.mark.parametrize("text", ["57", "57 %"])
def test_percent_as_the_unit_of_a_field_may_be_left_out(text):
    assert read_number(text, PERCENT) == 57


@pytest.mark.parametrize(
    "text",
    ["a half", "0.5.7", "1/2/3", "ln 2", "1e400", "nan", "inf", "٠٫٥", "%", "/", "9" * 400, "$x$", "0x10"],
)
def test_what_is_no_number_is_told_with_a_way_to_write_it(text):
    with pytest.raises(InputError, match="write it as"):
        read_number(text, SHARE)


@pytest.mark.parametrize(
    ("field", "example"),
    [(SHARE, "0.57, 57 %"), (COUNT, "1,024"), (NumberField("sum", "Sum"), "1.75 or 7/4")],
)
def test_the_way_to_write_it_fits_the_field(field, example):
    with pytest.raises(InputError, match=example):
        read_number("1.8e1", field)


def test_a_fraction_over_nothing_is_told():
    with pytest.raises(InputError, match="cannot have 0"):
        read_number("1/0", SHARE)
