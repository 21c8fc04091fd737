"""The code of a request runs as it is, and asks for the settings."""

import sys
from types import SimpleNamespace

from core.figures.request_code import request_code
from core.sampling import SamplerSettings

PROMPT = 'Say "hi"\nto {them}'


def test_each_client_is_given_the_parameters_that_it_takes(monkeypatch) -> None:
    asked = {}
    create = SimpleNamespace(create=lambda **given: asked.update(openai=given))
    client = SimpleNamespace(chat=SimpleNamespace(completions=create))
    monkeypatch.setitem(sys.modules, "openai", SimpleNamespace(OpenAI=lambda **_: client))
    monkeypatch.setitem(
        sys.modules, "ollama", SimpleNamespace(chat=lambda **given: asked.update(ollama=given))
    )
    exec(request_code(PROMPT, SamplerSettings(0.7, top_k=20, top_p=0.9, min_p=0.05)))
    same = {"model": "qwen2.5:7b", "messages": [{"role": "user", "content": PROMPT}]}
    assert asked["openai"] == same | {"temperature": 0.7, "top_p": 0.9}
    options = {"temperature": 0.7, "top_p": 0.9, "top_k": 20, "min_p": 0.05}
    assert asked["ollama"] == same | {"options": options}
