"""When a pilot should speak again: a bounded rate of messages, whatever the number of pilots."""

from __future__ import annotations

from manyhands.control.stopping import US_PER_S, microseconds
from manyhands.model.limits import Limits

ROUND_TRIPS_MIN = 20
DRAIN_ROUND_TRIPS_MIN = 5  # in the end-game, which is short
JITTER_PARTS = 1 << 16
OVERDUE_US_MIN = US_PER_S // 4


class Tempo:
    """The limits of time as whole microseconds, worked out once."""

    __slots__ = (
        "drain_us_per_pilot",
        "outage_us",
        "overdue_us_max",
        "period_us_max",
        "period_us_min",
        "period_us_per_pilot",
        "reports_per_campaign",
        "silence_periods",
        "silence_us_min",
        "unasked_us",
    )

    def __init__(self, limits: Limits) -> None:
        self.period_us_min = microseconds(limits.period_s_min)
        self.period_us_max = microseconds(limits.period_s_max)
        self.period_us_per_pilot = int(US_PER_S / limits.reports_per_s)
        self.drain_us_per_pilot = int(US_PER_S / limits.replies_per_s_max)
        self.reports_per_campaign = limits.reports_per_campaign
        self.silence_periods = limits.silence_periods
        self.silence_us_min = microseconds(limits.silence_s_min)
        self.overdue_us_max = microseconds(limits.overdue_s_max)
        # A tick later than this shows that nobody could be heard meanwhile.
        self.outage_us = self.silence_us_min // 2
        # A pilot with nothing to do, in a pool with nothing to do, need not be lost for it.
        self.unasked_us = self.silence_us_min // limits.silence_periods

    def period_us(self, living: int, makespan_us: int, round_trip_us: int) -> int:
        """The report period from the number of pilots and the makespan (0: not known)."""
        # On the way of every report: comparisons, not calls of min and max.
        wished_us = living * self.period_us_per_pilot
        part_us = makespan_us // self.reports_per_campaign
        if part_us > wished_us:
            wished_us = part_us
        least_us = ROUND_TRIPS_MIN * round_trip_us
        if least_us < self.period_us_min:
            least_us = self.period_us_min
        if wished_us < least_us:
            wished_us = least_us
        return wished_us if wished_us < self.period_us_max else self.period_us_max

    def draining_us(self, period_us: int, living: int, left_us: int, round_trip_us: int) -> int:
        """In the end-game pilots speak again when half of the time left has passed."""
        least_us = max(self.period_us_min, DRAIN_ROUND_TRIPS_MIN * round_trip_us)
        least_us = max(least_us, living * self.drain_us_per_pilot)
        return min(max(least_us, left_us // 2), period_us)

    def idle_us(self, idle: int) -> int:
        """Idle hands together ask no more often than all others report."""
        return max(self.period_us_min, idle * self.period_us_per_pilot)

    def overdue_us(self, period_us: int) -> int:
        """How late a report may be before its pilot is no longer counted on."""
        late_us = period_us >> 2
        if late_us > self.overdue_us_max:
            return self.overdue_us_max
        return late_us if late_us > OVERDUE_US_MIN else OVERDUE_US_MIN

    def silence_us(self, period_us: int) -> int:
        """How long a pilot may be silent before it is lost."""
        silence_us = self.silence_periods * period_us
        return silence_us if silence_us > self.silence_us_min else self.silence_us_min


def jittered(period_us: int, pilot: int, number: int) -> int:
    """A period within 10 % of the given one, so that pilots do not speak in step."""
    part = (pilot * 40503 + number * 30011) % JITTER_PARTS
    return period_us * (9 * JITTER_PARTS + 2 * part) // (10 * JITTER_PARTS)
