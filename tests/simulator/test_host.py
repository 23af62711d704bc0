"""What a host does in a time, and the time in which it does so much, are each other's inverse."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.simulator.clock import SECOND, us
from manyhands.simulator.host import (
    SAMPLE_WORK,
    SpeedProfile,
    constant,
    drifting,
    stepping,
)


@st.composite
def profiles(draw: st.DrawFn) -> SpeedProfile:
    times = draw(st.lists(st.integers(1, 10**9), unique=True, max_size=8))
    speeds = draw(st.lists(st.floats(0, 1e4), min_size=len(times), max_size=len(times)))
    last = draw(st.floats(1e-3, 1e4))
    starts = [0.0, *(time_us / SECOND for time_us in sorted(times))]
    return stepping(list(zip(starts, [*speeds, last], strict=True)))


@given(profiles(), st.integers(1, 10**18))
def test_the_time_of_work_is_the_first_at_which_it_is_done(
    profile: SpeedProfile, work: int
) -> None:
    time_us = profile.time_of_work(work)
    assert profile.work_at(time_us) >= work
    assert profile.work_at(time_us - 1) < work


@given(profiles(), st.integers(0, 2 * 10**9))
def test_work_at_a_time_is_the_same_by_its_piece(profile: SpeedProfile, time_us: int) -> None:
    start_us, end_us, work, rate = profile.piece_at(time_us)
    assert start_us <= time_us < end_us
    assert work + (time_us - start_us) * rate == profile.work_at(time_us)


def test_no_work_takes_no_time() -> None:
    assert constant(5.0).time_of_work(0) == 0


def test_a_constant_host_does_its_speed_per_second() -> None:
    assert constant(2.5).work_at(us(4)) == 10 * SAMPLE_WORK
    assert constant(2.5).time_of_work(10 * SAMPLE_WORK) == us(4)


def test_a_host_that_stands_still_goes_on_later() -> None:
    profile = stepping([(0, 10), (1, 0), (5, 20)])
    assert profile.work_at(us(4)) == 10 * SAMPLE_WORK
    assert profile.time_of_work(10 * SAMPLE_WORK) == us(1)
    assert profile.time_of_work(30 * SAMPLE_WORK) == us(6)


def test_a_drifting_host_keeps_its_mean_and_its_spread() -> None:
    profile = drifting(100.0, 0.2, 30.0, 300_000.0, random.Random(1))
    speeds = [rate / 1e6 for rate in profile.rates]
    mean = sum(speeds) / len(speeds)
    variance = sum((speed - mean) ** 2 for speed in speeds) / len(speeds)
    assert len(speeds) == 10_000
    assert mean == pytest.approx(100.0, rel=0.02)
    assert variance**0.5 == pytest.approx(20.0, rel=0.05)


@pytest.mark.parametrize("changes", [[(1, 5)], [(0, 5), (0, 6)], [(0, -1)], [(0, 1), (2, 0)]])
def test_a_profile_that_makes_no_sense_is_refused(changes: list[tuple[float, float]]) -> None:
    with pytest.raises(ValueError, match="speed"):
        stepping(changes)
