"""Alarms go off in the order of time, then in the order in which they were set."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.simulator.clock import Alarms, us


@given(st.lists(st.integers(0, 20), max_size=50))
def test_alarms_go_off_in_order_and_ties_as_they_were_set(times: list[int]) -> None:
    alarms = Alarms()
    gone: list[tuple[int, int]] = []
    for number, time_us in enumerate(times):
        alarms.push(time_us, gone.append, (time_us, number))
    alarms.run(100)
    assert gone == sorted((time_us, number) for number, time_us in enumerate(times))


def test_an_alarm_of_the_past_goes_off_now() -> None:
    alarms = Alarms()
    times: list[int] = []

    def set_another(_: object) -> None:
        alarms.push(3, lambda _: times.append(alarms.now_us))

    alarms.push(10, set_another)
    alarms.run(100)
    assert times == [10]


def test_nothing_goes_off_behind_the_end_or_a_stop() -> None:
    alarms = Alarms()
    gone: list[str] = []
    alarms.push(us(1), gone.append, "first")
    alarms.push(us(3), gone.append, "second")
    alarms.run(us(2))
    assert gone == ["first"]
    alarms.stopped = True
    alarms.run(us(9))
    assert gone == ["first"]
    assert alarms.pop()[0] == us(3) == alarms.now_us
