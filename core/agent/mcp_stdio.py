"""MCP's stdio transport, which keeps every line that crosses it, in both directions and in order.

The SDK's own transport hands on messages that are parsed already, so nobody can say what the lines were. This
one serves the same client by the same protocol, one JSON-RPC message a line (specification 2025-11-25), and
writes each line down before it passes it on.
"""

import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import anyio.abc
import mcp_types
from anyio.streams.text import TextReceiveStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from core.agent.mcp_wire import WireMessage

GRACE = 2.0
"""Seconds that a server has to end by itself once its input is closed; then it is killed."""

LONGEST_LINE = 4_000_000
"""Characters. A server that writes on without a line break would fill the memory."""


@asynccontextmanager
async def recorded_stdio(
    command: Sequence[str], record: Callable[[WireMessage], None]
) -> AsyncGenerator[Any, None]:
    """Start a server and yield the two streams that a `mcp.Client` takes as its transport.

    Of this process's environment the server gets the SDK's list of harmless variables: no keys. What it
    writes to stderr is dropped.

    Raises:
        OSError: the command cannot be started.
    """
    process = await anyio.open_process(
        list(command), env=get_default_environment(), stderr=subprocess.DEVNULL, start_new_session=True
    )
    received, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbox, to_send = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        assert process.stdout
        rest = ""
        async with received:
            async for chunk in TextReceiveStream(process.stdout, errors="replace"):
                *lines, rest = (rest + chunk).split("\n")
                for line in lines:
                    record(WireMessage(direction="from server", text=line))
                    await received.send(_parsed(line))
                if len(rest) > LONGEST_LINE:
                    return

    async def write() -> None:
        assert process.stdin
        async with to_send:
            async for message in to_send:
                line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                record(WireMessage(direction="to server", text=line))
                await process.stdin.send(f"{line}\n".encode())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_closed, read)
        tasks.start_soon(_until_closed, write)
        try:
            yield inbox, outbox
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
            tasks.cancel_scope.cancel()


async def _until_closed(pump: Callable[[], Any]) -> None:
    """A pipe or a stream that the other side has closed ends the pump: the client sees that and says so."""
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
        await pump()


async def _end(process: anyio.abc.Process) -> None:
    """As the specification demands: close the input, wait, then kill."""
    assert process.stdin
    await _until_closed(process.stdin.aclose)
    with anyio.move_on_after(GRACE):
        await process.wait()
    if process.returncode is None:
        _kill(process)
    await process.aclose()


def _kill(process: anyio.abc.Process) -> None:
    """The server and what it has started: on POSIX it leads a process group of its own."""
    if sys.platform == "win32":
        process.kill()
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _parsed(line: str) -> SessionMessage | Exception:
    try:
        return SessionMessage(mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error
