"""Sampling parameters by use case, by the lecture's two rules.

The number of acceptable outputs decides: a task with one valid output is generated at T = 0, a task whose
goal is variety at T of about 1. And one parameter at a time: top_p stays at 0.9 to 0.95, T alone is adjusted.
The figures between these rules are Loopscope's own.
"""

from dataclasses import dataclass

from core.sampling import SamplerSettings

TOP_P = 0.95


@dataclass(frozen=True)
class UseCase:
    """A task, how many outputs are acceptable, and so its temperature, with a prompt to try it on."""

    name: str
    outputs: str
    temperature: float
    prompt: str

    @property
    def settings(self) -> SamplerSettings:
        """The sampler's settings: T differs between use cases, nothing else."""
        return SamplerSettings(temperature=self.temperature, top_p=TOP_P)


def _chat(user: str, answer: str = "") -> str:
    return f"<|im_start|>user\n{user}<|im_end|>\n<|im_start|>assistant\n{answer}"


USE_CASES = (
    UseCase(
        "Tool call",
        "one is valid",
        0.0,
        _chat(
            "What is the weather in Oslo? Answer only with a call of get_weather as JSON, "
            '{"name": "get_weather", "arguments": {"city": ...}}.',
            '{"name":',
        ),
    ),
    UseCase("Factual answer", "one is right", 0.0, _chat("What is the capital of France?")),
    UseCase(
        "Summary",
        "a few are good",
        0.5,
        _chat(
            "Summarise in one sentence: A language model gives a probability to every token of its "
            "vocabulary. A sampler draws one of them. The token is appended, and the model reads on."
        ),
    ),
    UseCase("Brainstorming", "variety is the goal", 1.0, _chat("Suggest five names for a small bookshop.")),
)

RULES = (
    "The number of acceptable outputs decides. The lecture's rules: one valid output, T = 0; variety as the "
    "goal, T of about 1; top-p stays at 0.9 to 0.95, and T alone is adjusted: one parameter at a time. "
    "Tests, evaluations and linters: T = 0 and, where the API has one, a fixed seed, so that runs are "
    "comparable. T = 0.5 for a summary lies between the rules and is Loopscope's own choice. The prompt is "
    "the other control, and usually the stronger one: clarity, examples, a role, structure. Improve it "
    "first, set T second."
)
