"""What is set on the messages screen: one value in the session, and in the address.

A conversation that was pasted or edited is too long for an address: it lives in the session alone, one for
each run that it was made of.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import streamlit as st

from core.errors import InputError
from core.figures.messages_view import OWN_TEMPLATE, PROVIDERS, checked_template, template_of
from core.figures.tool_view import FAMILIES
from core.messages import template_of as template_of_file
from core.teaching import conversation as editing
from core.teaching.conversation import Conversation
from core.teaching.conversation_changes import CHANGES, changed
from core.trace import Trace
from pages.common import address
from pages.common.page import opened

KEY = "state of the messages screen"
VIEWS = {"four": "Four views", "forged": "Forged turns", "react": "ReAct as text"}
NAMES = {"view", "provider", "template", "message", "change", "own"}
LOST = "That conversation was somebody's own, which only their session holds; this is the bundled run."

Own = Mapping[str, Conversation]


@dataclass(frozen=True)
class Messaging:
    """`slug`: the run in view. `change`: what is changed of its conversation, names of `CHANGES`. `own`:
    conversations that were edited or pasted, by the slug of the run that they stand in for. `message`: the
    selected one.

    A new `revision` says that `message` was set by other means than selecting it in the picture. `notice`: a
    sentence about a bad address or an impossible change, or empty. `problem`: why what was pasted cannot be
    read.
    """

    slug: str = ""
    view: str = "four"
    provider: str = "openai-chat"
    template: str = "chatml"
    own_template: str = ""
    message: int = 0
    change: tuple[str, ...] = ()
    own: Own = field(default_factory=lambda: MappingProxyType({}))
    revision: str = ""
    notice: str = ""
    problem: str = ""

    @property
    def jinja(self) -> str:
        """The template as it is rendered with."""
        return template_of(self.template, self.own_template)


def on_opening() -> Messaging:
    """The state of this session; where the screen was opened by a link, what its address says."""
    if KEY not in st.session_state:
        st.session_state[KEY] = Messaging(revision=secrets.token_hex(4))
    if opened() and NAMES & set(st.query_params):
        st.session_state[KEY] = _from_address(current())
    return current()


def current() -> Messaging:
    """The state of this session."""
    state: Messaging = st.session_state[KEY]
    return state


def change(**changes: object) -> None:
    """Change the state in part."""
    st.session_state[KEY] = replace(current(), **{"notice": "", **changes})


def conversation(slug: str, trace: Trace) -> Conversation:
    """The conversation in view: the reader's own, or the run's with what is changed of it."""
    if current().slug not in ("", slug):
        change(message=0, revision=secrets.token_hex(4), notice=current().notice)
    change(slug=slug, notice=current().notice)
    state = current()
    if slug in state.own:
        return state.own[slug]
    whole = editing.conversation_of(trace)
    for name in state.change:
        try:
            whole = changed(whole, name, state.jinja)
        except InputError as error:
            change(notice=str(error), change=tuple(one for one in state.change if one != name))
    return whole


def suppose(name: str | None) -> None:
    """Change the run's conversation in one of the ways of `CHANGES`, or not at all."""
    kept = tuple(one for one in current().change if one == "nine" and name)
    change(change=(*kept, name) if name and name not in kept else kept)


def rename_ids(slug: str, shown: Conversation) -> None:
    """Give the calls the ids that Mistral wants."""
    if slug in current().own:
        keep(slug, changed(shown, "nine", current().jinja))
    elif "nine" not in current().change:
        change(change=("nine", *current().change))


def keep(slug: str, conversation: Conversation, message: int | None = None) -> None:
    """Take a conversation of the reader's own into view."""
    own = MappingProxyType({**current().own, slug: conversation})
    selected = current().message if message is None else message
    change(own=own, change=(), message=selected, revision=secrets.token_hex(4))


