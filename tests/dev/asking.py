"""What the tests of dev.py ask of it and of the machine."""

import socket
from pathlib import Path

import pytest

import dev

ROOT = Path(dev.__file__).parent


def refusal(act, *arguments) -> str:
    with pytest.raises(dev.Stop) as stop:
        act(*arguments)
    return str(stop.value)


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]
