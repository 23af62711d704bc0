"""What `advance(samples, stream)` may return: a dict of tallies made by the functions here.

Users call them as `mh.mean`, `mh.histogram` and so on. Each value knows how many samples it holds,
so that a return can be audited: a count is a claim. Nothing here adds up two returns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyhands.model.checks import COUNT_MAX
from manyhands.model.malformed import shown
from manyhands.statistics.forms import Form, Kind

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

SQUARE_SLACK = 1e-6  # how far rounding may take a program's sums beyond (Σx)² = n·Σx²
REAL_KINDS = "biuf"  # numpy's letters for booleans, whole numbers and floats


class BadReturn(ValueError):
    """The application returned what cannot be counted; one line says what, where and what to do."""


class ShortReturn(BadReturn):
    """Fewer samples came back than were ordered, where every one of them is needed."""


@dataclass(frozen=True, slots=True, eq=False)
class Mean:
    """The value of every sample, in every cell; the first axis is the samples."""

    values: Floats
    powers: int

    @property
    def form(self) -> Form:
        """What has to stay the same."""
        return Form(Kind.MEAN, self.values.shape[1:], self.powers)

    @property
    def samples(self) -> int:
        """How many samples it holds."""
        return len(self.values)

    @property
    def numbers(self) -> tuple[Floats, ...]:
        """All that has to be finite."""
        return (self.values,)


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Sums of the first two or four powers of the samples' values, per cell."""

    samples: int
    numbers: tuple[Floats, ...]

    @property
    def form(self) -> Form:
        """What has to stay the same."""
        return Form(Kind.MOMENTS, self.numbers[0].shape, len(self.numbers))


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """The mean of samples that depend on each other, per cell; many batches give its error."""

    samples: int
    mean: Floats

    @property
    def form(self) -> Form:
        """What has to stay the same."""
        return Form(Kind.BATCH, self.mean.shape, 2)

    @property
    def numbers(self) -> tuple[Floats, ...]:
        """All that has to be finite."""
        return (self.mean,)


@dataclass(frozen=True, slots=True, eq=False)
class Binned:
    """How many samples fell in each bin, and for a histogram how many below and above all bins."""

    form: Form
    samples: int
    counts: Ints
    outside: tuple[int, int] = (0, 0)

    @property
    def numbers(self) -> tuple[Floats, ...]:
        """All that has to be finite: whole numbers are."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Total:
    """What is only added up, without an error; it does not know how many samples it holds."""

    total: Floats
    samples: None = None

    @property
    def form(self) -> Form:
        """What has to stay the same."""
        return Form(Kind.SUM, self.total.shape)

    @property
    def numbers(self) -> tuple[Floats, ...]:
        """All that has to be finite."""
        return (self.total,)


Returned: TypeAlias = Mean | Moments | Batch | Binned | Total


def mean(values: ArrayLike, moments: int = 2) -> Mean:
    """A mean with its error, of one value per sample and cell: the first axis is the samples.

    With moments=4 the third and fourth powers are kept too, so that the error's own error (VOV)
    can be told.
    """
    if moments not in (2, 4):
        raise BadReturn(f"mean(...) keeps 2 or 4 moments, not {moments!r}")
    found = _floats("mean(...)", values, empty=True)
    if found.ndim == 0:
        raise BadReturn("mean(...) takes one value per sample: for a single sample, give [value]")
    return Mean(found, moments)


def moments(
    n: int,
    s1: ArrayLike,
    s2: ArrayLike,
    s3: ArrayLike | None = None,
    s4: ArrayLike | None = None,
) -> Moments:
    """A mean with its error, from the number of samples and the sums of their values' powers."""
    if (s3 is None) != (s4 is None):
        raise BadReturn("moments(...) takes s3 and s4 together, or neither")
    given = [s1, s2] if s3 is None or s4 is None else [s1, s2, s3, s4]
    sums = tuple(_floats("moments(...)", one) for one in given)
    shapes = [one.shape for one in sums]
    if len({*shapes}) > 1:
        raise BadReturn(f"moments(...) takes sums of one shape, but they have {shapes}")
    return Moments(_count("moments(...)", n), sums)


