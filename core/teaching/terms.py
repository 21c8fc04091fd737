"""What a term of the lecture is, and its name in an address."""

import re
from dataclasses import dataclass

_WORDS = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True)
class Term:
    """A term and what it means, in Markdown; `source`: who says so, or empty."""

    name: str
    text: str
    source: str = ""

    @property
    def slug(self) -> str:
        """The name as it stands in an address: `no-built-in-knowledge`."""
        return slug_of(self.name)


def slug_of(name: str) -> str:
    """A name as it stands in an address: `no-built-in-knowledge`."""
    return "-".join(_WORDS.findall(name.lower()))
