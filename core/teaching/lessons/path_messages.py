"""The fourth objective: the message types, and the pairing of calls and results."""

from core.teaching.exercises.loop_pairing import FAULTS
from core.teaching.lessons import reading, running
from core.teaching.lessons.step import Address, Choice, Lesson, LessonStep, Number

CITIES = ("Berlin", "Paris")
TYPES = ("UserMessage", "AssistantMessage", "ToolResultMessage")
OBSERVED = {"scenario": "berlin", "step": "6"}
ROLES = ("system", "user", "assistant", "tool")
REFUSED, TAKEN = "it refuses the request", "it takes the request"


def _strict(address: Address) -> str:
    return REFUSED if running.is_refused(address) else TAKEN


MESSAGES = Lesson(
    title="Message types",
    objective="Explain UserMessage, AssistantMessage and ToolResultMessage.",
    steps=(
        LessonStep(
            screen="home",
            address={},
            look="The loop, in the middle: what the tool returns is appended, and sent with the next call.",
            ask="As which type of message is the observation stored?",
            question=Choice(TYPES, lambda _: running.kind_of_message(OBSERVED)),
            why="The user's text, the model's reply and a tool's result each have a type of their own.",
        ),
        LessonStep(
            screen="react",
            address={"scenario": "berlin", "step": "2"},
            look="The first call of the model. Stored so far: a system prompt and a question.",
            ask="How many messages are stored when the run has ended?",
            question=Number(running.messages_stored),
            then={"step": "8"},
            why="Two more of the assistant, the call and the answer, and the tool's result between them.",
        ),
        LessonStep(
            screen="react",
            address={"scenario": "parallel", "step": "4"},
            look="One AssistantMessage with two calls. Both wait.",
            ask="How many ToolResultMessages follow it?",
            question=Number(running.results_so_far),
            then={"step": "11"},
            why="Each call needs a result of its own, with its id.",
        ),
        LessonStep(
            screen="messages",
            address={"scenario": "arrival", "view": "four"},
            look="The results of two calls, for Berlin and Paris, in the order in which they came.",
            ask="Whose weather is the result that came first?",
            question=Choice(CITIES, lambda address: running.call_answered_by(0, address)),
            then={"message": "3"},
            why="Its tool_call_id says so. The order says nothing.",
        ),
        LessonStep(
            screen="messages",
            address={"scenario": "parallel", "view": "four"},
            look="Four views of one conversation. A line leads from each call to its result.",
            ask="One result is lost. What does a strict server do?",
            question=Choice((REFUSED, TAKEN), _strict),
            then={"change": "unanswered", "message": "2"},
            why="A call without its result breaks the pairing, and every later request holds the same fault.",
        ),
        LessonStep(
            screen="messages",
            address={"scenario": "parallel", "view": "four"},
            look="All results are there again.",
            ask="A result stands before its call. What does the server do now?",
            question=Choice((REFUSED, TAKEN), _strict),
            then={"change": "early", "message": "2"},
            why="Among results the order is free. A result before its call answers nothing.",
        ),
        LessonStep(
            screen="exercises",
            address={"kind": "pairing", "seed": "4"},
            look="Now without the lines. Read the ids of calls and results.",
            ask="What is wrong with these messages?",
            question=Choice(tuple(FAULTS.values()), lambda address: reading.choice_asked("fault", address)),
            why="Each id of a call has to stand on one result after it. Which id is it here?",
        ),
        LessonStep(
            screen="messages",
            address={"scenario": "berlin", "view": "four", "message": "3"},
            look="The JSON of OpenAI's chat API: a role for each type of message.",
            ask="Under which role does Anthropic's API carry a tool result?",
            question=Choice(ROLES, running.role_of_results),
            then={"provider": "anthropic"},
            why="The types are the same everywhere. The envelope is the provider's.",
        ),
    ),
)
