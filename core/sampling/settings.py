"""The dials of the sampler, checked, and what the chosen engine itself would say to them."""

from dataclasses import dataclass

from core.errors import InputError
from core.sampling.checks import fraction, temperature_value, whole_number
from core.sampling.engines import ENGINES, StageName


@dataclass(frozen=True)
class SamplerSettings:
    """Temperature, the three filters, and the engine whose tie rule and, unless one is given, order apply.

    `temperature` >= 0, where 0 is greedy. `top_k`: a number of tokens; 0 is off, and so is -1, which is
    stored as 0. `top_p` in [0, 1]; 1 is off, 0 keeps the first token. `min_p` in [0, 1]; 0 is off.
    `order`: the names of the four stages, each once, in an order of one's own; empty is the engine's.
    Errors: `InputError` for a value outside these.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    engine: str = "transformers"
    order: tuple[StageName, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.engine, str) or self.engine not in ENGINES:
            raise InputError(f"There is no engine {self.engine!r} here; choose one of {', '.join(ENGINES)}.")
        top_k = whole_number("top_k", self.top_k)
        if top_k < -1:
            raise InputError(f"top_k is a number of tokens, or 0 to switch it off; {top_k} is neither.")
        order = tuple(self.order)
        if order and sorted(order, key=str) != sorted(ENGINES[self.engine].order):
            raise InputError("An order of your own names temperature, top-k, top-p and min-p, each once.")
        # Normalised, so that settings that mean the same compare equal.
        object.__setattr__(self, "temperature", temperature_value(self.temperature))
        object.__setattr__(self, "top_k", max(top_k, 0))
        object.__setattr__(self, "top_p", fraction("top_p", self.top_p))
        object.__setattr__(self, "min_p", fraction("min_p", self.min_p))
        object.__setattr__(self, "order", () if order == ENGINES[self.engine].order else order)

    @property
    def stage_order(self) -> tuple[StageName, ...]:
        """The order in which the stages run."""
        return self.order or ENGINES[self.engine].order

    @classmethod
    def defaults(cls, engine: str) -> "SamplerSettings":
        """What `engine` uses when a request names no sampling parameter. `InputError` if unknown."""
        chosen = ENGINES[cls(engine=engine).engine]
        return cls(chosen.temperature, chosen.top_k, chosen.top_p, chosen.min_p, engine)


def engine_note(settings: SamplerSettings) -> str | None:
    """Where the engine itself would refuse or alter these settings, as sentences; else `None`.

    Loopscope evaluates the settings as they are given.
    Source: transformers, TemperatureLogitsWarper and TopKLogitsWarper; vLLM, SamplingParams.__post_init__.
    """
    notes: list[str] = []
    temperature = settings.temperature
    if settings.engine == "transformers" and temperature == 0:
        notes.append("transformers refuses T = 0: there, greedy is do_sample=False.")
    if settings.engine == "vllm":
        if temperature == 0:
            notes.append(
                "vLLM takes T = 0 as greedy: z / T would be a division by zero, so it leaves out softmax, "
                "filters and draw, and takes the argmax."
            )
        elif temperature < 0.01:
            notes.append("vLLM raises a temperature between 0 and 0.01 to 0.01.")
        elif temperature > 2:
            notes.append("vLLM refuses a temperature above 2.")
        if settings.top_p == 0:
            notes.append("vLLM refuses top_p = 0.")
    if settings.top_k == 1 and temperature > 0 and ENGINES[settings.engine].keeps_ties:
        notes.append(
            f"top_k = 1 is greedy here: one token, the lowest id if several tie. "
            f"{settings.engine} would keep every token that ties for the first place."
        )
    return " ".join(notes) or None
