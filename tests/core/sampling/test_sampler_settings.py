"""The dials: what is accepted, what is refused, and the engines' own defaults and objections."""

import math

import numpy as np
import pytest

from core.errors import InputError
from core.sampling import ENGINES, SamplerSettings, engine_note

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", -1.0),
        ("temperature", math.nan),
        ("temperature", math.inf),
        ("temperature", "0.7"),
        ("temperature", None),
        ("top_k", -2),
        ("top_k", 2.5),
        ("top_k", True),
        ("top_k", "40"),
        ("top_p", -0.1),
        ("top_p", 1.1),
        ("top_p", math.nan),
        ("min_p", -0.1),
        ("min_p", 1.1),
        ("min_p", math.nan),
        ("engine", "gpt"),
        ("engine", None),
    ],
)
def test_a_bad_value_is_refused(field: str, value) -> None:
    with pytest.raises(InputError):
        SamplerSettings(**{field: value})


def test_the_refusal_of_an_engine_lists_those_that_exist() -> None:
    with pytest.raises(InputError, match=r"transformers, llama\.cpp, ollama, vllm"):
        SamplerSettings(engine="gpt")


def test_top_k_minus_one_is_off() -> None:
    assert SamplerSettings(top_k=-1) == SamplerSettings(top_k=0)


def test_numpy_numbers_are_accepted() -> None:
    settings = SamplerSettings(temperature=np.float64(0.5), top_k=np.int64(3))
    assert settings == SamplerSettings(temperature=0.5, top_k=3)


@pytest.mark.parametrize(
    ("engine", "defaults"),
    [
        ("transformers", (1.0, 50, 1.0, 0.0)),
        ("llama.cpp", (0.8, 40, 0.95, 0.05)),
        ("ollama", (0.8, 40, 0.9, 0.0)),
        ("vllm", (1.0, 0, 1.0, 0.0)),
    ],
)
def test_defaults_of_an_engine(engine: str, defaults: tuple[float, int, float, float]) -> None:
    assert SamplerSettings.defaults(engine) == SamplerSettings(*defaults, engine)


def test_defaults_of_an_unknown_engine_are_refused() -> None:
    with pytest.raises(InputError, match="no engine 'gpt'"):
        SamplerSettings.defaults("gpt")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (SamplerSettings(temperature=0), "transformers refuses T = 0"),
        (SamplerSettings(temperature=0, engine="vllm"), "leaves out softmax, filters and draw"),
        (SamplerSettings(temperature=0.005, engine="vllm"), "to 0.01"),
        (SamplerSettings(temperature=2.5, engine="vllm"), "refuses a temperature above 2"),
        (SamplerSettings(top_p=0, engine="vllm"), "refuses top_p = 0"),
        (SamplerSettings(top_k=1), "would keep every token that ties"),
        (SamplerSettings(top_k=1, engine="vllm"), "would keep every token that ties"),
    ],
)
def test_the_engine_says_where_it_would_refuse_or_differ(settings: SamplerSettings, words: str) -> None:
    assert words in str(engine_note(settings))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_has_nothing_to_say_to_its_own_defaults(engine: str) -> None:
    assert engine_note(SamplerSettings.defaults(engine)) is None


@pytest.mark.parametrize("engine", ["llama.cpp", "ollama"])
def test_an_engine_that_is_greedy_at_zero_has_nothing_to_say(engine: str) -> None:
    assert engine_note(SamplerSettings(temperature=0, top_k=1, engine=engine)) is None


def test_an_engines_own_order_is_not_an_order_of_ones_own() -> None:
    own = SamplerSettings(order=("temperature", "top-k", "top-p", "min-p"))
    assert own == SamplerSettings()


@pytest.mark.parametrize("order", [("top-k",), ("top-k",) * 4, ("top-k", "top-p", "min-p", "heat")])
def test_an_order_that_is_no_permutation_is_refused(order: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="each once"):
        SamplerSettings(order=order)
