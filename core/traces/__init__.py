"""Files of runs: other people's formats, read by content, and our own; and what a run is exported as."""

from core.traces.load import NAMES, load, load_all

__all__ = ["NAMES", "load", "load_all"]
