"""Sums on a grid: whole multiples of 2^(E - 76) in 128 bits, so that adding is exact.

A float is rounded once, half to even, to a multiple of the grid's unit. From then on everything is
integer addition: associative and commutative, so the order of merging leaves no trace in any bit.
The integers stand in two arrays, the high and the low 64 bits of each (two's complement). With E
such that block 0's largest sum is at most 2^E, block 0 takes 77 bits; 2^51 times as much fits.

Small arrays are done by numpy. For large ones the same steps are compiled (`kernels`), which gives
the same bits; numba is loaded only then, since that takes half a second and compiling another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from manyhands.statistics.chunks import chunks
from manyhands.statistics.returned import Floats, Ints

Words: TypeAlias = NDArray[np.uint64]

FRACTION_BITS = 76
COMPILED_CELLS_MIN = 1 << 16  # from so many cells on, compiling is worth its time
SCALE_BITS_MAX = 1000  # of one factor: two of them reach everywhere and stay normal floats
TWO_64 = 2.0**64
GRID_MAX = 2.0**127
EXPONENT_MIN, EXPONENT_MAX = -1074, 1024


class OutOfGrid(ArithmeticError):
    """A number beyond 127 bits; whoever knows the tally's name says so."""


@dataclass(slots=True, eq=False)
class GridSums:
    """One integer of 128 bits per cell, in units of 2^(exponent - 76)."""

    exponent: int
    high: Ints
    low: Words

    @classmethod
    def zero(cls, exponent: int, cells: int) -> GridSums:
        """Nothing added yet."""
        return cls(exponent, np.zeros(cells, np.int64), np.zeros(cells, np.uint64))

    @classmethod
    def of(cls, values: Floats, exponent: int, compiled: bool | None = None) -> GridSums:
        """Numbers rounded to the grid."""
        sums = cls.zero(exponent, values.size)
        factors = _factors(exponent)
        if kernels := _kernels(values.size, compiled):
            fits = kernels.quantise(values, *factors, sums.high, sums.low)
        else:
            with np.errstate(over="ignore"):
                fits = all(
                    _quantise(values[part], factors, sums.high[part], sums.low[part])
                    for part in chunks(values.size)
                )
        if not fits:
            raise OutOfGrid
        return sums

    def add(self, other: GridSums, compiled: bool | None = None) -> None:
        """Add others; if the grid is left anywhere, nothing is added and OutOfGrid is raised."""
        assert self.exponent == other.exponent, "two grids"
        if kernels := _kernels(self.low.size, compiled):
            high, more = self.high.view(np.uint64), other.high.view(np.uint64)
            fits = kernels.add(high, self.low, more, other.low)
        else:
            fits = True
            for part in chunks(self.low.size):
                fits = self._add(other, part) and fits
        if not fits:
            # The integers wrapped round, so taking the same away brings back what was.
            self.subtract(other)
            raise OutOfGrid

    def subtract(self, other: GridSums) -> None:
        """Take others away again."""
        for part in chunks(self.low.size):
            low, high, less = self.low[part], self.high[part], other.low[part]
            high -= (low < less).view(np.uint8)
            high -= other.high[part]
            low -= less

    def copy(self) -> GridSums:
        """The same, in memory of its own."""
        return GridSums(self.exponent, self.high.copy(), self.low.copy())

    def integer(self, cell: int) -> int:
        """One of the integers as Python has them."""
        return (int(self.high[cell]) << 64) + int(self.low[cell])

    def _add(self, other: GridSums, part: slice) -> bool:
        low, high = self.low[part], self.high[part]
        more = other.high[part]
        low += other.low[part]
        summed = high + more
        summed += (low < other.low[part]).view(np.uint8)  # the carry
        wrapped = (high ^ summed) & (more ^ summed)  # negative where both signs differ from it
        high[:] = summed
        return bool(np.all(wrapped >= 0))


def exponent_of(largest: float) -> int:
    """The smallest E with largest ≤ 2^E; 0 if there is nothing."""
    if largest == 0:
        return 0
    fraction, exponent = math.frexp(largest)
    return exponent - 1 if fraction == 0.5 else exponent


def _kernels(cells: int, compiled: bool | None) -> ModuleType | None:
    """The compiled loops, if they are worth their loading; numpy does without numba, slower."""
    if compiled is False or (compiled is None and cells < COMPILED_CELLS_MIN):
        return None
    try:
        return import_module("manyhands.statistics.kernels")
    except ImportError:
        return None


def _factors(exponent: int) -> tuple[float, float]:
    """Two powers of two whose product is 2^(76 - exponent): one float may not reach so far."""
    bits = FRACTION_BITS - exponent
    first = min(bits, SCALE_BITS_MAX)
    return math.ldexp(1.0, first), math.ldexp(1.0, bits - first)


def _quantise(values: Floats, factors: tuple[float, float], high: Ints, low: Words) -> bool:
    """Write the grid's integers; False if any is too large."""
    size = np.abs(values * factors[0] * factors[1])
    np.rint(size, out=size)
    if not np.all(size < GRID_MAX):
        return False
    upper = np.floor(size * (1 / TWO_64))
    size -= upper * TWO_64  # exact: a float's bits only lose their upper part
    high[:] = upper
    low[:] = size
    negative = values < 0
    # Minus x is the complement of x, plus one.
    np.invert(high, out=high, where=negative)
    np.invert(low, out=low, where=negative)
    low += negative.view(np.uint8)
    high += (negative & (low == 0)).view(np.uint8)
    return True
