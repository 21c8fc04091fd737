"""An Ollama in a thread, as docs/api.md of Ollama 0.30 describes it, that knows one next token."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.core.lm.fake_server import FakeServer, answer, fake_server


@contextmanager
def ollama_of(probs: Mapping[str, float], vocab_size: int, model: str = "some:1b") -> Iterator[FakeServer]:
    """One that tells `probs` of the most probable tokens, whatever the prompt is."""
    told = [{"token": token, "logprob": math.log(prob)} for token, prob in probs.items()]
    with fake_server() as fake:
        fake.answers = {
            "/api/version": answer({"version": "0.30.2"}),
            "/api/tags": answer({"models": [{"model": model}]}),
            "/api/ps": answer({"models": []}),
            "/api/show": answer(
                {"model_info": {"general.architecture": "llama", "llama.vocab_size": vocab_size}}
            ),
            "/api/generate": answer(
                {
                    "response": told[0]["token"],
                    "done": False,
                    "logprobs": [{**told[0], "top_logprobs": told}],
                },
                {"response": "", "done": True, "prompt_eval_count": 5, "eval_count": 1},
            ),
        }
        yield fake
