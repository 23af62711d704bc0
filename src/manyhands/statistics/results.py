"""What a tally says in the end: a value and one standard error, per cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from manyhands.statistics.forms import Form, Kind
from manyhands.statistics.returned import Floats

Number: TypeAlias = float | Floats


@dataclass(frozen=True, slots=True)
class Grid:
    """Where the cells of an image lie: their spacing, and the centre of the first, x first."""

    spacing_mm: tuple[float, ...]
    origin_mm: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TallyResult:
    """A tally's value with its standard error (k = 1): numbers, or arrays with one per cell.

    An error that one sample or batch cannot give is infinite; a sum has none.
    """

    kind: Kind
    samples: int
    value: Number
    error: Number | None
    vov: Number | None = None  # the variance of the variance, where four moments are kept
    edges: Floats | None = None
    batches: int | None = None
    outside: tuple[int, int] | None = None  # a histogram's samples below and above all bins

    @property
    def relative_error(self) -> Number | None:
        """The error as a part of the value; infinite where the value is zero."""
        if self.error is None:
            return None
        found = relative(np.asarray(self.value), np.asarray(self.error))
        return float(found) if found.ndim == 0 else found


def relative(value: Floats, error: Floats) -> Floats:
    """error ÷ |value|; infinite where the value is zero, since an empty cell is never precise."""
    found = np.full(value.shape, np.inf)
    np.divide(error, np.abs(value), out=found, where=value != 0)
    return found


def shaped(form: Form, flat: Floats) -> Number:
    """Numbers of all cells in the tally's shape; a plain number if it has none."""
    return float(flat[0]) if form.shape == () else flat.reshape(form.shape)


def edges_of(form: Form) -> Floats | None:
    """A tally's bin edges as an array."""
    return None if form.edges is None else np.array(form.edges)
