"""The few numbers a precision rule is judged by, which ride on every partial.

They are whole numbers, so that the master's sums do not depend on the order of arrival.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from manyhands.model.checks import is_span, require, require_text
from manyhands.model.malformed import nearest
from manyhands.statistics.audit import listed
from manyhands.statistics.forms import Form, Kind
from manyhands.statistics.returned import BadReturn, Mean, Moments, Returned

ADDITIVE = (Kind.MEAN, Kind.MOMENTS)


class UnknownTally(BadReturn):
    """A precision rule is about a tally that the application does not return, or not so."""


@dataclass(frozen=True, slots=True)
class Watch:
    """The tally of a precision rule, and the unit its sums are counted in."""

    tally: str
    unit: float

    def __post_init__(self) -> None:
        require_text("tally", self.tally)
        require(is_span(self.unit), "unit", self.unit, "a finite number above 0")


def require_watchable(watch: Watch, forms: Mapping[str, Form]) -> None:
    """Refuse a rule on a tally that is not there, or that has no error."""
    name = watch.tally
    if name not in forms:
        raise UnknownTally(
            f"precision on {name!r}: no tally {name!r}: there are {listed(forms)}"
            f"{nearest(name, list(forms))}"
        )
    if forms[name].kind is Kind.SUM:
        raise UnknownTally(
            f"precision on {name!r}: it is a sum, which has no error: mh.mean, mh.moments,"
            " mh.batch, mh.histogram and mh.counts have"
        )


def is_additive(form: Form) -> bool:
    """Whether a few sums tell how precise it is: a single number per sample."""
    return form.kind in ADDITIVE and form.shape == ()


def sums_of(watch: Watch, one: Returned) -> tuple[int, ...]:
    """How many samples were not zero, and the sums of powers in units of unit, unit², …

    From values, four powers; from moments, those that are there. Moments do not tell how many
    samples were not zero: all of them, or none if the sums are. Of anything that is not a single
    number per sample there are no sums: the merged result is judged.
    """
    if not is_additive(one.form):
        return ()
    unit = Fraction(watch.unit)
    if isinstance(one, Mean):
        sums = _exact_sums(one)
        nonzero = int(np.count_nonzero(one.values))
    else:
        assert isinstance(one, Moments), "not watchable"
        sums = [Fraction(float(power)) for power in one.numbers]
        nonzero = one.samples if any(sums) else 0
    return (nonzero, *(round(power / unit**k) for k, power in enumerate(sums, start=1)))


def _exact_sums(one: Mean) -> list[Fraction]:
    """Float sums of the first four powers, scaled by powers of two so that none overflows."""
    largest = float(np.max(np.abs(one.values)))
    exponent = int(np.frexp(largest)[1])
    values = np.ldexp(one.values, -exponent)
    found = []
    power = values
    for k in range(1, 5):
        found.append(Fraction(float(np.sum(power))) * Fraction(2) ** (k * exponent))
        power = power * values
    return found
