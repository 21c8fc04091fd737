"""What is proved about intermediate tokens, and who said it first."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Proved:
    """One result. `tokens`: how many intermediate tokens, n being the length of the input."""

    tokens: str
    reach: str
    source: str
    link: str


PROVED = (
    Proved(
        "none",
        "inside TC⁰: circuits of constant depth with threshold gates. At any width it cannot simulate every "
        "automaton or solve linear equalities, unless TC⁰ = NC¹",
        "Merrill & Sabharwal 2023",
        "arXiv:2207.00729",
    ),
    Proved(
        "linear in n",
        "every regular language: it simulates any automaton",
        "Merrill & Sabharwal 2024",
        "arXiv:2310.07923",
    ),
    Proved(
        "polynomial in n",
        "exactly P, the problems solvable in polynomial time",
        "Merrill & Sabharwal 2024",
        "arXiv:2310.07923",
    ),
)
SCRATCHPAD = "Intermediate tokens as a scratchpad in the context window: Nye et al. 2021, arXiv:2112.00114"
ONLY_PATH = "The generated token is the only path from the last layer back to the first."
