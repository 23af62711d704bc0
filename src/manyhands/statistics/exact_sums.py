"""Exact mode's sums: powers of (value - block 0's mean), each an integer on a grid.

They are the same bits whoever adds them, in whatever order and grouping.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from manyhands.statistics.chunks import chunks
from manyhands.statistics.contract import Array, GridOverflow, GridUnderflow
from manyhands.statistics.double_double import Doubled, doubled, plain, whole
from manyhands.statistics.forms import Form, Kind
from manyhands.statistics.free_sums import FreeSums, FreeTotal
from manyhands.statistics.grid import FRACTION_BITS, GridSums, OutOfGrid
from manyhands.statistics.reference import TallyReference, batch_sums, power_sums
from manyhands.statistics.results import TallyResult, shaped
from manyhands.statistics.returned import Batch, Floats, Mean, Moments, Total

BITS_MIN = 20


@dataclass(slots=True, eq=False)
class ExactSums:
    """The sums of powers on their grids, one of each per cell; a total is the first power alone."""

    reference: TallyReference
    sums: list[GridSums]
    batches: int = 0

    @classmethod
    def zero(cls, reference: TallyReference) -> ExactSums:
        """No sample yet."""
        cells = reference.form.cells
        return cls(reference, [GridSums.zero(one, cells) for one in reference.exponents])

    @classmethod
    def of(
        cls, name: str, one: Mean | Moments | Batch | Total, reference: TallyReference
    ) -> ExactSums:
        """One block's sums, computed as floats and rounded to the grid once."""
        with np.errstate(over="ignore", invalid="ignore"):
            values = _block_sums(one, reference.centre)
        if reference.empty and any(_vanishes(value) for value in values):
            raise GridUnderflow(name)
        try:
            sums = [
                GridSums.of(value, exponent)
                for value, exponent in zip(values, reference.exponents, strict=True)
            ]
        except OutOfGrid as error:
            raise GridOverflow(name) from error
        return cls(reference, sums, 1 if isinstance(one, Batch) else 0)

    @classmethod
    def read(
        cls, reference: TallyReference, arrays: dict[str, Array], numbers: dict[str, int]
    ) -> ExactSums:
        """What `arrays` and `numbers` gave; the arrays are taken over."""
        sums = [
            GridSums(exponent, arrays[f"high{k}"], arrays[f"low{k}"])
            for k, exponent in enumerate(reference.exponents, start=1)
        ]
        return cls(reference, sums, **numbers)

    @property
    def form(self) -> Form:
        """What has to stay the same."""
        return self.reference.form

    def merge(self, other: ExactSums, mine: int, theirs: int) -> None:
        """Add another's integers, all or none."""
        for k, sums in enumerate(self.sums):
            try:
                sums.add(other.sums[k])
            except OutOfGrid as error:
                for done in range(k):
                    self.sums[done].subtract(other.sums[done])
                raise GridOverflow from error
        self.batches += other.batches

    def unmerge(self, other: ExactSums) -> None:
        """Take a merge back."""
        for sums, less in zip(self.sums, other.sums, strict=True):
            sums.subtract(less)
        self.batches -= other.batches

    def copy(self) -> ExactSums:
        """The same, in memory of its own; the reference is shared, nobody changes it."""
        return ExactSums(self.reference, [one.copy() for one in self.sums], self.batches)

    def arrays(self) -> dict[str, Array]:
        """The high and low halves of every power's integers."""
        found: dict[str, Array] = {}
        for k, sums in enumerate(self.sums, start=1):
            found[f"high{k}"] = sums.high
            found[f"low{k}"] = sums.low
        return found

    def numbers(self) -> dict[str, int]:
        """The number of batches."""
        return {} if self.form.kind is Kind.SUM else {"batches": self.batches}

    def as_free(self, samples: int) -> FreeSums | FreeTotal:
        """The mean and the second power of deviations as floats; higher powers are left out."""
        found = self.result(samples)
        value = np.array(found.value, np.float64).reshape(-1)
        if self.form.kind is Kind.SUM:
            return FreeTotal(self.form, value)
        free = (self.batches if self.form.kind is Kind.BATCH else samples) - 1
        m2 = np.zeros_like(value)
        if free > 0:
            m2 = np.square(np.array(found.error, np.float64).reshape(-1)) * free * samples
        return FreeSums(replace(self.form, powers=2), [value, m2], self.batches)

    def result(self, samples: int) -> TallyResult:
        """Value, error and, with four powers, the variance of the variance."""
        cells, powers = self.form.cells, self.form.powers
        found = [np.empty(cells) for _ in range(3)]
        if samples > 0:
            with np.errstate(all="ignore"):
                for part in chunks(cells):
                    for into, values in zip(found, self._part(part, samples), strict=False):
                        into[part] = values
        else:
            found = [np.zeros(cells), np.full(cells, np.inf), np.zeros(cells)]
        value = shaped(self.form, found[0])
        if self.form.kind is Kind.SUM:
            return TallyResult(Kind.SUM, samples, value, None)
        error = shaped(self.form, found[1])
        vov = shaped(self.form, found[2]) if powers == 4 else None
        batches = self.batches if self.form.kind is Kind.BATCH else None
        return TallyResult(self.form.kind, samples, value, error, vov, batches=batches)

    def _part(self, part: slice, samples: int) -> list[Floats]:
        """Value, error and VOV of some cells, computed with twice a float's precision."""
        if self.form.kind is Kind.SUM:
            return [doubled(self.sums[0], part, 0).rounded]
        # In units of 2^g, so that no power leaves the floats' range.
        g = self.sums[0].exponent
        s = [doubled(one, part, (k + 1) * g) for k, one in enumerate(self.sums)]
        n = whole(samples)
        mean = s[0] / n
        m2 = _not_negative(s[1] - mean * s[0])
        free = (self.batches if self.form.kind is Kind.BATCH else samples) - 1
        error = np.full(m2.shape, np.inf)
        if free > 0:
            error = np.ldexp(np.sqrt(m2 / free / samples), g)
        scaled = Doubled(np.ldexp(mean.high, g), np.ldexp(mean.low, g))
        if self.reference.centre is not None:
            scaled = scaled + plain(self.reference.centre[part])
        found = [scaled.rounded, error]
        if len(s) == 4:
            found.append(_vov(s, mean, m2, samples))
        return found


