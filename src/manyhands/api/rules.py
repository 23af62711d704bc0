"""When to stop, as users say it."""

from __future__ import annotations

import time
from datetime import datetime
from typing import cast, get_args

from manyhands.api.places import place_in_words
from manyhands.api.quantities import BadQuantity, above_zero, count, part, seconds
from manyhands.model.stopping import (
    AllOf,
    AnyOf,
    Budget,
    Deadline,
    Precision,
    Samples,
    StopRule,
)
from manyhands.model.where import Where

# Far below any value that matters, so that sums of rounded values are as good as the values.
UNIT = 2.0**-100


def samples(n: int | float | str) -> Samples:
    """Stop at a count of samples."""
    return Samples(count("samples", n))


def precision(
    tally: str,
    relative: float | str | None = None,
    absolute: float | None = None,
    confidence: float | None = None,
    where: Where | None = None,
) -> Precision:
    """Stop when a tally's mean is known this well; of an array, its worst cell there.

    With nothing said about confidence, `relative` and `absolute` are one standard error (k = 1);
    with confidence=0.95 they are half the width of a 95 % interval. Guards keep early luck from
    stopping it: at least 1,000 samples, at least 30 that are not zero (30 batches of a batch
    tally), and where four moments are known a variance that is itself known well (VOV at most 0.1).

    `where` says which cells of an array: `mh.where.above(0.5)` (what is meant if nothing is said),
    `cell(3, 4)`, `all_cells()`, `fraction(0.9)` or `mask(array)`. A cell that is zero is never
    precise. The error of a region is not made of its cells' errors: return the region as a tally of
    its own, and ask for that.
    """
    if (relative is None) == (absolute is None):
        raise BadQuantity(
            f"precision({tally!r}) takes either relative or absolute, as relative=0.01"
        )
    if absolute is not None:
        absolute = above_zero(f"precision of {tally}", absolute)
    found = None if relative is None else part(f"precision of {tally}", relative)
    if confidence is None:
        return Precision(tally, found, absolute, unit=UNIT, where=where)
    if above_zero("confidence", confidence) >= 1:
        raise BadQuantity(f"confidence {confidence!r} is not below 1, as 0.95 is")
    return Precision(tally, found, absolute, confidence, UNIT, where=where)


def deadline(when: float | str | datetime) -> Deadline:
    """Stop early enough for the answer to be readable at a time, or so long from now."""
    if isinstance(when, datetime):
        return Deadline(when.timestamp())
    return Deadline(time.time() + seconds("deadline", when))


def budget(core_hours: float) -> Budget:
    """Stop when the slots have worked so long in all."""
    return Budget(above_zero("budget", core_hours))


def any_of(*rules: StopRule) -> AnyOf:
    """Stop as soon as one of the rules says so."""
    return AnyOf(tuple(rule_of(one) for one in rules))


def all_of(*rules: StopRule) -> AllOf:
    """Stop when all of the rules say so."""
    return AllOf(tuple(rule_of(one) for one in rules))


def rule_of(until: StopRule | int | float | str) -> StopRule:
    """A rule, or a number of samples."""
    if isinstance(until, int | float | str):
        return samples(until)
    return _required(until)


def _required(until: object) -> StopRule:
    """Refuse what is neither a rule nor a number, whatever its type was said to be."""
    if not isinstance(until, get_args(StopRule)):
        raise BadQuantity(f"until={until!r} is no end: give a number of samples, or a rule")
    return cast(StopRule, until)


def in_words(rule: StopRule) -> str:
    """A rule as a user would say it."""
    match rule:
        case Samples(n):
            return f"{n:,} samples"
        case Precision(tally, relative, absolute):
            reach = f"{100 * relative:.3g} %" if relative is not None else f"{absolute:g}"
            place = "" if rule.where is None else f" {place_in_words(rule.where)}"
            return f"{tally}{place} to {reach} (k={_factor(rule):.3g})"
        case Deadline(at_s):
            return f"until {datetime.fromtimestamp(at_s):%Y-%m-%d %H:%M:%S}"
        case Budget(core_hours):
            return f"{core_hours:g} core hours"
        case AnyOf(rules):
            return " or ".join(in_words(one) for one in rules)
        case AllOf(rules):
            return " and ".join(in_words(one) for one in rules)


def _factor(rule: Precision) -> float:
    """How many standard errors the rule is about."""
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + rule.confidence) / 2)