def as_it_was(slug: str) -> None:
    """Back to the run's own conversation."""
    own = MappingProxyType({name: one for name, one in current().own.items() if name != slug})
    change(own=own, change=(), revision=secrets.token_hex(4))


def paste(slug: str, text: str) -> None:
    """Read a conversation from a provider's JSON; where it cannot be, everything stays."""
    try:
        read = editing.read_conversation(text)
    except InputError as error:
        change(problem=str(error))
        return
    change(problem="", provider=read.dialect)
    keep(slug, read.conversation, 0)


def paste_template(text: str) -> None:
    """Take a chat template of the reader's own; where it is none, everything stays."""
    try:
        change(own_template=checked_template(text), template=OWN_TEMPLATE, problem="")
    except InputError as error:
        change(problem=str(error))


def take_template(path: Path) -> None:
    """Take the chat template inside a model of the operator's."""
    try:
        paste_template(template_of_file(path))
    except InputError as error:
        change(problem=str(error))


def act(slug: str, shown: Conversation, asked: object) -> None:
    """Do what the picture asks for; what makes no sense is left out."""
    match asked:
        case {"do": "provider", "name": str() as name} if name in PROVIDERS:
            change(provider=name)
        case {"do": "template", "name": str() as name} if _is_template(name, current()):
            change(template=name)
        case {"do": "suppose", "name": str() as name} if name in CHANGES:
            keep_out = slug in current().own
            if keep_out:
                keep(slug, changed(shown, name, current().jinja))
            else:
                suppose(name)
        case {"do": "nine"}:
            rename_ids(slug, shown)
        case {"do": "edit", "message": int() as index, "fields": dict() as fields} if _is_in(index, shown):
            texts = {name: text for name, text in fields.items() if isinstance(text, str)}
            keep(slug, editing.edited(shown, index, texts), index)
        case {"do": str() as verb, "message": int() as index} if verb in EDITS and (
            _is_in(index, shown) or not shown.messages
        ):
            keep(slug, *EDITS[verb](shown, index))


EDITS = {
    "user": editing.with_user,
    "answer": editing.with_answer,
    "call": editing.with_call,
    "result": editing.with_result,
    "remove": editing.without,
}


def templates(state: Messaging) -> dict[str, str]:
    """The templates that can be chosen, by name, with their titles."""
    return FAMILIES | ({OWN_TEMPLATE: "Your own Jinja"} if state.own_template else {})


def select(reported: object) -> None:
    """Take over the message that is selected in the picture."""
    match reported:
        case {"message": int() as message, "revision": str() as revision} if revision == current().revision:
            change(message=max(0, message))


def write_address(slug: str) -> None:
    """Put the state into the address."""
    state = current()
    address.write(
        {
            "view": "" if state.view == "four" else state.view,
            "provider": "" if state.provider == "openai-chat" else state.provider,
            "template": "" if state.template in ("chatml", OWN_TEMPLATE) else state.template,
            "message": str(state.message or ""),
            "change": ".".join(state.change),
            "own": "1" if slug in state.own else "",
        }
    )


def _from_address(before: Messaging) -> Messaging:
    """What fits of the address; a student may have typed it."""
    asked = st.query_params
    lost = asked.get("own") == "1" and not before.own
    return replace(
        before,
        view=asked["view"] if asked.get("view") in VIEWS else "four",
        provider=asked["provider"] if asked.get("provider") in PROVIDERS else "openai-chat",
        template=asked["template"] if asked.get("template") in FAMILIES else "chatml",
        message=address.whole(asked.get("message", "")) or 0,
        slug="",  # a link to another run names a message of that one
        change=tuple(name for name in dict.fromkeys(asked.get("change", "").split(".")) if name in CHANGES),
        revision=secrets.token_hex(4),
        notice=LOST if lost else "",
    )


def _is_template(name: str, state: Messaging) -> bool:
    return name in templates(state)


def _is_in(index: int, shown: Conversation) -> bool:
    return 0 <= index < len(shown.messages)
