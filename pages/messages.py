"""The messages screen: one conversation as typed messages, as JSON, as text and as tokens."""

import streamlit as st

from core.figures.dialects_view import dialects_view
from core.figures.forged_view import forged_view
from core.figures.messages_view import messages_view
from core.lab.messages import messages_lab
from core.lm import load_tokenizer
from core.lm.local import local_path
from core.teaching.conversation import LONGEST, Conversation
from core.teaching.conversation_changes import CHANGES
from pages.common import lab, messaging, servers
from pages.common import run as running
from pages.common.components import declare
from pages.common.page import configure, heading

FOUR = declare("messages", "messages_text", "messages_cards")
FORGED = declare("messages_forged", "messages_text")
REACT = declare("messages_react", "messages_text", "messages_cards")
SEEN = "messages in view"  # session: what was drawn last, and of what
OWN = "Kept in this session: a conversation of your own is too long for a link."


def choose_view(state: messaging.Messaging) -> None:
    """Show the views, each with its key."""
    for digit, (view, title) in enumerate(messaging.VIEWS.items(), start=1):
        st.button(
            title,
            shortcut=str(digit),
            type="primary" if view == state.view else "secondary",
            on_click=messaging.change,
            kwargs={"view": view},
        )


def suppose(state: messaging.Messaging, slug: str) -> None:
    """Show what can be changed of the run, and the way back from what was."""
    st.session_state["messages_change"] = state.change[-1] if state.change else None
    st.selectbox(
        "What if",
        list(CHANGES),
        key="messages_change",
        index=None,
        format_func=CHANGES.get,
        placeholder="What if …",
        on_change=lambda: messaging.suppose(st.session_state["messages_change"]),
        disabled=slug in state.own,
        label_visibility="collapsed",
        width=340,
    )
    if slug in state.own or state.change:
        st.button("As it was", on_click=messaging.as_it_was, args=(slug,))


def bring_your_own(state: messaging.Messaging, slug: str) -> None:
    """Show the fields in which a conversation and a template can be pasted."""
    with st.popover("Your own …"):
        if state.problem:
            st.warning(state.problem)
        text = st.text_area(
            "A conversation: the JSON of OpenAI, Anthropic or Ollama",
            height=180,
            max_chars=LONGEST,
            key="messages_json",
            placeholder='{"messages": [{"role": "user", "content": "Hello"}]}',
        )
        st.button("Read the conversation", on_click=messaging.paste, args=(slug, text), disabled=not text)
        jinja = st.text_area(
            "A chat template, in Jinja",
            height=120,
            key="messages_jinja",
            placeholder="{% for message in messages %}{{ message.role }}: {{ message.content }}{% endfor %}",
        )
        st.button("Use the template", on_click=messaging.paste_template, args=(jinja,), disabled=not jinja)
        if path := local_path(servers.settings()):
            st.button(
                f"Use the template of {path.name}",
                on_click=messaging.take_template,
                args=(path,),
                help="The chat template inside the model that the operator named.",
            )


def seen(state: messaging.Messaging, shown: Conversation) -> dict[str, object]:
    """What is drawn, made anew where something of it changed; `version` is a new one then."""
    of = (state.view, shown, state.provider, state.template, state.own_template)
    last = st.session_state.get(SEEN)
    if last is None or last[0] != of:
        match state.view:
            case "forged":
                view = forged_view(shown.messages, shown.tools, state.jinja, load_tokenizer())
            case "react":
                view = dialects_view(shown.messages)
            case _:
                view = messages_view(
                    shown.messages,
                    shown.tools,
                    state.provider,
                    state.template,
                    state.own_template,
                    load_tokenizer(),
                )
        number = 1 if last is None else last[1]["version"] + 1
        last = st.session_state[SEEN] = (of, {"version": number, "view": view.model_dump()})
    return last[1]


def show(state: messaging.Messaging, slug: str, shown: Conversation) -> None:
    """The picture, and what is done in it."""
    key = f"messages_{state.view}"
    data = seen(state, shown)

    def acted() -> None:
        messaging.act(slug, shown, st.session_state[key]["act"])

    match state.view:
        case "forged":
            change = state.change[-1] if state.change else ""
            FORGED(key=key, data={**data, "change": change}, on_act_change=acted)
        case "react":
            REACT(key=key, data={**data, "message": state.message})
        case _:
            FOUR(
                key=key,
                data={**data, "anchor": {"message": anchor(state), "revision": state.revision}},
                on_selected_change=lambda: messaging.select(st.session_state[key]["selected"]),
                on_act_change=acted,
            )


def anchor(state: messaging.Messaging) -> int:
    """The message from which the picture starts: it stays while the reader selects others."""
    kept = st.session_state.get("messages anchor")
    if kept is None or kept[0] != state.revision:
        kept = st.session_state["messages anchor"] = (state.revision, state.message)
    return kept[1]


def choose_template(state: messaging.Messaging) -> None:
    """Show the templates that a turn can be forged in; the picture of four views has a menu of its own."""
    offered = messaging.templates(state)
    st.session_state["messages_template"] = state.template
    st.segmented_control(
        "Template",
        list(offered),
        format_func=offered.get,
        key="messages_template",
        required=True,
        on_change=lambda: messaging.change(template=st.session_state["messages_template"]),
        label_visibility="collapsed",
    )


configure("messages")
state = messaging.on_opening()
title, choice = st.columns([8, 3], vertical_alignment="center")
with choice:
    run = running.choose()
shown = messaging.conversation(run.slug, run.trace)
state = messaging.current()
about = state.notice or run.notice or (OWN if run.slug in state.own else running.plain(run.trace.title))
with title, st.container(gap=None):
    heading("What does the model really read?", about)
with st.container(horizontal=True, gap="small", vertical_alignment="center"):
    choose_view(state)
    st.space("stretch")
    suppose(state, run.slug)
    bring_your_own(state, run.slug)
if state.view == "forged":
    choose_template(state)
lab.offer(lambda: messages_lab(shown.messages, shown.tools, state.jinja, load_tokenizer()))
show(state, run.slug, shown)
messaging.write_address(run.slug)
