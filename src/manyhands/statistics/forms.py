"""What stays the same of a tally from one return to the next: its kind, shape, powers and bins."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import prod


class Kind(Enum):
    """What a tally is; the value is the name of the function that users call."""

    MEAN = "mean"
    MOMENTS = "moments"
    BATCH = "batch"
    HISTOGRAM = "histogram"
    COUNTS = "counts"
    SUM = "sum"


BINNED = (Kind.HISTOGRAM, Kind.COUNTS)  # kinds that are whole numbers per bin


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a tally; two results can only be added if theirs are equal."""

    kind: Kind
    shape: tuple[int, ...]
    powers: int = 0  # of how many powers the sums are kept: 2 or 4; 0 if there are none
    edges: tuple[float, ...] | None = None

    @property
    def cells(self) -> int:
        """How many numbers the tally has a value for."""
        return prod(self.shape)

    def __str__(self) -> str:
        said = f"a {self.kind.value} of shape {self.shape}"
        if self.powers:
            said += f" with {self.powers} moments"
        if self.edges is not None:
            said += f" with edges {self.edges[0]:g} … {self.edges[-1]:g}"
        return said
