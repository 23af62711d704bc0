"""Where a precision is asked for: statements about the cells of a tally.

Each gives one relative error, that of the worst cell it speaks of: an array is as precise as its
least precise cell there, and an empty cell is never precise. The error of a region is not made of
its cells' errors, since cells of one sample depend on each other: a region, a profile's point or a
line's integral has to be a tally of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyhands.statistics.results import Number, relative
from manyhands.statistics.returned import Floats

TOP_CELLS = 10


class BadWhere(ValueError):
    """A statement about cells that a tally does not have."""


class Where(Protocol):
    """A statement about the cells of one tally."""

    def relative_error(self, value: Number, error: Number) -> float:
        """The largest relative error among the cells it speaks of; infinite if there are none."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell."""

    index: tuple[int, ...]

    def relative_error(self, value: Number, error: Number) -> float:
        """That cell's."""
        found = _relative(value, error)
        try:
            return float(found[self.index])
        except (IndexError, TypeError) as problem:
            raise BadWhere(f"there is no cell {self.index} in a tally {found.shape}") from problem


@dataclass(frozen=True, slots=True)
class All:
    """Every cell; rarely met where parts stay empty."""

    def relative_error(self, value: Number, error: Number) -> float:
        """The worst of all."""
        return _worst(_relative(value, error))


@dataclass(frozen=True, slots=True)
class Above:
    """The cells whose value is above a level of the highest: where it matters in an image.

    The highest is the mean of the ten highest cells ("top10"; of all, if there are fewer), since
    the single highest ("max") is mostly one that fluctuated upwards.
    """

    level: float
    of: str = "top10"

    def __post_init__(self) -> None:
        if not 0 <= self.level < 1 or self.of not in ("top10", "max"):
            raise BadWhere(
                f"above({self.level!r}, of={self.of!r}): the level must be from 0 to below 1,"
                ' and of "top10" or "max"'
            )

    def relative_error(self, value: Number, error: Number) -> float:
        """The worst of those cells."""
        flat = np.ravel(np.asarray(value, np.float64))
        count = min(TOP_CELLS if self.of == "top10" else 1, flat.size)
        highest = float(np.mean(np.partition(flat, flat.size - count)[flat.size - count :]))
        if not highest > 0:
            return inf
        return _worst(_relative(value, error).reshape(-1)[flat > self.level * highest])


@dataclass(frozen=True, slots=True)
class Fraction:
    """At least this fraction of all cells, the most precise ones."""

    part: float

    def __post_init__(self) -> None:
        if not 0 < self.part <= 1:
            raise BadWhere(f"fraction({self.part!r}): it must be above 0 and at most 1")

    def relative_error(self, value: Number, error: Number) -> float:
        """The worst of the most precise cells that make up the fraction."""
        found = _relative(value, error).reshape(-1)
        place = min(ceil(self.part * found.size), found.size) - 1
        return float(np.partition(found, place)[place])


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """The cells that an array of truth values names."""

    cells: NDArray[np.bool_]

    def __post_init__(self) -> None:
        if self.cells.dtype != np.bool_ or not np.any(self.cells):
            raise BadWhere("mask(...) takes an array of truth values, one of them true at least")

    def relative_error(self, value: Number, error: Number) -> float:
        """The worst of those cells."""
        found = _relative(value, error)
        if found.shape != self.cells.shape:
            raise BadWhere(f"a mask {self.cells.shape} does not fit a tally {found.shape}")
        return _worst(found[self.cells])


def cell(*index: int) -> Cell:
    """The precision of one cell: cell(3, 4)."""
    return Cell(index)


def all_cells() -> All:
    """The precision of every cell."""
    return All()


def above(level: float, of: str = "top10") -> Above:
    """The precision where the value is above a level of the highest."""
    return Above(level, of)


def fraction(part: float) -> Fraction:
    """The precision that a fraction of the cells has reached."""
    return Fraction(part)


def mask(cells: ArrayLike) -> Mask:
    """The precision of chosen cells."""
    found: NDArray[Any] = np.asarray(cells)
    return Mask(found)


def default(shape: tuple[int, ...]) -> Where:
    """What is meant if nothing is said: of an image, the cells above half of the highest."""
    return Above(0.5) if shape else All()


def _relative(value: Number, error: Number) -> Floats:
    return relative(np.asarray(value, np.float64), np.asarray(error, np.float64))


def _worst(found: Floats) -> float:
    return float(np.max(found, initial=0.0)) if found.size else inf
