"""A run whose context has all its parts: skills, memory and documents beside prompt, tools and history."""

from core.context.supplies import Skill, Supplies
from core.scenarios.scenario import Scenario, answer, call, calls
from core.scenarios.tools import GET_ENROLLMENT

SUPPLIES = Supplies(
    skills=(
        Skill(
            name="refunds",
            line="Whether a student can have the money of a course back.",
            instructions=(
                "1. Look up the course of the student: days since purchase, and progress.\n"
                "2. Compare both with the passage on refunds. Both conditions have to hold.\n"
                "3. Say yes or no first, then the reason with the passage, then where to ask for it.\n"
                "4. Promise no date that is not in a passage."
            ),
        ),
        Skill(
            name="exams",
            line="Dates, attempts and points of the final exam.",
            instructions=(
                "1. Name the number of questions, the time and the points that pass.\n"
                "2. Say how often an exam may be repeated, and when.\n"
                "3. Never discuss the questions themselves."
            ),
        ),
        Skill(
            name="certificates",
            line="How a certificate is issued, and a name on it corrected.",
            instructions=(
                "1. Check that the course is completed.\n"
                "2. Explain where the certificate is downloaded.\n"
                "3. For a wrong name, ask for the right spelling."
            ),
        ),
    ),
    facts=(
        "The student is Asha; her email address for every course and refund is asha@example.com.",
        "Asha prefers short answers to her questions.",
        "Asha learns on Sunday evenings.",
        "Asha bought her course to build an app for a bakery.",
    ),
)

ASSEMBLED = Scenario(
    slug="assembled",
    title="A context with all its parts",
    question="Can I have a refund for the course that I bought?",
    note="Skills, memory and documents are chosen for the question and added to the system prompt.",
    system="You help the students of an online school. Use the passages below and tool results alone.",
    tools=(GET_ENROLLMENT,),
    supplies=SUPPLIES,
    replies=(
        calls(
            call(
                "call_1",
                "get_enrollment",
                email="asha@example.com",
                reason="Days since purchase and progress decide on the refund.",
            ),
            thought="The skill says: first look up the course.",
        ),
        answer(
            "Yes. You bought Django REST APIs 4 days ago and have completed 12%; a refund is available "
            "within 7 days if less than 20% is completed (refund-policy#0)."
        ),
    ),
)