def batch(n: int, mean: ArrayLike) -> Batch:
    """The mean of n samples that are correlated, as a program prints it: one batch of many."""
    return Batch(_count("batch(...)", n), _floats("batch(...)", mean))


def histogram(values: ArrayLike, edges: ArrayLike) -> Binned:
    """The fraction of samples in each bin, of one value per sample.

    Bin i holds edges[i] ≤ value < edges[i + 1], and the last bin its upper edge too. What falls in
    no bin is counted apart, below and above, so that the samples agree with other tallies.
    """
    found = _floats("histogram(...)", values, empty=True)
    if found.ndim != 1:
        raise BadReturn(f"histogram(...) takes one value per sample, not an array {found.shape}")
    if missing := int(np.count_nonzero(np.isnan(found))):
        raise BadReturn(
            f"histogram(...) cannot place {missing} of {len(found)} values: not numbers"
        )
    bounds = _edges("histogram(...)", edges)
    bins = len(bounds) - 1
    place = np.searchsorted(bounds, found, side="right") - 1
    place[found == bounds[-1]] = bins - 1
    inside = (place >= 0) & (place < bins)
    counts = np.bincount(place[inside], minlength=bins).astype(np.int64)
    below = int(np.count_nonzero(place < 0))
    above = len(found) - below - int(np.count_nonzero(inside))
    form = Form(Kind.HISTOGRAM, (bins,), 0, tuple(bounds.tolist()))
    return Binned(form, len(found), counts, (below, above))


def counts(n: int, counts: ArrayLike, edges: ArrayLike | None = None) -> Binned:
    """The fraction of n samples in each bin, counted already; one sample may be in several bins."""
    samples = _count("counts(...)", n)
    found = np.asarray(counts)
    if found.dtype.kind not in "biu" or found.size == 0:
        raise BadReturn("counts(...) takes whole numbers, one per bin")
    if found.min() < 0 or found.max() > samples:
        worst = int(found.min()) if found.min() < 0 else int(found.max())
        raise BadReturn(
            f"counts(...) has {worst} in a bin for {samples} samples: a sample counts once per bin"
            " (use mh.moments for scores)"
        )
    bounds = None
    if edges is not None:
        bounds = tuple(_edges("counts(...)", edges).tolist())
        if found.shape != (len(bounds) - 1,):
            raise BadReturn(f"counts(...) has counts {found.shape} for {len(bounds)} edges")
    form = Form(Kind.COUNTS, found.shape, 0, bounds)
    return Binned(form, samples, np.ascontiguousarray(found, np.int64).reshape(found.shape))


def total(values: ArrayLike) -> Total:
    """A number, or an array of them, that is only added up; users call it `mh.sum`."""
    return Total(_floats("sum(...)", values))


def _floats(where: str, values: ArrayLike, empty: bool = False) -> Floats:
    """The values as floats, rows one after the other: the order of adding is then always one."""
    try:
        found = np.asarray(values)
    except ValueError as error:
        raise BadReturn(f"{where} takes numbers, but the rows have different lengths") from error
    if found.dtype.kind not in REAL_KINDS:
        raise BadReturn(f"{where} takes real numbers, not {found.dtype.name}")
    if found.size == 0 and not (empty and found.shape[0] == 0 and all(found.shape[1:])):
        raise BadReturn(f"{where} takes at least one cell, but the array is {found.shape}")
    return np.ascontiguousarray(found, np.float64).reshape(found.shape)


def _count(where: str, n: object) -> int:
    found = int(n) if isinstance(n, np.integer) else n
    if type(found) is not int or not 0 <= found <= COUNT_MAX:
        raise BadReturn(f"{where} takes the number of samples as a whole number, not {shown(n)}")
    return found


def _edges(where: str, edges: ArrayLike) -> Floats:
    bounds = _floats(where, edges)
    rising = bounds.ndim == 1 and len(bounds) >= 2 and bool(np.all(np.diff(bounds) > 0))
    if not rising or not np.all(np.isfinite(bounds)):
        raise BadReturn(f"{where} takes two edges or more, finite and rising")
    return bounds
