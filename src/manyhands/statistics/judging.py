"""How precise a result is by what a stop rule asks of it: the error of the worst cell."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from manyhands.model.stopping import Precision
from manyhands.model.where import BadWhere
from manyhands.statistics.results import relative
from manyhands.statistics.tallies import Tallies
from manyhands.statistics.where import default, precise, worst


@dataclass(frozen=True, slots=True)
class Measured:
    """One standard error of the worst cell, a part of its value if the rule's is.

    None: one of the cells can never be precise, or there is none. `vov`: the worst of these cells,
    where four moments are kept.
    """

    error: float | None
    batches: int | None
    vov: float | None


def measure(rule: Precision, tallies: Tallies) -> Measured:
    """What the rule asks of these tallies; BadWhere if they have no such cells."""
    if rule.tally not in tallies.names:
        known = ", ".join(tallies.names)
        raise BadWhere(f"precision on {rule.tally!r}: no tally {rule.tally!r}: there are {known}")
    result = tallies.result(rule.tally)
    if result.error is None:
        raise BadWhere(f"precision on {rule.tally!r}: a {result.kind.value} has no error")
    value, error = np.asarray(result.value), np.asarray(result.error)
    part = relative(value, error)
    # An empty cell is never precise, and neither is one whose error cannot be told.
    asked = np.where((value == 0) & (error == 0), np.inf, error) if rule.relative is None else part
    where = default(value.shape) if rule.where is None else rule.where
    try:
        cells = precise(where, value, asked)
    except BadWhere as problem:
        raise BadWhere(f"precision on {rule.tally!r}: {problem}") from None
    found = worst(asked[cells])
    vov = None
    if result.vov is not None and isfinite(found):
        vov = max(worst(np.asarray(result.vov)[cells]), 0.0)
    batches = None if result.batches is None else max(result.batches, 1)
    return Measured(found if isfinite(found) else None, batches, vov)
