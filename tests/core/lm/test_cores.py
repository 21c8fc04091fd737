"""Work in parts: all of it is done, the numbers are numpy's own, and BLAS starts no threads of its own."""

import numpy as np
import pytest
import threadpoolctl

from core.lm import cores


@pytest.mark.parametrize("positions", [1, 2, 300])
@pytest.mark.parametrize("outputs", [1, 7, 1000])
def test_a_product_in_parts_is_the_product(positions: int, outputs: int) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(positions, 24)).astype(np.float32)
    matrix = random.normal(size=(outputs, 24)).astype(np.float32)
    out = np.full((positions, outputs), np.nan, np.float32)
    cores.product(x, matrix, out)
    np.testing.assert_allclose(out, x.astype(np.float64) @ matrix.astype(np.float64).T, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("parts", [1, 2, 3, 8])
def test_every_part_is_done_once(parts: int) -> None:
    done = np.zeros(10, int)

    def work(part: slice) -> None:
        done[part] += 1

    cores.each(work, 10, parts)
    assert done.tolist() == [1] * 10


@pytest.mark.parametrize("failing", [0, 9])
def test_the_error_of_a_part_is_told(failing: int) -> None:
    def work(part: slice) -> None:
        if failing in range(10)[part]:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cores.each(work, 10, 2)


def test_each_part_has_a_blas_of_one_thread() -> None:
    seen: set[int] = set()

    def work(_: slice) -> None:
        seen.update(i["num_threads"] for i in threadpoolctl.threadpool_info() if i["user_api"] == "blas")

    cores.each(work, 100, 2)
    assert seen <= {1}
