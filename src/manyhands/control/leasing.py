"""How many blocks a task is leased at a time, in exact mode.

Leases shrink towards the end, so that all finish together: a lease lasts a third of the time that
is left, and no longer than some report periods.
"""

from __future__ import annotations

from manyhands.control.records import RATE_BITS

FIRST_LEASE_BLOCKS = 2  # while nobody knows how fast the pilot is: one to do, one to ask ahead
ROUND_TRIPS_AHEAD = 3  # as the pilot: how long before its lease ends a task asks for more
SLOW_PARTS = 4  # a pilot is slow if a word to it and back takes a quarter of a report period
LEASE_SHARE = 3  # a lease lasts a third of the time that is left


def lease_blocks(rate: int, left_us: int | None, report_us: int, periods_max: int) -> int:
    """Blocks for a third of the time left, for some report periods at most."""
    longest_us = periods_max * report_us
    span_us = report_us if left_us is None else min(left_us // LEASE_SHARE, longest_us)
    return max(rate * span_us >> RATE_BITS, 1)


def lasts_until_asked(rate: int, report_us: int, round_trip_us: int) -> int:
    """Blocks that are done before the answer to the next report can have come."""
    return rate * (report_us + ROUND_TRIPS_AHEAD * round_trip_us) >> RATE_BITS


def is_too_slow(round_trip_us: int, left_us: int | None, report_us: int) -> bool:
    """Whether what a pilot computes next would come when all others have finished."""
    slow = round_trip_us > report_us // SLOW_PARTS
    return slow and left_us is not None and left_us < 2 * round_trip_us
