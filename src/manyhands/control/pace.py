"""When a pilot should speak again: a bounded rate of messages, whatever the number of pilots."""

from __future__ import annotations

from manyhands.control.records import NEVER_US
from manyhands.control.stopping import US_PER_S, microseconds
from manyhands.model.campaign import Pace
from manyhands.model.limits import Limits

ROUND_TRIPS_MIN = 20
JITTER_PARTS = 1 << 16


def floor_us(limits: Limits, round_trip_us: int) -> int:
    """Nobody is asked to report more often than this."""
    return max(microseconds(limits.period_s_min), ROUND_TRIPS_MIN * round_trip_us)


def period_us(
    limits: Limits, pace: Pace, living: int, makespan_us: int | None, round_trip_us: int
) -> int:
    """The report period: fixed by the campaign, or from the number of pilots and the makespan."""
    if pace.report_s is not None:
        return microseconds(pace.report_s)
    wished = int(living * US_PER_S / limits.reports_per_s)
    if makespan_us is not None:
        wished = max(wished, makespan_us // limits.reports_per_campaign)
    least = floor_us(limits, round_trip_us)
    return min(max(wished, least), microseconds(limits.period_s_max))


def draining_us(limits: Limits, period: int, living: int, left_us: int, round_trip_us: int) -> int:
    """In the end-game pilots speak again when half of the time left has passed."""
    busiest = int(living * US_PER_S / limits.replies_per_s_max)
    least = max(floor_us(limits, round_trip_us), busiest)
    return min(max(least, left_us // 2), period)


def jittered(period: int, pilot: int, number: int) -> int:
    """A period within 10 % of the given one, so that pilots do not speak in step."""
    part = (pilot * 40503 + number * 30011) % JITTER_PARTS
    return period * 9 // 10 + period * part // (5 * JITTER_PARTS)


def overdue_us(limits: Limits, period: int) -> int:
    """How late a report may be before its pilot is no longer counted on."""
    return min(microseconds(limits.overdue_s_max), max(period // 4, US_PER_S // 4))


def silence_us(limits: Limits, period: int) -> int:
    """How long a pilot may be silent before it is lost."""
    return max(limits.silence_periods * period, microseconds(limits.silence_s_min))


def earliest(first: int | None, second: int) -> int:
    """The smaller of two times, one of which may be unknown."""
    return second if first is None else min(first, second, NEVER_US)
