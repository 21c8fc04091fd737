"""An HTTP server in a thread that answers as it is told, to meet each fault of a real one."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """`lines` of JSON, or `text` as it is; `pause` seconds before each line but the first.

    `promised` bytes more are announced, and never come: the server was killed.
    """

    lines: tuple[Any, ...] = ()
    text: str = ""
    status: int = 200
    wait: float = 0
    pause: float = 0
    promised: int = 0
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def body(self) -> bytes:
        return self.text.encode() or b"".join(json.dumps(line).encode() + b"\n" for line in self.lines)


def answer(*lines: Any, **options: Any) -> Answer:
    return Answer(lines, **options)


class FakeServer:
    """`answers` by path: one for all, a list of which the last stays, or a function of the request's body.

    `requests`: what came in. `lines_sent`: how many lines went out before the client was gone. `ended`: an
    answer is over.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.answers: dict[str, Answer | list[Answer] | Callable[[Any], Answer]] = {}
        self.requests: list[tuple[str, Any, dict[str, str]]] = []
        self.lines_sent = 0
        self.ended = threading.Event()

    def bodies(self, path: str) -> list[Any]:
        return [body for asked, body, _ in self.requests if asked == path]

    def next_answer(self, path: str, body: Any = None) -> Answer:
        found = self.answers.get(path, Answer(text="404 page not found", status=404))
        if isinstance(found, Answer):
            return found
        if callable(found):
            return found(body)
        return found.pop(0) if len(found) > 1 else found[0]


@contextmanager
def fake_server() -> Iterator[FakeServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            headers = {name.lower(): value for name, value in self.headers.items()}
            fake.requests.append((self.path, body, headers))
            told = fake.next_answer(self.path, body)
            time.sleep(told.wait)
            self.send_response(told.status)
            for name, value in told.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(told.body) + told.promised))
            self.end_headers()
            try:
                for number, line in enumerate(told.body.splitlines(keepends=True)):
                    if number:
                        time.sleep(told.pause)
                    self.wfile.write(line)
                    fake.lines_sent += 1
            finally:
                fake.ended.set()

        do_POST = do_GET

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:  # a client that has gone
            pass

    httpd = Server(("127.0.0.1", 0), Handler)
    fake = FakeServer(f"http://127.0.0.1:{httpd.server_port}")
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        httpd.shutdown()
        httpd.server_close()
