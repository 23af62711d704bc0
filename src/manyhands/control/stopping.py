"""When it is enough: what a stop rule says of the numbers that have arrived, and what is left."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

from manyhands.model.events import PrecisionJudged
from manyhands.model.stopping import (
    AllOf,
    AnyOf,
    Budget,
    Deadline,
    Precision,
    Samples,
    StopRule,
)

US_PER_S = 1_000_000
SUMS_MIN = 3  # how many were not zero, and two powers; four powers if VOV is to be judged
US_PER_HOUR = 3600 * US_PER_S


@dataclass(slots=True)
class Estimate:
    """What the last look at a precision rule found."""

    met: bool = False
    samples: int = 0  # in the result that was looked at
    goal: int | None = None  # samples at which the rule will be met, as far as it can be told


@dataclass(slots=True)
class Standing:
    """What a stop rule is judged by."""

    now_us: int
    stored: int
    used_us: int  # slot time used so far
    estimate: Estimate


@dataclass(slots=True)
class Prospect:
    """How fast a campaign goes on: what turns a goal into a time."""

    slots: int
    flush_us: int  # how long storing the last increments will take
    time_to_samples: dict[int, int | None]


def satisfied(rule: StopRule, standing: Standing) -> bool:
    """Whether the campaign is done."""
    match rule:
        case Samples(count):
            return standing.stored >= count
        case Precision():
            return standing.estimate.met
        case Deadline(at_s):
            return standing.now_us >= microseconds(at_s)
        case Budget(core_hours):
            return standing.used_us >= int(core_hours * US_PER_HOUR)
        case AnyOf(rules):
            return any(satisfied(one, standing) for one in rules)
        case AllOf(rules):
            return all(satisfied(one, standing) for one in rules)


def goals(rule: StopRule, estimate: Estimate) -> list[int]:
    """The sample counts at which parts of a rule will be met, as far as known."""
    match rule:
        case Samples(count):
            return [count]
        case Precision():
            return [] if estimate.goal is None else [estimate.goal]
        case AnyOf(rules) | AllOf(rules):
            return [goal for one in rules for goal in goals(one, estimate)]
        case _:
            return []


def time_left_us(rule: StopRule, standing: Standing, prospect: Prospect) -> int | None:
    """When quotas should be reached for the rule to be met, from now; None: cannot be told."""
    match rule:
        case Samples(count):
            return prospect.time_to_samples[count]
        case Precision():
            goal = standing.estimate.goal
            return None if goal is None else prospect.time_to_samples[goal]
        case Deadline(at_s):
            return max(microseconds(at_s) - prospect.flush_us - standing.now_us, 0)
        case Budget(core_hours):
            left = int(core_hours * US_PER_HOUR) - standing.used_us
            if prospect.slots == 0:
                return None if left > 0 else 0
            return max(left // prospect.slots - prospect.flush_us, 0)
        case AnyOf(rules):
            known = [
                time for one in rules if (time := time_left_us(one, standing, prospect)) is not None
            ]
            return min(known) if known else None
        case AllOf(rules):
            times = [time_left_us(one, standing, prospect) for one in rules]
            known = [time for time in times if time is not None]
            return max(known) if len(known) == len(times) else None


def microseconds(time_s: float) -> int:
    """A time of the outside world as the core counts it."""
    return round(time_s * US_PER_S)


@lru_cache
def standard_errors(confidence: float) -> float:
    """How many standard errors a symmetric interval of this confidence reaches to each side."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def look(rule: Precision, samples: int, sums: list[int]) -> Estimate:
    """Judge a precision rule by its additive sums; what no samples can sum up to says nothing."""
    try:
        return _judge(rule, samples, sums)
    except (OverflowError, ValueError):
        return Estimate(False, samples, None)


def _judge(rule: Precision, samples: int, sums: list[int]) -> Estimate:
    if len(sums) < SUMS_MIN:
        return Estimate(False, samples, None)
    nonzero, first, second = sums[0], sums[1], sums[2]
    # n * sum of squared deviations, in whole numbers: nothing cancels. Below zero by rounding.
    spread = max(samples * second - first * first, 0)
    if samples < 2 or nonzero <= 0:
        return Estimate(False, samples, None)
    mean = first / samples * rule.unit
    error = math.sqrt(spread / (samples * samples * (samples - 1))) * rule.unit
    reach = rule.absolute if rule.absolute is not None else (rule.relative or 0) * abs(mean)
    vov = None if len(sums) < 5 else _vov(samples, spread, sums)
    least = -(-samples * rule.nonzero_min // nonzero)
    return _estimate(rule, samples, error, reach, least, vov)


def judged(rule: Precision, found: PrecisionJudged) -> Estimate:
    """Judge a precision rule by what was found in the merged result."""
    samples, error = found.samples, found.error
    if error is None:
        return Estimate(False, samples, None)
    try:
        return _estimate(
            rule,
            samples,
            error,
            rule.absolute or rule.relative or 0.0,
            _least(rule, found),
            found.vov,
        )
    except (OverflowError, ZeroDivisionError):
        return Estimate(False, samples, None)


def _least(rule: Precision, found: PrecisionJudged) -> int:
    """How many samples it takes for enough of them not to be zero, or for enough batches."""
    samples, error = found.samples, found.error or 0.0
    if found.batches is not None:
        return -(-samples * rule.nonzero_min // found.batches)
    if rule.absolute is not None:
        return 0  # whether samples were zero shows in an error only beside its value
    # (Σx)² ≤ k Σx² if k samples are not zero: there are so many at least.
    counted = 1 / (error * error * ((samples - 1) / samples) + 1 / samples)
    return math.ceil(samples * rule.nonzero_min / counted)


def _estimate(
    rule: Precision, samples: int, error: float, reach: float, least: int, vov: float | None
) -> Estimate:
    """`least`: how many samples the guards ask for."""
    if reach <= 0:
        return Estimate(False, samples, None)
    ratio = error * standard_errors(rule.confidence) / reach
    goal = max(math.ceil(samples * ratio * ratio), rule.samples_min, least)
    met = ratio <= 1 and goal <= samples and (vov is None or vov <= rule.vov_max)
    return Estimate(met, samples, goal if met else max(goal, samples + 1))


def vov_of(samples: int, sums: list[int]) -> float | None:
    """The variance of the variance, if the sums tell it."""
    if len(sums) < 5 or samples < 2:
        return None
    try:
        return _vov(samples, max(samples * sums[2] - sums[1] * sums[1], 0), sums)
    except OverflowError:
        return None


def _vov(samples: int, spread: int, sums: list[int]) -> float:
    """The variance of the variance: sum of fourth deviations / (sum of squares)**2 - 1/n."""
    _, first, second, third, fourth = sums[:5]
    if spread == 0:
        return 0.0
    moment = (
        samples**3 * fourth
        - 4 * samples**2 * first * third
        + 6 * samples * first**2 * second
        - 3 * first**4
    )
    return moment / (samples * spread * spread) - 1 / samples
