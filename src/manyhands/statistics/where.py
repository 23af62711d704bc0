"""Where a precision is asked for, in words for users and as numbers for stop rules.

Each statement gives one error, that of the worst cell it speaks of: an array is as precise as its
least precise cell there, and an empty cell is never precise. The error of a region is not made of
its cells' errors, since cells of one sample depend on each other: a region, a profile's point or a
line's integral has to be a tally of its own.

>>> precise(above(0.5), np.array([8.0, 6.0, 1.0]), np.array([0.1, 0.2, 0.9]))
array([ True,  True, False])
"""

from __future__ import annotations

from math import ceil, inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyhands.model.where import (
    TOP,
    Above,
    AllCells,
    BadWhere,
    Cell,
    Fraction,
    Mask,
    Where,
)
from manyhands.statistics.returned import Floats

__all__ = ["above", "all_cells", "cell", "fraction", "mask"]

TOP_CELLS = 10


def cell(*index: int) -> Cell:
    """The precision of one cell: cell(3, 4)."""
    return Cell(index)


def all_cells() -> AllCells:
    """The precision of every cell."""
    return AllCells()


def above(level: float, of: str = TOP) -> Above:
    """The precision where the value is above a level of the highest."""
    return Above(float(level), of)


def fraction(part: float) -> Fraction:
    """The precision that a fraction of the cells has reached."""
    return Fraction(float(part))


def mask(cells: ArrayLike) -> Mask:
    """The precision of the cells that an array of truth values names."""
    found = np.asarray(cells)
    if found.dtype != np.bool_ or not np.any(found):
        raise BadWhere("mask(...) takes an array of truth values, one of them true at least")
    steps = np.diff(np.ravel(found).astype(np.int8), prepend=0, append=0)
    starts, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return Mask(found.shape, tuple(zip(starts.tolist(), ends.tolist(), strict=True)))


def default(shape: tuple[int, ...]) -> Where:
    """What is meant if nothing is said: of an image, the cells above half of the highest."""
    return Above(0.5) if shape else AllCells()


def precise(where: Where, value: Floats, error: Floats) -> NDArray[np.bool_]:
    """Which cells it speaks of; `error` says which are the most precise."""
    match where:
        case Cell(index):
            found = np.zeros(value.shape, np.bool_)
            if len(index) != value.ndim or any(
                one >= size for one, size in zip(index, value.shape, strict=True)
            ):
                raise BadWhere(f"there is no cell {index} in a tally {value.shape}")
            found[index] = True
            return found
        case AllCells():
            return np.ones(value.shape, np.bool_)
        case Above(level, of):
            highest = _highest(value, TOP_CELLS if of == TOP else 1)
            return np.asarray(value > (level * highest if highest > 0 else np.inf), np.bool_)
        case Fraction(part):
            place = min(ceil(part * error.size), error.size) - 1
            least = np.partition(error.reshape(-1), place)[place]
            return np.asarray(error <= least, np.bool_)
        case Mask(shape, runs):
            if value.shape != shape:
                raise BadWhere(f"a mask {shape} does not fit a tally {value.shape}")
            steps = np.zeros(value.size + 1, np.int8)
            steps[[start for start, _ in runs]] = 1
            steps[[end for _, end in runs]] = -1
            return np.cumsum(steps[:-1], dtype=np.int8).astype(np.bool_).reshape(shape)


def worst(found: Floats) -> float:
    """The largest error of some cells; infinite if there are none."""
    return float(np.max(found)) if found.size else inf


def _highest(value: Floats, cells: int) -> float:
    flat = value.reshape(-1)
    count = min(cells, flat.size)
    return float(np.mean(np.partition(flat, flat.size - count)[flat.size - count :]))