def dtypes(form: Form) -> dict[str, np.dtype[Any]]:
    """Which arrays there are, and of what type."""
    found: dict[str, np.dtype[Any]] = {}
    for k in range(1, max(form.powers, 1) + 1):
        found[f"high{k}"] = np.dtype("<i8")
        found[f"low{k}"] = np.dtype("<u8")
    return found


def _block_sums(one: Mean | Moments | Batch | Total, centre: Floats | None) -> list[Floats]:
    match one:
        case Mean():
            return power_sums(one, centre)
        case Batch():
            return batch_sums(one, centre)
        case Moments():
            return [sums.reshape(-1) for sums in one.numbers]
        case Total():
            return [one.total.reshape(-1)]


def _vanishes(values: Floats) -> bool:
    """Whether the grid of an empty block 0 would leave less than six digits of the largest."""
    return 0 < float(np.max(np.abs(values))) < 2.0 ** (BITS_MIN - FRACTION_BITS)


def _vov(s: list[Doubled], mean: Doubled, m2: Floats, samples: int) -> Floats:
    """Σd⁴ / (Σd²)² - 1/n, where d is about the mean and the sums about block 0's."""
    square = mean * mean
    m4 = s[3] - whole(4) * mean * s[2] + whole(6) * square * s[1]
    m4 = m4 - whole(3 * samples) * square * square
    spread = np.where(m2 > 0, m2, 1.0)
    found = _not_negative(m4) / spread / spread - 1 / samples
    return np.where(m2 > 0, found, 0.0)


def _not_negative(value: Doubled) -> Floats:
    return np.maximum(value.rounded, 0.0)
