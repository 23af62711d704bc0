"""What merging large results costs: on exact mode's grid, in free mode, and a plain float sum.

One addition on the grid and one merge of means and squares move the same bytes: two numbers per
cell, compiled by the same tool. A mean with its error takes two additions in exact mode, one per
power, so such a tally costs twice as much there: both ratios are given. The best run counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numba as nb
import numpy as np

from manyhands.statistics.forms import Form, Kind
from manyhands.statistics.free_sums import FreeSums
from manyhands.statistics.grid import GridSums
from manyhands.statistics.returned import Floats

CELLS = 8_000_000
RUNS = 5


@nb.njit(nogil=True)
def merge_means(mean: Floats, m2: Floats, more: Floats, more_m2: Floats, share: float) -> None:
    """Chan, Golub & LeVeque's formula, in one pass."""
    for i in range(mean.size):
        delta = more[i] - mean[i]
        mean[i] += delta * share
        m2[i] += more_m2[i] + delta * delta * share


def best_s(act: Callable[[], object]) -> float:
    """Seconds of the best run; the first one compiles and is not counted."""
    act()
    spent_s = []
    for _ in range(RUNS):
        begun_s = time.perf_counter()
        act()
        spent_s.append(time.perf_counter() - begun_s)
    return min(spent_s)


def main() -> dict[str, float]:
    """The budget: one addition on the grid costs at most 1.2 times a merge of mean and M2."""
    values = np.random.default_rng(1).random(CELLS)
    sums, more = GridSums.of(values, 0), GridSums.of(values, 0)
    quantise_s = best_s(lambda: GridSums.of(values, 0))
    grid_s = best_s(lambda: sums.add(more))
    form = Form(Kind.MEAN, (CELLS,), 2)
    free, other = (FreeSums(form, [values + k, values * values]) for k in range(2))
    numpy_s = best_s(lambda: free.merge(other, 100, 100))
    mean, m2 = free.moments
    more_mean, more_m2 = other.moments
    means_s = best_s(lambda: merge_means(mean, m2, more_mean, more_m2, 0.5))
    total = values.copy()
    float_s = best_s(lambda: np.add(total, values, out=total))
    return {
        "grid_add_ms": round(1e3 * grid_s, 1),
        "mean_and_m2_ms": round(1e3 * means_s, 1),
        "free_merge_ms": round(1e3 * numpy_s, 1),
        "float_add_ms": round(1e3 * float_s, 1),
        "quantise_ms": round(1e3 * quantise_s, 1),
        "grid_to_means": round(grid_s / means_s, 2),
        "exact_to_free_tally": round(2 * grid_s / means_s, 2),
        "grid_to_float_add": round(grid_s / float_s, 2),
    }
