"""The bundled MCP server: the library of a university that does not exist. Three tools, a resource, a prompt.

A program of its own that nothing imports: `core.agent.mcp_client` starts it and talks to it over stdio. The
runtime knows no more of it than what it says.
"""

from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

server = MCPServer(
    "campus-library", version="1.0.0", instructions="The catalogue and the rooms of the campus library."
)

BOOKS = (
    ("Speech and Language Processing", "Jurafsky & Martin", "C 2.114", 2),
    ("Agentic Design Patterns", "Gulli", "C 2.121", 0),
    ("Reinforcement Learning: An Introduction", "Sutton & Barto", "C 2.087", 1),
    ("Artificial Intelligence: A Modern Approach", "Russell & Norvig", "C 2.001", 4),
    ("The Design of Everyday Things", "Norman", "D 1.030", 3),
    ("Introduction to Information Retrieval", "Manning, Raghavan & Schütze", "C 3.019", 1),
)
"""Title, authors, shelf, copies on the shelf."""

ROOMS = {"Ada": 4, "Grace": 6, "Alan": 12, "Emmy": 30}
"""Seats."""

BOOKED = {"monday": {"Ada", "Alan"}, "wednesday": {"Grace"}, "friday": {"Ada", "Grace", "Alan"}}

Day = Literal["monday", "tuesday", "wednesday", "thursday", "friday"]


@server.tool()
def search_catalogue(
    words: Annotated[str, Field(description="Words of the title or the names of the authors.")],
) -> str:
    """Find books of the campus library: title, authors, shelf, copies that can be borrowed now."""
    wanted = words.lower().split()
    found = [book for book in BOOKS if wanted and all(word in " ".join(book[:2]).lower() for word in wanted)]
    if not found:
        raise ToolError(f"No book of the library has all of these words in its title or authors: {words!r}.")
    return "\n".join(
        f"{title} ({authors}), shelf {shelf}, available: {copies}" for title, authors, shelf, copies in found
    )


@server.tool()
def find_room(
    seats: Annotated[int, Field(description="How many people need a seat.", ge=1, le=30)], day: Day
) -> str:
    """Find study rooms of the campus library that are free on a day of this week, smallest first."""
    free = [
        f"{room} ({size} seats)"
        for room, size in sorted(ROOMS.items(), key=lambda entry: entry[1])
        if size >= seats and room not in BOOKED.get(day, set())
    ]
    return ", ".join(free) or f"No room with {seats} seats is free on {day}."


@server.tool()
def opening_hours(day: Day) -> str:
    """Tell when the campus library is open on a day of this week."""
    return "08:00 to 18:00" if day == "friday" else "08:00 to 22:00"


@server.resource("library://rules", name="house rules", mime_type="text/plain")
def rules() -> str:
    """The rules of the campus library, as they hang at its door."""
    return (
        "A book may be borrowed for 28 days and renewed twice. A room is yours for 3 hours. Whoever comes 15 "
        "minutes late loses it."
    )


@server.prompt()
def reading_list(
    topic: Annotated[str, Field(description="What to read about.")],
) -> str:
    """Make a reading list of books that can be borrowed now."""
    return (
        f"Make a reading list on {topic}: at most three books of the campus library that can be borrowed "
        "now, with their shelves. Search the catalogue before you name a book."
    )


if __name__ == "__main__":
    server.run("stdio")
