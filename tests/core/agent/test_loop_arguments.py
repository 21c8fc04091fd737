"""What a run refuses to begin with."""

import pytest

from core.agent import Tool, run
from core.errors import InputError
from core.lm.scripted import ScriptedModel
from core.messages import (
    ToolSchema,
)
from tests.core.agent.looping import ANSWER, TOOLS, call, calling, temp


@pytest.mark.parametrize(
    "options",
    [
        {"max_steps": 0},
        {"tools": [TOOLS[0], TOOLS[0]]},
        {"tools": [Tool(ToolSchema(name="f", parameters={"type": "text"}), print)]},
        {"history": [calling(call("a"))]},
        {"max_steps": "8"},
        {"max_steps": True},
        {"tools": None},
        {"tools": [temp]},
        {"tools": "temp"},
        {"tools": iter(TOOLS)},
        {"history": None},
        {"history": ["before"]},
        {"system": 3},
        {"counter": "gpt2"},
        {"format": "text"},
        {"policy": ["temp"]},
        {"guards": {"timeout": 3}},
        {"watch": []},
    ],
)
def test_a_bad_argument_is_refused_at_once(options):
    with pytest.raises(InputError):
        run(ScriptedModel("m", [ANSWER]), "q", **options)


@pytest.mark.parametrize(
    ("model", "user_input"), [(None, "q"), (object(), "q"), (ScriptedModel("m", []), None)]
)
def test_without_a_model_or_a_question_there_is_no_run(model, user_input):
    with pytest.raises(InputError):
        run(model, user_input)
