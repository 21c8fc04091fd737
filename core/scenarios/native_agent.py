"""ReAct with native tool calls: reasons for the record, repeated calls, and what a review finds."""

from core.agent import Guards
from core.scenarios.first_runs import REFUND
from core.scenarios.scenario import Scenario, answer, call, calls
from core.scenarios.tools import GET_ENROLLMENT, SEARCH_DOCS
from core.scenarios.website import SEND_MAIL

DETECTOR = Scenario(
    slug="detector",
    title="Four calls, the last is REPEATING",
    question="What are the rules for a refund?",
    note="max_repeats = 2: “refund policy” may run twice: told not to repeat, it does, so code counts.",
    system=REFUND.system,
    tools=(SEARCH_DOCS,),
    replies=(
        calls(call("call_1", "search_docs", query="refund policy", reason="Find the refund rules.")),
        calls(call("call_2", "search_docs", reason="Try again with the same query.", query="refund policy")),
        calls(call("call_3", "search_docs", query="refund window days", reason="Use different words.")),
        calls(call("call_4", "search_docs", query="refund policy", reason="One more time.")),
        answer(
            "Refunds are available within 7 days of purchase if less than 20% of the course is completed "
            "(refund-policy#0). An approved one takes 5 to 7 business days (refund-policy#1)."
        ),
    ),
)

NO_MATCH = Scenario(
    slug="no-match",
    title="A search that finds nothing",
    question="Do you have a podcast?",
    note="A search finds nothing, and is asked again: blocked in code (max_repeats = 1). Then other words.",
    system=REFUND.system,
    tools=(SEARCH_DOCS,),
    guards=Guards(repeats=2),
    replies=(
        calls(call("call_1", "search_docs", query="podcast", reason="I look for a page on podcasts.")),
        calls(call("call_2", "search_docs", query="podcast", reason="Nothing yet, so I look once more.")),
        calls(call("call_3", "search_docs", query="audio episodes", reason="The same in other words, once.")),
        answer(
            "I could not find out: the help pages have nothing under “podcast” or “audio episodes”. "
            "Please ask the support team."
        ),
    ),
)

NO_DETECTOR = Scenario(
    slug="no-detector",
    title="The same call, and no detector",
    question="Do you have a podcast?",
    note="Nothing counts the calls: steps and tokens are wasted, and it never concludes. A cap ends it.",
    tools=(SEARCH_DOCS,),
    guards=Guards(repeats=None, fallback="I could not finish this. A member of staff will answer you."),
    max_steps=4,
    replies=tuple(
        calls(call(f"call_{number}", "search_docs", query="podcast", reason=reason))
        for number, reason in enumerate(
            (
                "I look for a page on podcasts.",
                "Nothing yet, so I look once more.",
                "There may be something now.",
                "I look again, to be sure.",
            ),
            start=1,
        )
    ),
)

UNKNOWN_EMAIL = Scenario(
    slug="unknown-email",
    title="An email without an enrollment",
    question="Hi, I'm kim@example.com. Can I still get a refund for my course?",
    note="The result changes the plan: without an enrollment no rule can be applied, and none is looked up.",
    system=REFUND.system,
    tools=(GET_ENROLLMENT, SEARCH_DOCS),
    replies=(
        calls(
            call(
                "call_1",
                "get_enrollment",
                email="kim@example.com",
                reason="I need the date of purchase and the progress of this student.",
            )
        ),
        answer(
            "I cannot tell: there is no enrollment for kim@example.com (get_enrollment). Did you buy the "
            "course with another address?"
        ),
    ),
)

CARELESS = Scenario(
    slug="careless",
    title="A trajectory worth a review",
    question=REFUND.question,
    note="No instructions. Real runs, sampled and reviewed as support tickets are, show how to improve an "
    "agent.",
    tools=(GET_ENROLLMENT, SEARCH_DOCS, SEND_MAIL),
    max_steps=8,
    replies=(
        calls(
            call(
                "call_1",
                "search_docs",
                query="refund window days",
                reason="I look up when this student bought the course.",
            )
        ),
        calls(
            call(
                "call_2",
                "search_docs",
                query="refund window days purchase",
                reason="There was no date of this student, so I search again.",
            )
        ),
        calls(
            call(
                "call_3",
                "send_mail",
                to="asha@example.com",
                subject="Your refund",
                text="Your refund is approved.",
            )
        ),
        calls(
            call(
                "call_4",
                "get_enrollment",
                email="asha@example.com",
                reason="Now I check whether a refund is possible at all.",
            )
        ),
        answer("Yes. Your 180 euros are on their way, and a mail tells you so."),
    ),
)
