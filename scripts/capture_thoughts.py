"""Write core/teaching/thought/captured.json: serial tasks that the embedded model answers in three ways.

    python scripts/capture_thoughts.py [questions]

`questions` of each task and length, 8 if not given: some seconds each. What is there already stays, so that
it can be stopped and goes on; delete the file when the tasks or their prompts change.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from core.lm import EmbeddedModel, embedded
from core.sampling import SamplerSettings
from core.teaching.thought.captured import BUNDLED, LENGTHS, SEED, Captured
from core.teaching.thought.hint import LETTERS, QUESTIONS, chained, moved
from core.teaching.thought.tasks import TASKS, prompts
from core.teaching.thought.votes import DRAWN, GREEDY, Vote, vote
from core.teaching.thought.ways import answer

VOTES = 7  # chains of each bundled question


def keep(made: Captured) -> Captured:
    """Write it and return it."""
    BUNDLED.write_text(made.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return made


def voted(model: EmbeddedModel, question: int, settings: SamplerSettings, seed: int) -> Vote:
    """One chain and its answer."""
    drawing = vote(model, question, settings, seed)
    while True:
        try:
            next(drawing)
        except StopIteration as done:
            return done.value


if __name__ == "__main__":
    questions = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    model = embedded()
    made = (
        Captured.model_validate_json(BUNDLED.read_text(encoding="utf-8"))
        if BUNDLED.exists()
        else Captured(model=model.name, seed=SEED, outcomes={})
    )
    if not made.hints:
        pairs = [(place, hint) for place in range(len(QUESTIONS)) for hint in range(len(LETTERS))]
        made = keep(made.model_copy(update={"hints": tuple(moved(model, *pair) for pair in pairs)}))
    for place in range(len(made.chains), len(QUESTIONS)):
        wrong = (QUESTIONS[place].right + 1) % len(LETTERS)
        made = keep(made.model_copy(update={"chains": (*made.chains, chained(model, place, wrong))}))
        print(f"chain {place + 1} of {len(QUESTIONS)}", flush=True)
    for place in range(len(made.votes), len(QUESTIONS)):
        greedy = (*made.greedy, voted(model, place, GREEDY, 0))
        drawn = (*made.votes, tuple(voted(model, place, DRAWN, seed) for seed in range(VOTES)))
        made = keep(made.model_copy(update={"greedy": greedy, "votes": drawn}))
        print(f"votes on question {place + 1} of {len(QUESTIONS)}", flush=True)
    # One task after the other: the model has read the examples of the last ones.
    for task in TASKS:
        for index in range(questions):
            for length in LENGTHS:
                there = made.of(task, length, SEED)
                if len(there) == index:
                    more = (*there, answer(model, prompts(task, length, SEED, index)))
                    of_task = {**made.outcomes.get(task, {}), length: more}
                    made = keep(made.model_copy(update={"outcomes": {**made.outcomes, task: of_task}}))
            print(f"{task}: {index + 1} of {questions} questions", flush=True)
