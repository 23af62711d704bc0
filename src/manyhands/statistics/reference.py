"""What exact mode takes from block 0: how fine each tally's grid is, and about which value it sums.

Every pilot computes block 0 and so has the same reference; results of different ones never mix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from manyhands.statistics.audit import checked, require_whole
from manyhands.statistics.chunks import column_chunks
from manyhands.statistics.forms import BINNED, Form
from manyhands.statistics.grid import exponent_of
from manyhands.statistics.returned import (
    BadReturn,
    Batch,
    Binned,
    Floats,
    Mean,
    Moments,
    Returned,
    Total,
)

FINER_BITS_MAX = 20  # 2^31 blocks like the values themselves still fit then


@dataclass(frozen=True, slots=True, eq=False)
class TallyReference:
    """A tally's form, one grid exponent per power, and the value per cell that is taken off.

    A tally of `moments` has sums about zero already: nothing is taken off. Odd powers may cancel
    in block 0 (as in antithetic sampling), hence an exponent is that of a bound on the sum of the
    values' sizes, √(n Σx²) or √(Σx² Σx⁴), which is a little more than the sum itself. From the
    second power on it is that of the deviations from the centre, else a small spread of large
    values would be rounded away; but not finer than 2^-20 of that of the values, lest a block 0 of
    samples that happen to be alike leaves too little room.
    """

    form: Form
    exponents: tuple[int, ...] = ()
    centre: Floats | None = None
    empty: bool = False  # block 0 had nothing here: the exponents are a guess

    def same(self, other: TallyReference) -> bool:
        """Whether results can be added."""
        if self is other:
            return True
        alike = (self.form, self.exponents, self.empty)
        if alike != (other.form, other.exponents, other.empty):
            return False
        if self.centre is None or other.centre is None:
            return self.centre is other.centre
        return np.array_equal(self.centre, other.centre)


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """The reference of every tally of a campaign."""

    tallies: dict[str, TallyReference]

    @classmethod
    def of_block(cls, returned: object, samples: int) -> Reference:
        """What block 0, with so many samples, returned."""
        found = checked(returned, samples)
        require_whole(found.samples, samples)
        return cls({name: _reference(name, one) for name, one in found.tallies.items()})

    @property
    def forms(self) -> dict[str, Form]:
        """What every block has to return."""
        return {name: one.form for name, one in self.tallies.items()}

    def difference(self, other: Reference) -> str:
        """The name of a tally whose grids or centres differ; empty if none do."""
        for name, one in self.tallies.items():
            if name not in other.tallies or not one.same(other.tallies[name]):
                return name
        return next((name for name in other.tallies if name not in self.tallies), "")


def power_sums(one: Mean, centre: Floats | None) -> list[Floats]:
    """The sums of powers of value - centre per cell, in an order that the shape alone gives."""
    found = [np.empty(one.form.cells) for _ in range(one.powers)]
    for part, values in column_chunks(one.values):
        deviation = values if centre is None else values - centre[part]
        power = deviation
        found[0][part] = np.sum(power, axis=0)
        for k in range(1, one.powers):
            power = power * deviation
            found[k][part] = np.sum(power, axis=0)
    return found


def batch_sums(one: Batch, centre: Floats | None) -> list[Floats]:
    """n·m and n·m², with m the batch's mean less the centre."""
    mean = one.mean.reshape(-1)
    deviation = mean if centre is None else mean - centre
    return [one.samples * deviation, one.samples * deviation * deviation]


def _reference(name: str, one: Returned) -> TallyReference:
    if one.form.kind in BINNED:
        return TallyReference(one.form)
    with np.errstate(over="ignore", invalid="ignore"):
        sums, centre = _sums_and_centre(one)
        sizes = list(_sizes(sums, one.samples or 0))
    if not np.all(np.isfinite(sizes)):
        raise BadReturn(f"tally {name!r} has values whose powers are too large for a float")
    exponents = [exponent_of(size) for size in sizes]
    if isinstance(one, Mean):
        spreads = list(_sizes(power_sums(one, centre), one.samples))
        for k in range(1, len(spreads)):
            if spreads[k] > 0:
                exponents[k] = max(exponent_of(spreads[k]), exponents[k] - FINER_BITS_MAX)
    return TallyReference(one.form, tuple(exponents), centre, empty=not any(sizes))


def _sums_and_centre(one: Returned) -> tuple[list[Floats], Floats | None]:
    match one:
        case Mean():
            sums = power_sums(one, None)
            return sums, sums[0] / one.samples
        case Batch():
            return batch_sums(one, None), one.mean.reshape(-1).copy()
        case Moments():
            return [sums.reshape(-1) for sums in one.numbers], None
        case Total():
            return [one.total.reshape(-1)], None
        case Binned():
            raise AssertionError("whole numbers need no grid")


def _sizes(sums: list[Floats], samples: int) -> Iterator[float]:
    """The largest size that each power's sum can have reached in block 0."""
    for k, found in enumerate(sums):
        size = np.abs(found)
        if k % 2 == 0 and len(sums) > 1:
            before = np.full_like(size, samples) if k == 0 else np.abs(sums[k - 1])
            size = np.maximum(size, np.sqrt(before) * np.sqrt(np.abs(sums[k + 1])))
        yield float(np.max(size, initial=0.0))
