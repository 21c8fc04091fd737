"""Files of runs: other people's formats, read by content, and our own; and what a run is exported as."""

from core.traces.dump import FORMATS, dump
from core.traces.load import NAMES, load, load_all
from core.traces.missing import missing

__all__ = ["FORMATS", "NAMES", "dump", "load", "load_all", "missing"]
