"""Free mode's sums: number, mean and sums of powers of deviations, per cell.

Two sets are merged by the formulas of Chan, Golub & LeVeque 1979 and, for the third and fourth
power, Pébay 2008 (eq. 1.5, 3.1). They only ever add deviations, never squares of large numbers:
nothing cancels, however many samples there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manyhands.model.checks import COUNT_MAX
from manyhands.statistics.chunks import chunks, column_chunks
from manyhands.statistics.forms import Form, Kind
from manyhands.statistics.results import TallyResult, shaped
from manyhands.statistics.returned import Batch, Floats, Mean, Moments, Total

FLOAT = np.dtype("<f8")


@dataclass(slots=True, eq=False)
class FreeSums:
    """The mean, and the sums of the second (to fourth) powers of what deviates from it."""

    form: Form
    moments: list[Floats]  # mean, m2 and perhaps m3, m4, one number per cell
    batches: int = 0

    @classmethod
    def of(cls, one: Mean | Moments | Batch) -> FreeSums:
        """The statistics of one return."""
        with np.errstate(over="ignore", invalid="ignore"):
            match one:
                case Mean():
                    return cls(one.form, _of_values(one))
                case Moments():
                    return cls(one.form, _of_sums(one))
                case Batch():
                    mean = one.mean.reshape(-1).copy()
                    return cls(one.form, [mean, np.zeros_like(mean)], 1)

    @property
    def mergeable(self) -> bool:
        """Whether no power is too large for a float, nor will be once others are merged."""
        with np.errstate(over="ignore", invalid="ignore"):
            apart = 2 * np.max(np.abs(self.moments[0]))
            largest = apart ** len(self.moments) * COUNT_MAX
            return all(bool(np.isfinite(np.sum(one))) for one in [*self.moments, largest])

    def merge(self, other: FreeSums, mine: int, theirs: int) -> None:
        """Add another's statistics, in pieces that stay in the processor's cache."""
        self.batches += other.batches
        with np.errstate(over="ignore", invalid="ignore"):
            for part in chunks(self.form.cells):
                into = [one[part] for one in self.moments]
                _merge(into, [one[part] for one in other.moments], mine, theirs)

    def unmerge(self, other: FreeSums) -> None:
        """Nothing here can fail, so nothing is ever taken back."""
        raise AssertionError("floats cannot be taken back")

    def copy(self) -> FreeSums:
        """The same, in memory of its own."""
        return FreeSums(self.form, [one.copy() for one in self.moments], self.batches)

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """All numbers per cell."""
        return dict(zip(dtypes(self.form), self.moments, strict=True))

    def numbers(self) -> dict[str, int]:
        """The number of batches."""
        return {"batches": self.batches}

    def result(self, samples: int) -> TallyResult:
        """Mean and error; between batches, weighted by their samples."""
        mean, m2 = self.moments[:2]
        batches = self.batches if self.form.kind is Kind.BATCH else None
        error = standard_error(m2, samples, batches)
        vov = None
        if self.form.powers == 4:
            vov = shaped(self.form, variance_of_variance(m2, self.moments[3], samples))
        value = shaped(self.form, mean.copy())
        said = shaped(self.form, error)
        return TallyResult(self.form.kind, samples, value, said, vov, batches=batches)


@dataclass(slots=True, eq=False)
class FreeTotal:
    """What is only added up."""

    form: Form
    total: Floats

    @classmethod
    def of(cls, one: Total) -> FreeTotal:
        """The total of one return."""
        return cls(one.form, one.total.reshape(-1).copy())

    def merge(self, other: FreeTotal, mine: int, theirs: int) -> None:
        """Add another's total."""
        with np.errstate(over="ignore", invalid="ignore"):
            self.total += other.total

    def unmerge(self, other: FreeTotal) -> None:
        """Nothing here can fail, so nothing is ever taken back."""
        raise AssertionError("floats cannot be taken back")

    def copy(self) -> FreeTotal:
        """The same, in memory of its own."""
        return FreeTotal(self.form, self.total.copy())

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """All numbers per cell."""
        return {"total": self.total}

    def numbers(self) -> dict[str, int]:
        """No others."""
        return {}

    def result(self, samples: int) -> TallyResult:
        """The total, without an error."""
        return TallyResult(self.form.kind, samples, shaped(self.form, self.total.copy()), None)


