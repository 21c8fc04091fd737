"""The pairing invariant: find the call without a result, the result without a call, or nothing at all."""

from collections.abc import Sequence

import numpy as np

from core.messages import AssistantMessage, Message, ToolResultMessage, check_pairing, pairs, refusals
from core.teaching.exercises.base import ChoiceField, Code, Kind, Made, Mistake, Step, Table
from core.teaching.exercises.loop_chance import pick, some
from core.teaching.exercises.loop_scripts import SYSTEM, script
from core.teaching.exercises.loop_transcript import history, listed

FAULTS = {
    "no result": "a call has no result",
    "no call": "a result has no call",
    "second result": "a call has two results",
    "": "nothing: it may be sent",
}
NONE = "none"


def pairing(rng: np.random.Generator) -> Made:
    """Say what is wrong with the messages of a run, and with which id."""
    fault = pick(rng, tuple(FAULTS))
    messages: Sequence[Message] = ()
    while True:
        messages = _broken(rng, _with_own_ids(rng, script(rng, together=0.8).ran.trace.messages), fault)
        if len(pairs(messages)) > 1 and len(check_pairing(messages)) == bool(fault):
            break
    sent = history(SYSTEM, messages)
    problems = check_pairing(sent)
    kind, id_ = (problems[0].kind, problems[0].call_id) if problems else ("", NONE)
    ids = _ids(messages)
    return Made(
        task="A runtime is about to send these messages, numbered from 0 as servers do. What is wrong with "
        "them, and with which id?",
        given=(listed(sent, first=0),),
        fields=(
            ChoiceField("fault", "What is wrong", tuple(FAULTS.values())),
            ChoiceField("id", "Id", (*ids, NONE)),
        ),
        answers={"fault": FAULTS[kind], "id": id_},
        hint="Go through the calls one by one, and look for the result with the same id.",
        mistakes=_mistakes(kind, ids, sent),
        steps=(
            Step("Each call with the message that answers it:", _table(sent)),
            Step(str(problems[0]) if problems else "Each call has one result, and each result its call."),
            *(
                [Step("A strict server answers:", Code(str(refusals(sent, "openai-chat")[0])))]
                if problems
                else []
            ),
        ),
    )


def _mistakes(kind: str, ids: Sequence[str], sent: Sequence[Message]) -> tuple[Mistake, ...]:
    answered = [pair.call_id for pair in pairs(sent) if pair.result is not None]
    if kind:
        told = [
            Mistake(
                f"It may not be sent: a server refuses it. {KEYS[kind]}", {"fault": FAULTS[""], "id": NONE}
            )
        ]
    else:
        free = "Each call has its result; the order of the results is free, for the id pairs them."
        told = [Mistake(free, {"fault": text}) for fault, text in FAULTS.items() if fault]
    if kind == "no result":
        told.append(Mistake("The other way round: every result has its call.", {"fault": FAULTS["no call"]}))
        told.append(Mistake("No id stands on two results.", {"fault": FAULTS["second result"]}))
    if kind == "no call":
        told.append(
            Mistake("The other way round: every call has its result.", {"fault": FAULTS["no result"]})
        )
        told.append(Mistake("No id stands on two results.", {"fault": FAULTS["second result"]}))
    if kind == "second result":
        told.append(
            Mistake("Its call is there, but an earlier message answers it.", {"fault": FAULTS["no call"]})
        )
        told.append(Mistake("Every call has a result, one of them two.", {"fault": FAULTS["no result"]}))
    if kind:
        told.append(Mistake(f"One id is at fault. {KEYS[kind]}", {"id": NONE}))
    return (
        *told,
        *(
            Mistake(f"{id_} is a pair: its call and one result are both there.", {"id": id_})
            for id_ in ids
            if answered.count(id_) == 1 and _results(sent).count(id_) == 1
        ),
    )


KEYS = {
    "no result": "Look for a result of every call.",
    "no call": "Look for the call of every result.",
    "second result": "Count the results of every call.",
}


def _results(messages: Sequence[Message]) -> list[str]:
    return [message.tool_call_id for message in messages if isinstance(message, ToolResultMessage)]


def _ids(messages: Sequence[Message]) -> tuple[str, ...]:
    asked = [pair.call_id for pair in pairs(messages)]
    return tuple(dict.fromkeys([*asked, *_results(messages)]))


def _table(messages: Sequence[Message]) -> Table:
    rows = [
        (pair.call_id, str(pair.call), "none" if pair.result is None else str(pair.result))
        for pair in pairs(messages)
    ]
    return Table(("call", "in message", "result in message"), tuple(rows))


def _with_own_ids(rng: np.random.Generator, messages: Sequence[Message]) -> list[Message]:
    """The messages with ids as servers make them, alike to the eye, and results in an order of their own."""
    stems = some(rng, [a + b for a in "3b8e6" for b in "8be36"], 8)
    renamed: dict[str, str] = {}
    block: list[Message] = []
    found: list[Message] = []
    for message in messages:
        if isinstance(message, ToolResultMessage):
            block.append(message.model_copy(update={"tool_call_id": renamed[message.tool_call_id]}))
            continue
        found += some(rng, block, len(block))
        block = []
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                renamed[call.id] = f"call_{stems[len(renamed)]}"
            calls = [call.model_copy(update={"id": renamed[call.id]}) for call in message.tool_calls]
            message = message.model_copy(update={"tool_calls": tuple(calls)})
        found.append(message)
    return [*found, *some(rng, block, len(block))]


def _broken(rng: np.random.Generator, messages: list[Message], fault: str) -> list[Message]:
    """The messages with this fault in one place."""
    pair = pick(rng, pairs(messages))
    asked, result = messages[pair.call], messages[pair.result or 0]
    assert isinstance(asked, AssistantMessage)
    if fault == "no result":
        return [message for message in messages if message is not result]
    if fault == "second result":
        # Behind its block, so that both results follow the call.
        end = max(p.result or 0 for p in pairs(messages) if p.call == pair.call)
        return [*messages[: end + 1], result, *messages[end + 1 :]]
    if fault == "no call":
        left = tuple(call for call in asked.tool_calls if call.id != pair.call_id)
        kept = [asked.model_copy(update={"tool_calls": left})] if left or asked.content else []
        return [*messages[: pair.call], *kept, *messages[pair.call + 1 :]]
    return messages


PAIRING = (Kind("pairing", "Find the broken pair", "B", 4, pairing),)
