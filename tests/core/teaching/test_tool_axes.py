"""One task in the four corners of format and kind."""

import json

from core.teaching.tool_axes import FORMATS, KINDS, corners, read_fenced


def test_the_four_texts_differ_and_all_come_to_the_sum_of_the_first_ten_squares():
    found = corners()
    assert [(one.format, one.kind) for one in found] == [(f, k) for f in FORMATS for k in KINDS]
    assert len({one.written for one in found}) == 4
    # 10 · 11 · 21 / 6
    assert [one.result.strip() for one in found] == ["385"] * 4


def test_a_kind_is_the_same_call_in_both_formats():
    native_specific, native_code, text_specific, text_code = corners()
    assert native_specific.call == text_specific.call
    assert native_code.call == text_code.call
    assert native_code.call.startswith('run_python({"code": "total = 0\\nfor n')


def test_only_native_calls_are_json():
    assert [one.written.startswith("{") for one in corners()] == [True, True, False, False]
    assert json.loads(corners()[1].written)["function"]["name"] == "run_python"


def test_the_programs_of_several_fences_are_one_program():
    text = "First.\n```py\na = 1\n```\nThen.\n```python\nprint(a)\n```"
    assert json.loads(read_fenced(text).arguments) == {"code": "a = 1\n\nprint(a)"}
