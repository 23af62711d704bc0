"""The grid's loops over cells, compiled: the same steps as in `grid`, one pass over the memory.

Strict arithmetic (no fastmath): the bits are the same as numpy's on every IEEE-754 machine. They
are compiled at their first call, in each process anew, since there may be no folder to keep them.
"""

from __future__ import annotations

import numba as nb
import numpy as np

from manyhands.statistics.grid import GRID_MAX, TWO_64, Words
from manyhands.statistics.returned import Floats, Ints

SIGN = np.uint64(1 << 63)
FROM_64 = 1 / TWO_64


@nb.njit(nogil=True)
def quantise(values: Floats, first: float, second: float, high: Ints, low: Words) -> bool:
    """Write the integers nearest to values · first · second; False if any is too large."""
    fits = True
    for i in range(values.size):
        size = np.rint(abs(values[i] * first * second))
        if not size < GRID_MAX:
            fits = False
            continue
        upper = np.floor(size * FROM_64)
        above = np.int64(upper)
        below = np.uint64(size - upper * TWO_64)
        if values[i] < 0:
            above = ~above
            below = ~below + np.uint64(1)
            if below == np.uint64(0):
                above += 1
        high[i] = above
        low[i] = below
    return fits


@nb.njit(nogil=True)
def add(high: Words, low: Words, more_high: Words, more_low: Words) -> bool:
    """Add integers of 128 bits, wrapping round; False if any did."""
    wrapped = np.uint64(0)
    for i in range(low.size):
        below = low[i] + more_low[i]
        above = high[i] + more_high[i] + np.uint64(below < more_low[i])
        wrapped |= (high[i] ^ above) & (more_high[i] ^ above)
        low[i] = below
        high[i] = above
    return bool(wrapped & SIGN == np.uint64(0))
