"""Large arrays piece by piece: what is computed in between stays in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator

from manyhands.statistics.returned import Floats

CELLS = 1 << 13  # 64 kB of floats: a few such pieces fit in any second-level cache
NUMBERS = 1 << 20  # of values at once, when they are many per cell
COLUMNS_MIN = 8  # together they are a line of the cache, which is read as a whole


def chunks(cells: int, size: int = CELLS) -> Iterator[slice]:
    """Cut so many cells in pieces."""
    for start in range(0, cells, size):
        yield slice(start, min(start + size, cells))


def column_chunks(values: Floats) -> Iterator[tuple[slice, Floats]]:
    """Cut an array (samples, *shape) in pieces of cells, each with all its samples.

    Where the cuts are depends on the shape alone: the same values always give the same sums.
    """
    flat = values.reshape(len(values), -1)
    for part in chunks(flat.shape[1], max(NUMBERS // max(len(values), 1), COLUMNS_MIN)):
        yield part, flat[:, part]
