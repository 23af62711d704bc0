"""Where in an array a precision is asked for: statements about the cells of a tally, as plain data.

What they say of numbers is in `statistics/where.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple, Union

from manyhands.model.checks import Mistake, is_count

RUNS_MAX = 100_000  # of a mask: it travels with the campaign
TOP, MAX = "top10", "max"


class BadWhere(Mistake):
    """A statement about cells that a tally does not have, or that says nothing."""


@dataclass(frozen=True)
class Cell:
    """One cell."""

    index: Tuple[int, ...]

    def __post_init__(self) -> None:
        if not all(is_count(one) for one in self.index):
            raise BadWhere(f"cell{self.index!r}: each index must be a whole number, 0 or more")


@dataclass(frozen=True)
class AllCells:
    """Every cell; rarely met where parts stay empty."""


@dataclass(frozen=True)
class Above:
    """The cells whose value is above a level of the highest: where it matters in an image.

    The highest is the mean of the ten highest cells ("top10"; of all, if there are fewer), since
    the single highest ("max") is mostly one that fluctuated upwards.
    """

    level: float
    of: str = TOP

    def __post_init__(self) -> None:
        if not 0 <= self.level < 1 or self.of not in (TOP, MAX):
            raise BadWhere(
                f"above({self.level!r}, of={self.of!r}): the level must be from 0 to below 1,"
                ' and of "top10" or "max"'
            )


@dataclass(frozen=True)
class Fraction:
    """At least this fraction of all cells, the most precise ones."""

    part: float

    def __post_init__(self) -> None:
        if not 0 < self.part <= 1:
            raise BadWhere(f"fraction({self.part!r}): it must be above 0 and at most 1")


@dataclass(frozen=True)
class Mask:
    """The cells in these runs (from, to) of an array, counted row by row."""

    shape: Tuple[int, ...]
    runs: Tuple[Tuple[int, int], ...]

    def __post_init__(self) -> None:
        if not 0 < len(self.runs) <= RUNS_MAX:
            raise BadWhere(
                f"mask(...) has {len(self.runs)} runs of cells: one at least, {RUNS_MAX:,} at most"
            )
        cells, before = 1, -1
        for size in self.shape:
            cells *= size
        for start, end in self.runs:
            if not before < start < end <= cells:
                raise BadWhere(f"mask(...) has the run {(start, end)} behind {before} of {cells}")
            before = end


Where = Union[Cell, AllCells, Above, Fraction, Mask]
