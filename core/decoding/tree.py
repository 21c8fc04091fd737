"""The branches of one prompt: every text that was generated from it, as paths that part."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from core.decoding.generate import Drawn
from core.errors import InputError

Path = tuple[int, ...]
"""The token ids from the prompt on."""


@dataclass(frozen=True)
class Tree:
    """What was generated, node by node, and where one is: a value, so each change returns a new tree.

    `nodes`: the last token of each path. Every prefix of a path but the empty one is a path too. `current`:
    the path in view, not necessarily one that ends a branch.
    """

    nodes: Mapping[Path, Drawn] = field(default_factory=lambda: MappingProxyType({}))
    current: Path = ()

    def add(self, drawn: Drawn) -> "Tree":
        """Go on from the current path with a token. Where that path is known, it is only gone to."""
        path = (*self.current, drawn.token_id)
        nodes = self.nodes if path in self.nodes else MappingProxyType({**self.nodes, path: drawn})
        return Tree(nodes, path)

    def branch(self, position: int, drawn: Drawn) -> "Tree":
        """Put another token at `position`, from 0, of the current path; what stood there stays a branch."""
        return self.go(self.current[:position]).add(drawn)

    def back(self) -> "Tree":
        """Stand one token earlier. Nothing is forgotten."""
        return replace(self, current=self.current[:-1])

    def go(self, path: Path) -> "Tree":
        """Stand elsewhere. `InputError` where nothing was generated."""
        if path and path not in self.nodes:
            raise InputError("There is no such branch: it was not generated here.")
        return replace(self, current=path)

    @property
    def branches(self) -> tuple[Path, ...]:
        """The paths that nothing follows, in the order in which they began."""
        followed = {path[:-1] for path in self.nodes}
        return tuple(path for path in self.nodes if path not in followed)

    @property
    def current_branch(self) -> Path:
        """The newest branch that goes through the current path, which may end earlier."""
        length = len(self.current)
        through = [path for path in self.branches if path[:length] == self.current]
        return through[-1] if through else self.current

    def along(self, path: Path) -> tuple[Drawn, ...]:
        """Its tokens, in order."""
        return tuple(self.nodes[path[: length + 1]] for length in range(len(path)))
