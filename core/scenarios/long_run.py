"""A run of forty turns, whose context outgrows a small window: what the context budget is about."""

from core.scenarios.scenario import Scenario, answer, call, calls
from core.scenarios.tools import SEARCH_DOCS

QUERIES = (
    "refund days completed",
    "refund payment method",
    "bundle refund",
    "certificate issued",
    "certificate name misspelt",
    "how long access to a course",
    "export notes",
    "live class recording",
    "join a live class",
    "ways to pay",
    "declined payment",
    "instalments interest",
    "late instalment",
    "voucher code",
    "gift card valid",
    "switch course",
    "weekly exercises deadline",
    "extension illness",
    "final exam questions",
    "repeat failed exam",
    "lesson progress quiz",
    "weekly e-mail number",
    "change e-mail address",
    "forgotten password",
    "personal data stored",
    "delete account",
    "subtitles transcript",
    "disability exam time",
    "offline app download",
    "save videos",
    "team licence seats",
    "support chat",
    "study group members",
    "forum solutions",
    "AI tools graded work",
    "invoice company",
    "browser requirements",
    "scholarship applications",
    "mentor call",
)
"""One a turn; the fortieth is the answer."""

LONG_RUN = Scenario(
    slug="long-run",
    title="Forty turns, one context",
    question="Read our help pages topic by topic and write down what a new student should know.",
    note="Each turn sends all turns before it again. Before the middle, 2,048 tokens are too few.",
    system="You write guides for an online school. Use facts from tool results alone, and name passages.",
    tools=(SEARCH_DOCS,),
    max_steps=len(QUERIES) + 1,
    replies=(
        *(
            calls(
                call(
                    f"call_{n}",
                    "search_docs",
                    query=query,
                    reason=f"The guide needs what the pages say on: {query}.",
                )
            )
            for n, query in enumerate(QUERIES, start=1)
        ),
        answer(
            "A course stays open for two years (access#0). You can have a refund within 7 days if less than "
            "20% is completed (refund-policy#0), and switch once within 14 days (switching-courses#0). "
            "Exercises are due on Sunday at 23:59 (deadlines#0). The exam has 40 questions in 90 minutes; 60 "
            "points pass it (exams#0). Your mentor can be called once a month (mentors#0)."
        ),
    ),
)
