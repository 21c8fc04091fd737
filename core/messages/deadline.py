"""Templates that somebody pasted, for a limited time: their loops need not end, and on a class server
everybody would wait.

The sandbox bounds what a template may touch and how much it may hold, not how long it runs. So it runs in a
thread, in which an exception is raised when its time is over (CPython, C API, `PyThreadState_SetAsyncExc`).
"""

import threading
from collections.abc import Callable, Iterable
from ctypes import c_ulong, py_object, pythonapi
from typing import TypeVar

from core.errors import InputError
from core.messages.chat_dialect import MessageLike, ToolLike
from core.messages.render import render
from core.messages.rendered import Rendered
from core.messages.templates import is_jinja

T = TypeVar("T")

SECONDS = 6.0
"""A thousand messages take less than one on an idle machine."""


class _Over(BaseException):
    """The time is over. No `Exception`, for a template's own failures are caught as such."""


def render_in_time(
    messages: Iterable[MessageLike],
    tools: Iterable[ToolLike] | None,
    template: str,
    seconds: float = SECONDS,
) -> Rendered:
    """As `core.messages.render`; a template that is given as text gets no more than its time.

    Raises:
        InputError: as `render` does, and when the time is over.
    """
    if not is_jinja(template):
        return render(messages, tools, template)
    return _within(seconds, lambda: render(messages, tools, template))


def _within(seconds: float, work: Callable[[], T]) -> T:
    done: list[T] = []
    failed: list[Exception] = []

    def run() -> None:
        try:
            done.append(work())
        except Exception as error:
            failed.append(error)
        except _Over:
            pass

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive() and thread.ident is not None:
        pythonapi.PyThreadState_SetAsyncExc(c_ulong(thread.ident), py_object(_Over))
        thread.join()
    if failed:
        raise failed[0]
    if not done:
        raise InputError(
            f"The chat template was stopped after {seconds:g} seconds: one of its loops is too long, or has "
            "no end."
        )
    return done[0]
