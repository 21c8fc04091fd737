"""Lessons: a path through the screens for each learning objective of the lecture.

A step sets the state of a screen by its address, asks for a prediction, and reveals the answer. Answers are
never written down here: `drawing` and `running` compute them from the state that the address names.
"""

from hashlib import sha256

from core.teaching.lessons.path_calling import CALLING
from core.teaching.lessons.path_context import CONTEXT
from core.teaching.lessons.path_loop import LOOP
from core.teaching.lessons.path_messages import MESSAGES
from core.teaching.lessons.path_sampling import SAMPLING
from core.teaching.lessons.step import Answer as Answer
from core.teaching.lessons.step import Choice as Choice
from core.teaching.lessons.step import Lesson as Lesson
from core.teaching.lessons.step import LessonStep as LessonStep

LESSONS = (SAMPLING, LOOP, CALLING, MESSAGES, CONTEXT)
"""In the order of the objectives."""

EDITION = sha256("".join(step.ask for lesson in LESSONS for step in lesson.steps).encode()).hexdigest()[:8]
"""Another one wherever a step is another: progress is kept by the numbers of the steps."""
