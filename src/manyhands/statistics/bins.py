"""Whole numbers per bin: exact in both modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manyhands.statistics.forms import BINNED, Form, Kind
from manyhands.statistics.results import TallyResult, edges_of, shaped
from manyhands.statistics.returned import Binned, Ints

DTYPES = {"counts": np.dtype("<i8")}


def handles(form: Form) -> bool:
    """Whether a tally of this form is one of whole numbers."""
    return form.kind in BINNED


@dataclass(slots=True, eq=False)
class BinCounts:
    """How many samples fell in each bin, and how many below and above all.

    A count is at most the number of samples, which is bounded: it cannot overflow.
    """

    form: Form
    counts: Ints
    below: int = 0
    above: int = 0

    @classmethod
    def of(cls, one: Binned) -> BinCounts:
        """The counts of one return."""
        return cls(one.form, one.counts.reshape(-1).copy(), *one.outside)

    @classmethod
    def zero(cls, form: Form) -> BinCounts:
        """No sample yet."""
        return cls(form, np.zeros(form.cells, np.int64))

    def merge(self, other: BinCounts, mine: int, theirs: int) -> None:
        """Add another's counts."""
        self.counts += other.counts
        self.below += other.below
        self.above += other.above

    def unmerge(self, other: BinCounts) -> None:
        """Take them back."""
        self.counts -= other.counts
        self.below -= other.below
        self.above -= other.above

    def copy(self) -> BinCounts:
        """The same, in memory of its own."""
        return BinCounts(self.form, self.counts.copy(), self.below, self.above)

    def arrays(self) -> dict[str, NDArray[np.int64]]:
        """The counts."""
        return {"counts": self.counts}

    def numbers(self) -> dict[str, int]:
        """Those outside of all bins."""
        return {"below": self.below, "above": self.above}

    def result(self, samples: int) -> TallyResult:
        """The fraction p of the samples per bin, with error √(p(1 - p) / (n - 1)).

        n - 1, and not n, since this is then the error of a mean of zeros and ones.
        """
        fraction = self.counts / max(samples, 1)
        error = np.full(fraction.shape, np.inf)
        if samples > 1:
            error = np.sqrt(fraction * (1 - fraction) / (samples - 1))
        return TallyResult(
            self.form.kind,
            samples,
            shaped(self.form, fraction),
            shaped(self.form, error),
            edges=edges_of(self.form),
            outside=(self.below, self.above) if self.form.kind is Kind.HISTOGRAM else None,
        )
