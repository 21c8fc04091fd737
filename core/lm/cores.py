"""The cores of the machine for one forward pass: matrices in as many parts, each for a BLAS of one thread.

The threads that BLAS itself starts wait by spinning. Beside any other busy process, one of them is always off
its core while the other ones burn theirs: measured with OpenBLAS on two busy cores, a prompt then takes five
times as long, and a token fifty times. Threads of our own sleep while they wait; a product that is done
before one is awake is left to the calling thread.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

import numpy as np
import threadpoolctl
from numpy.typing import NDArray

MOST = 8
"""Beyond, memory is what a token waits for."""

SMALL = 16
"""Rows of a part below which it is not worth a thread."""

SHORT = 2**20 * 3 // 4
"""Multiplications of a part below which it is done before a thread is awake."""


def count() -> int:
    """How many cores this process may use, up to `MOST`."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST, usable)


def each(work: Callable[[slice], None], length: int, parts: int) -> None:
    """Do `work` on all parts of a range of this length, at once; one part in the calling thread.

    Errors: that of a part that fails, when all are done.
    """
    _one_thread_of_blas()
    first, *others = _cuts(length, parts)
    futures = [_threads().submit(work, part) for part in others]
    try:
        work(first)
    finally:
        for future in futures:
            future.exception()
    for future in futures:
        future.result()


def parts(outputs: int, multiplications: int) -> int:
    """Into how many parts to cut the outputs of a product that takes so many multiplications."""
    return max(1, min(count(), outputs // SMALL, multiplications // SHORT))


def product(x: NDArray[np.float32], matrix: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Write x (m, D) times the transpose of the matrix (O, D) to `out` (m, O)."""

    def part_of_it(part: slice) -> None:
        np.matmul(x, matrix[part].T, out=out[:, part])

    each(part_of_it, len(matrix), parts(len(matrix), len(x) * matrix.size))


@cache
def _one_thread_of_blas() -> None:
    threadpoolctl.threadpool_limits(limits=1, user_api="blas")


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST, thread_name_prefix="forward-pass")


def _cuts(length: int, parts: int) -> Sequence[slice]:
    ends = [length * part // parts for part in range(parts + 1)]
    return [slice(start, stop) for start, stop in pairwise(ends)]
