"""What crosses between an MCP client and its server, as a value."""

from typing import Literal

from core.values import Value


class WireMessage(Value):
    """One line of the protocol, a JSON-RPC message, without its line break."""

    direction: Literal["to server", "from server"]
    text: str
