"""Ollama's chat, played as its documentation and its sources describe it (August 2026)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .fake_server import Answer, FakeServer, answer

Line = dict[str, Any]


def line(model: str, content: str = "", **message: Any) -> Line:
    return {"model": model, "message": {"role": "assistant", "content": content, **message}, "done": False}


def last(model: str, reason: str = "stop", read: int = 12, written: int = 3) -> Line:
    counts = {"prompt_eval_count": read, "eval_count": written, "total_duration": 5_000_000}
    return {**line(model), "done": True, "done_reason": reason, **counts}


def call(name: str, arguments: dict[str, Any], id: str | None = None, index: int = 0) -> dict[str, Any]:
    function = {"index": index, "name": name, "arguments": arguments}
    return {"id": id, "function": function} if id else {"function": function}


@dataclass
class FakeOllama:
    """`models`: their capabilities; `replies`: the lines of each reply, in order; `window`: allocated."""

    server: FakeServer
    models: dict[str, tuple[str, ...]]
    replies: list[list[Line]] = field(default_factory=list)
    window: int = 4096
    options: dict[str, Any] = field(default_factory=dict)  # of the answer: a pause, a kill

    def __post_init__(self) -> None:
        names = [{"name": name, "model": name} for name in self.models]
        self.server.answers = {
            "/api/version": answer({"version": "0.30.2"}),
            "/api/tags": answer({"models": names}),
            "/api/show": self._show,
            "/api/ps": lambda _: answer({"models": [n | {"context_length": self.window} for n in names]}),
            "/api/chat": self._chat,
        }

    def _show(self, body: Any) -> Answer:
        if body["model"] not in self.models:
            return answer({"error": f"model '{body['model']}' not found"}, status=404)
        info = {"general.architecture": "qwen3", "qwen3.context_length": 40_960}
        return answer({"model_info": info, "capabilities": list(self.models[body["model"]])})

    def _chat(self, body: Any) -> Answer:
        name = body["model"]
        if name not in self.models:
            return answer({"error": f"model '{name}' not found"}, status=404)
        for asked, capability in (("tools", "tools"), ("think", "thinking")):
            if body.get(asked) and capability not in self.models[name]:
                said = f"registry.ollama.ai/library/{name} does not support {capability}"
                return answer({"error": said}, status=400)
        if body.get("top_logprobs", 0) > 20:
            return answer({"error": "top_logprobs must be between 0 and 20"}, status=400)
        return answer(*self.replies.pop(0), **self.options)

    def bodies(self) -> Iterable[Any]:
        return self.server.bodies("/api/chat")
