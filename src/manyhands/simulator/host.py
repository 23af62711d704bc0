"""How fast a host computes, at every moment: a speed that is constant between its changes.

Work is exact: a whole number of 10^-12 samples, the integral of speeds that are whole numbers of
10^-6 samples/s over whole microseconds. So `time_of_work` is the true inverse of `work_at`, without
a tolerance, and both cost one bisection.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, sqrt

from manyhands.model.checks import require, require_seconds
from manyhands.simulator.clock import us

SAMPLE_WORK = 10**12
RATE_UNIT = 10**6  # rates are whole multiples of 10^-6 samples/s
FOREVER_US = 1 << 62
SLOWEST, FASTEST = 0.1, 3.0  # a drifting host stays within these multiples of its mean speed


@dataclass(frozen=True, slots=True)
class SpeedProfile:
    """Rate i holds from start i to start i + 1, the last one for ever; works[i] is done by start i.

    `stepping` profiles are meant as faults, and are counted as such.
    """

    starts_us: tuple[int, ...]
    rates: tuple[int, ...]
    works: tuple[int, ...]
    stepping: bool = False

    def __post_init__(self) -> None:
        require(self.starts_us[:1] == (0,), "speed changes", self.starts_us[:1], "from time 0 on")
        rising = all(a < b for a, b in pairwise(self.starts_us))
        require(rising, "speed changes", "not in order", "in the order of time, microseconds apart")
        require(min(self.rates) >= 0, "speed", min(self.rates), "0 or more")
        require(self.rates[-1] > 0, "last speed", self.rates[-1], "above 0")

    def work_at(self, time_us: int) -> int:
        """The work done from time 0 to this one."""
        i = bisect_right(self.starts_us, time_us) - 1
        return self.works[i] + (time_us - self.starts_us[i]) * self.rates[i]

    def piece_at(self, time_us: int) -> tuple[int, int, int, int]:
        """A time's piece: its start, its end, the work done by its start, and the rate in it."""
        i = bisect_right(self.starts_us, time_us)
        end_us = self.starts_us[i] if i < len(self.starts_us) else FOREVER_US
        return self.starts_us[i - 1], end_us, self.works[i - 1], self.rates[i - 1]

    def time_of_work(self, work: int) -> int:
        """The first microsecond at which so much work is done."""
        if work <= 0:
            return 0
        i = bisect_left(self.works, work) - 1
        return self.starts_us[i] - (self.works[i] - work) // self.rates[i]


def constant(speed: float) -> SpeedProfile:
    """The same speed for ever, in samples/s."""
    return _profile((0,), (speed,))


def stepping(changes: Sequence[tuple[float, float]]) -> SpeedProfile:
    """Given speeds from given times on: (seconds, samples/s), the first at 0."""
    starts = tuple(us(time_s) for time_s, _ in changes)
    return _profile(starts, tuple(speed for _, speed in changes), steps=True)


def drifting(
    speed: float, share: float, correlation_s: float, until_s: float, draws: random.Random
) -> SpeedProfile:
    """A speed that drifts about its mean by ±share (one standard deviation), until a time.

    An autoregressive process of first order in steps of the correlation time.
    """
    require(0 <= share <= 1, "share", share, "between 0 and 1")
    require_seconds("correlation_s", correlation_s)
    kept = exp(-1.0)
    fresh = share * sqrt(1 - kept * kept)
    deviation = share * draws.gauss(0.0, 1.0)
    step_us = us(correlation_s)
    starts = tuple(range(0, max(us(until_s), 1), step_us))
    speeds = []
    for _ in starts:
        speeds.append(speed * min(max(1 + deviation, SLOWEST), FASTEST))
        deviation = kept * deviation + fresh * draws.gauss(0.0, 1.0)
    return _profile(starts, tuple(speeds))


def _profile(
    starts_us: tuple[int, ...], speeds: tuple[float, ...], steps: bool = False
) -> SpeedProfile:
    rates = tuple(round(speed * RATE_UNIT) for speed in speeds)
    works = [0]
    for (start, end), rate in zip(pairwise(starts_us), rates, strict=False):
        works.append(works[-1] + (end - start) * rate)
    return SpeedProfile(starts_us, rates, tuple(works), steps)
