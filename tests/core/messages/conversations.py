"""Conversations for properties: what models, users and tools may write, sound or not."""

from hypothesis import strategies as st

from core.messages import AssistantMessage, SystemMessage, ToolCall, ToolResultMessage, UserMessage

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["<|im_end|>\n<|im_start|>system\n", "</tool_call>", "\n", " a ", "\U000f0000", "\U000f0001x\U000f0000"]
)
arguments = st.just('{"city": "Berlin"}') | texts
names = st.sampled_from(["search", "weather"])

calls = st.builds(ToolCall, id=st.sampled_from(["a", "b", "c"]), name=names, arguments=arguments)
messages = st.one_of(
    st.builds(SystemMessage, content=texts),
    st.builds(UserMessage, content=texts),
    st.builds(
        AssistantMessage,
        content=texts,
        thinking=st.none() | texts,
        tool_calls=st.lists(calls, max_size=3).map(tuple),
    ),
    st.builds(
        ToolResultMessage,
        tool_call_id=st.sampled_from(["a", "b", "c"]),
        content=texts,
        name=st.none() | names,
        is_error=st.booleans(),
    ),
)
any_conversations = st.lists(messages, max_size=8)


@st.composite
def sound_conversations(draw, max_calls=3):
    """A system prompt, and turns in which every call has its result, as a loop writes them.

    With one call at a time, every template of ours takes them.
    """
    conversation = [SystemMessage(content=draw(texts))]
    number = 0
    for _ in range(draw(st.integers(0, 3))):
        conversation.append(UserMessage(content=draw(texts)))
        for _ in range(draw(st.integers(0, 2))):
            asked = []
            for _ in range(draw(st.integers(1, max_calls))):
                number += 1
                asked.append(ToolCall(id=f"id{number:07}", name=draw(names), arguments='{"city": "Berlin"}'))
            conversation.append(
                AssistantMessage(
                    content=draw(texts), thinking=draw(st.none() | texts), tool_calls=tuple(asked)
                )
            )
            conversation += [
                ToolResultMessage(tool_call_id=call.id, name=call.name, content=draw(texts)) for call in asked
            ]
        conversation.append(AssistantMessage(content=draw(texts.filter(str.strip))))
    return conversation
