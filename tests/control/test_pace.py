"""How often pilots speak: a bounded rate of messages, and bounds in both directions."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.control.pace import Tempo, jittered
from manyhands.model.campaign import Pace
from manyhands.model.limits import Limits
from tests.control.conversation import Hand, Pool, free

TEMPO = Tempo(Limits())
S = 1_000_000

spans = st.integers(0, 10**15)
pilots = st.integers(0, 10**7)


@pytest.mark.parametrize(
    ("living", "makespan_s", "round_trip_s", "period_s"),
    [
        (1, 0, 0.0, 0.1),  # the floor
        (1, 0, 0.05, 1.0),  # twenty round trips
        (4, 3000, 0.0, 10.0),  # three hundred reports in a makespan
        (10_000, 3000, 0.0, 50.0),  # two hundred messages a second
        (180_000, 0, 0.0, 900.0),  # a quarter of an hour at most
        (1_000_000, 10**9, 0.0, 900.0),
        (1, 0, 1000.0, 900.0),
    ],
)
def test_the_period_is_that_of_the_formula(
    living: int, makespan_s: int, round_trip_s: float, period_s: float
) -> None:
    assert TEMPO.period_us(living, makespan_s * S, round(round_trip_s * S)) == round(period_s * S)


@given(pilots, spans, spans)
def test_the_period_is_within_its_bounds(living: int, makespan: int, trip: int) -> None:
    assert S // 10 <= TEMPO.period_us(living, makespan, trip) <= 900 * S


@given(pilots, spans, spans, st.integers(1, 900 * S))
def test_the_end_game_reports_after_half_the_time_left(
    living: int, left: int, trip: int, period: int
) -> None:
    found = TEMPO.draining_us(period, living, left, trip)
    assert found <= period
    if trip == 0 and living * 1000 <= left // 2 <= period and left >= S:
        assert found == left // 2
    if found < period:
        assert found >= living * 1000  # no more than a thousand replies a second


@given(st.integers(0, 10**12), pilots, st.integers(1, 10**6))
def test_jitter_is_a_tenth_at_most(period: int, pilot: int, number: int) -> None:
    assert period * 9 // 10 <= jittered(period, pilot, number) <= period * 11 // 10


def test_jitter_spreads_pilots_evenly() -> None:
    parts = sorted(jittered(100_000, pilot, 7) for pilot in range(1000))
    assert parts[0] < 90_200
    assert parts[-1] > 109_800
    assert max(b - a for a, b in pairwise(parts)) < 200


def test_lateness_is_a_quarter_of_a_period_and_ten_seconds_at_most() -> None:
    assert TEMPO.overdue_us(8 * S) == 2 * S
    assert TEMPO.overdue_us(900 * S) == 10 * S
    assert TEMPO.overdue_us(1) == S // 4


def test_silence_lasts_three_periods_and_a_minute_at_least() -> None:
    assert TEMPO.silence_us(100 * S) == 300 * S
    assert TEMPO.silence_us(1) == 60 * S


def test_a_campaign_may_fix_its_period() -> None:
    pool = Pool(free(pace=Pace(report_s=77.0)))
    hand = Hand(pool)
    start = hand.begin()
    for position in (10, 20, 30):
        hand.report(start, position)
        assert 69.3 <= hand.report_in_s <= 84.7


def test_a_short_campaign_is_reported_often_and_a_long_one_seldom() -> None:
    waits = []
    for samples in (1000, 10**6, 10**9):
        hand = Hand(Pool(free(samples, pace=Pace())))
        start = hand.begin()
        hand.report(start, 100, 10.0)
        hand.report(start, 36_100, 3600.0)
        waits.append(hand.report_in_s)
    assert waits == sorted(waits)
    assert waits[0] < 30.0
    assert 810.0 <= waits[2] <= 990.0


def test_nobody_is_silent_for_longer_than_was_seen_of_the_campaign() -> None:
    hand = Hand(Pool(free(10**9, pace=Pace())))
    start, seen_s = hand.begin(), 0.0
    for position in (1, 2, 3, 4, 5, 6):
        hand.report(start, position, 1.0)
        seen_s = hand.pool.now_s
        assert hand.report_in_s <= 1.1 * seen_s
