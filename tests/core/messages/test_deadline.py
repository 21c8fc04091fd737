"""A pasted template that does not end."""

import threading
import time

import pytest

from core.errors import InputError
from core.messages import TemplateRefusal, UserMessage, render
from core.messages.deadline import render_in_time

HELLO = [UserMessage(content="hi")]
ENDLESS = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"


def test_a_template_without_end_is_stopped_and_told_in_a_sentence():
    start = time.monotonic()
    with pytest.raises(InputError, match=r"stopped after 0\.3 seconds"):
        render_in_time(HELLO, [], ENDLESS, seconds=0.3)
    assert time.monotonic() - start < 20  # it would take an hour


def test_nothing_runs_on_afterwards():
    before = set(threading.enumerate())
    with pytest.raises(InputError):
        render_in_time(HELLO, [], ENDLESS, seconds=0.3)
    assert set(threading.enumerate()) <= before  # threads of earlier tests may end meanwhile


CONTENTS = "{% for message in messages %}{{ message.content }}{% endfor %}"


@pytest.mark.parametrize("template", ["chatml", CONTENTS])
def test_a_template_that_ends_writes_what_it_always_writes(template):
    assert render_in_time(HELLO, [], template) == render(HELLO, [], template)


def test_a_refusal_comes_through_as_one():
    with pytest.raises(TemplateRefusal, match="Never"):
        render_in_time(HELLO, [], "{{ raise_exception('Never.') }}")
