"""The fourth objective: the message types, and the pairing of calls and results."""

from core.teaching.lessons import running
from core.teaching.lessons.step import Address, Choice, Lesson, LessonStep, Number

CITIES = ("Berlin", "Paris")
ROLES = ("system", "user", "assistant", "tool")
REFUSED, TAKEN = "it refuses the request", "it takes the request"


def _strict(address: Address) -> str:
    return REFUSED if running.is_refused(address) else TAKEN


MESSAGES = Lesson(
    title="Message types",
    objective="Explain UserMessage, AssistantMessage and ToolResultMessage.",
    steps=(
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
            then={"change": "unanswered"},
            why="A call without its result breaks the pairing, and every later request holds the same fault.",
        ),
        LessonStep(
            screen="messages",
            address={"scenario": "parallel", "view": "four"},
            look="All results are there again.",
            ask="A result stands before its call. What does the server do now?",
            question=Choice((REFUSED, TAKEN), _strict),
            then={"change": "early"},
            why="Among results the order is free. A result before its call answers nothing.",
        ),
        LessonStep(
            screen="messages",
            address={"scenario": "berlin", "view": "four"},
            look="The JSON of OpenAI's chat API: a role for each type of message.",
            ask="Under which role does Anthropic's API carry a tool result?",
            question=Choice(ROLES, running.role_of_results),
            then={"provider": "anthropic"},
            why="The types are the same everywhere. The envelope is the provider's.",
        ),
    ),
)
