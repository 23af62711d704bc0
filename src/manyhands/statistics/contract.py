"""What every kind of tally can do: the one contract that `Tallies` knows them by."""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeAlias

from numpy.typing import NDArray

from manyhands.statistics.forms import Form
from manyhands.statistics.results import TallyResult

Array: TypeAlias = NDArray[Any]


class GridOverflow(ValueError):
    """A sum left the grid that exact mode holds it on: 2^51 times what block 0 had."""

    def __init__(self, tally: str = "") -> None:
        super().__init__(tally)
        self.tally = tally

    def __str__(self) -> str:
        return (
            f"tally {self.tally!r} grew beyond 2^51 times its block 0: take larger blocks, so that"
            " block 0 is typical, or run in free mode"
        )


class GridUnderflow(GridOverflow):
    """Block 0 was empty, and what came later is too small for the grid that it left."""

    def __str__(self) -> str:
        return (
            f"tally {self.tally!r} was empty in block 0, which gave it a grid for numbers near 1,"
            " and is far smaller: take larger blocks, or return it in a unit that makes it larger"
        )


class Accumulator(Protocol):
    """Sufficient statistics of one tally, changed in place."""

    @property
    def form(self) -> Form:
        """What has to stay the same."""

    def merge(self, other: Self, mine: int, theirs: int) -> None:
        """Add another's statistics to these, given the samples of each.

        May raise GridOverflow, and is then unchanged.
        """

    def unmerge(self, other: Self) -> None:
        """Take back a merge; only asked of those whose merge may fail."""

    def copy(self) -> Self:
        """The same, in memory of its own."""

    def arrays(self) -> dict[str, Array]:
        """All numbers per cell, flat, in an order that the form gives."""

    def numbers(self) -> dict[str, int]:
        """All numbers besides: of batches, or of samples outside of all bins."""

    def result(self, samples: int) -> TallyResult:
        """What it says, given the samples it holds."""