def dtypes(form: Form) -> dict[str, np.dtype[np.float64]]:
    """Which arrays there are, and of what type."""
    if form.kind is Kind.SUM:
        return {"total": FLOAT}
    return dict.fromkeys(["mean", "m2", "m3", "m4"][: form.powers], FLOAT)


def standard_error(m2: Floats, samples: int, batches: int | None) -> Floats:
    """One standard error of a mean: √(m2 / ((n - 1) n)), with n - 1 of the batches if there are."""
    free = (samples if batches is None else batches) - 1
    if free < 1:
        return np.full(m2.shape, np.inf)
    return np.sqrt(m2 / free / samples)


def variance_of_variance(m2: Floats, m4: Floats, samples: int) -> Floats:
    """Σd⁴ / (Σd²)² - 1/n; zero where nothing varies."""
    found = np.zeros(m2.shape)
    np.divide(m4 / np.where(m2 > 0, m2, 1.0), m2, out=found, where=m2 > 0)
    return np.where(m2 > 0, found - 1 / samples, 0.0)


def _of_values(one: Mean) -> list[Floats]:
    found = [np.empty(one.form.cells) for _ in range(one.powers)]
    for part, values in column_chunks(one.values):
        mean = np.sum(values, axis=0) / one.samples
        deviation = values - mean
        # The mean's rounding, put right (Chan, Golub & LeVeque 1983, eq. 1.7).
        mean += np.sum(deviation, axis=0) / one.samples
        found[0][part] = mean
        power = deviation
        for k in range(1, one.powers):
            power = power * deviation
            found[k][part] = np.sum(power, axis=0)
    return found


def _of_sums(one: Moments) -> list[Floats]:
    found = [np.empty(one.form.cells) for _ in one.numbers]
    sums = [power.reshape(-1) for power in one.numbers]
    for part in chunks(one.form.cells):
        about_mean = _deviations([power[part] for power in sums], float(one.samples))
        for into, power in zip(found, about_mean, strict=True):
            into[part] = power
    return found


def _deviations(sums: list[Floats], n: float) -> list[Floats]:
    """Sums of powers about the mean, from those about zero."""
    s1, s2 = sums[:2]
    mean = s1 / n
    found = [mean, np.maximum(s2 - mean * s1, 0.0)]
    if len(sums) == 4:
        s3, s4 = sums[2:]
        square = mean * mean
        found.append(s3 - 3 * mean * s2 + 2 * n * mean * square)
        m4 = s4 - 4 * mean * s3 + 6 * square * s2 - 3 * n * square * square
        found.append(np.maximum(m4, 0.0))
    return found


def _merge(into: list[Floats], other: list[Floats], mine: int, theirs: int) -> None:
    a, b = mine / (mine + theirs), theirs / (mine + theirs)
    delta = other[0] - into[0]
    square = delta * delta
    if len(into) == 4:
        _merge_high(into, other, (delta, square), (a, b, mine * b))
    square *= mine * b
    into[1] += other[1]
    into[1] += square
    delta *= b
    into[0] += delta


def _merge_high(
    into: list[Floats],
    other: list[Floats],
    deltas: tuple[Floats, Floats],
    weights: tuple[float, float, float],
) -> None:
    """The fourth and third powers, while the lower ones are still as they were."""
    delta, square = deltas
    a, b, both = weights
    _, m2, m3, m4 = into
    m4 += other[3] + square * square * (both * (a * a - a * b + b * b))
    m4 += 6 * square * (a * a * other[1] + b * b * m2)
    m4 += 4 * delta * (a * other[2] - b * m3)
    m3 += other[2] + delta * square * (both * (a - b))
    m3 += 3 * delta * (a * other[1] - b * m2)
