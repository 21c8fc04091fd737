"""Tools from an MCP server: discovered and called through the official client, over stdio.

MCP is a matter of the runtime. What `discover` brings are ordinary tools; the model that asks for one sees no
difference. All of it is synchronous and may be used by several threads; the protocol runs in its own.
"""

import atexit
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from core.agent.mcp_wire import WireMessage
from core.agent.tools import Tool
from core.errors import InputError
from core.messages.types import AssistantMessage, ToolSchema, UserMessage

if TYPE_CHECKING:  # the SDK takes half a second to load: whoever connects pays for it
    import mcp_types

LIBRARY = (sys.executable, "-P", str(Path(__file__).with_name("mcp_server.py")))
"""The command that starts the bundled server. `-P`, for the modules in its folder are not its own."""

TIMEOUT = 10.0
"""Seconds that a server has for an answer."""

MOST_PAGES = 20
"""Of a list: there are servers whose list has no end."""

T = TypeVar("T")
Page = TypeVar("Page", bound="mcp_types.PaginatedResult")


@dataclass(frozen=True)
class Offer:
    """A resource, by its URI, or a prompt, by its name, with the names of its arguments."""

    name: str
    description: str
    arguments: tuple[str, ...] = ()


class Connection:
    """A server that was discovered: its `tools`, and the `messages` that have crossed.

    `close`, best by `with`, ends the server. One that is never closed ends with this process.
    """

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        from anyio.from_thread import start_blocking_portal
        from mcp import Client

        from core.agent.mcp_stdio import recorded_stdio

        self._lines: list[WireMessage] = []
        with ExitStack() as opened:
            self._portal = opened.enter_context(start_blocking_portal(name="mcp"))
            self._client = Client(recorded_stdio(command, self._lines.append), read_timeout_seconds=timeout)
            try:
                opened.enter_context(self._portal.wrap_async_context_manager(self._client))
            except Exception as error:  # as in _ask
                raise InputError(_sentence(error)) from error
            pages = self._pages(self._client.list_tools)
            self.tools = tuple(self._tool(listed) for page in pages for listed in page.tools)
            self._opened = opened.pop_all()
        atexit.register(self.close)  # before Python stops the thread, which the end of the server needs

    @property
    def messages(self) -> tuple[WireMessage, ...]:
        """Every line that has crossed so far, in order."""
        return tuple(self._lines)

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The text of the tool's result.

        Raises:
            InputError: the tool reports an error, or the server does not answer.
        """
        result = self._ask(partial(self._client.call_tool, name, dict(arguments)))
        text = "\n".join(map(_text, result.content))
        if result.is_error:
            raise InputError(text or f"The tool {name} reports an error and does not say which.")
        return text

    def resources(self) -> tuple[Offer, ...]:
        """What the application may read. `InputError` as from `call`."""
        pages = self._pages(self._client.list_resources)
        return tuple(Offer(one.uri, one.description or "") for page in pages for one in page.resources)

    def read(self, uri: str) -> str:
        """The text of a resource; of one that is no text, its URI. `InputError` as from `call`."""
        result = self._ask(partial(self._client.read_resource, uri))
        return "\n".join(getattr(part, "text", f"[{part.uri}]") for part in result.contents)

    def prompts(self) -> tuple[Offer, ...]:
        """What the user may choose. `InputError` as from `call`."""
        pages = self._pages(self._client.list_prompts)
        return tuple(
            Offer(one.name, one.description or "", tuple(field.name for field in one.arguments or ()))
            for page in pages
            for one in page.prompts
        )

    def prompt(self, name: str, arguments: Mapping[str, str]) -> tuple[UserMessage | AssistantMessage, ...]:
        """The messages that a prompt stands for. `InputError` as from `call`."""
        result = self._ask(partial(self._client.get_prompt, name, dict(arguments)))
        kinds = {"user": UserMessage, "assistant": AssistantMessage}
        return tuple(kinds[message.role](content=_text(message.content)) for message in result.messages)

    def close(self) -> None:
        """End the connection and the server; once is enough."""
        atexit.unregister(self.close)
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _pages(self, ask: Callable[..., Awaitable[Page]]) -> Iterator[Page]:
        """The pages of a list."""
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = self._ask(partial(ask, cursor=cursor))
            yield page
            cursor = page.next_cursor
            if cursor is None:
                return

    def _tool(self, listed: "mcp_types.Tool") -> Tool:
        def function(**arguments: Any) -> str:
            return self.call(listed.name, arguments)

        schema = ToolSchema(
            name=listed.name, description=listed.description or "", parameters=dict(listed.input_schema)
        )
        return Tool(schema, function)

    def _ask(self, request: Callable[[], Awaitable[T]]) -> T:
        try:
            return self._portal.call(request)
        except Exception as error:  # the SDK's errors, groups of them, and those of a loop that has ended
            raise InputError(_sentence(error)) from error


def discover(command: Sequence[str] = LIBRARY, *, timeout: float = TIMEOUT) -> Connection:
    """Start an MCP server, shake hands and list its tools.

    Args:
        command: the program and its arguments. It runs with the rights of this process: take it from the
            configuration, never from a person at the screen.
        timeout: seconds that the server has for each answer; the SDK gives ten to its first one.

    Raises:
        InputError: the server cannot be started, does not answer in time, or is not one.
    """
    return Connection(command, timeout)


def _text(block: "mcp_types.ContentBlock") -> str:
    """A block of a result as text; of an image or a sound, what it is."""
    return block.text if block.type == "text" else f"[{block.type}]"


def _sentence(error: BaseException) -> str:
    import mcp_types
    from mcp import MCPError

    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case MCPError(code=mcp_types.CONNECTION_CLOSED):
            return "The MCP server has ended. Connect to it again."
        case MCPError(code=mcp_types.REQUEST_TIMEOUT):
            return "The MCP server did not answer in time. Try again, or connect to it again."
        case MCPError():
            return f"The MCP server refuses: {error.message}."
        case OSError():
            return f"The MCP server cannot be started: {error.strerror or error}."
        case RuntimeError():
            return "The connection to the MCP server is closed. Connect to it again."
    return f"The MCP server speaks another protocol: {type(error).__name__}."
