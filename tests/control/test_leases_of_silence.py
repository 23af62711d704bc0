"""Overdue, lost, back again: what silence costs, and that nobody pays for the master's own."""

from __future__ import annotations

import pytest

from manyhands.control.life_cycles import Row
from manyhands.control.records import PilotState, TaskState
from manyhands.model.commands import WakeAt
from manyhands.model.events import MasterRestarted, Ticked
from manyhands.model.facts import TaskEnded
from manyhands.model.limits import Limits
from manyhands.model.orders import PartialAccepted, StartTask, StopTask
from tests.control.conversation import (
    PERIOD_S,
    Hand,
    Pool,
    blocks,
    exact,
    free,
    of,
    only,
    stored,
)

LEASE_S = 3 * 1.1 * PERIOD_S  # three periods, each up to a tenth longer than it was wished


def _working() -> tuple[Pool, Hand, StartTask]:
    """A task that stands at 100 after a minute and has stored 60 of them."""
    pool = Pool(free())
    hand = Hand(pool)
    start = hand.begin()
    hand.say(hand.progress(start, 100, 60.0), stored(start, 0, 60), after_s=60.0)
    return pool, hand, start


def test_a_pilot_in_time_is_left_alone() -> None:
    pool, hand, start = _working()
    for minute in range(2, 30):
        hand.report(start, 100 * minute, hand.report_in_s)
        assert pool.pilot(0).state is PilotState.LIVE
    assert "pilot: live, overdue" not in pool.controller.trail.rows


def test_a_late_report_is_not_counted_on_until_it_comes() -> None:
    pool, hand, start = _working()
    assert pool.campaign().count.reported == 100
    pool.wait(hand.report_in_s + 16.0)
    assert pool.pilot(0).state is PilotState.OVERDUE
    assert pool.task(start.task).state is TaskState.RUNNING
    assert (pool.campaign().count.reported, pool.campaign().count.settled) == (0, 60)
    hand.report(start, 250, 1.0)
    assert pool.pilot(0).state is PilotState.LIVE
    assert pool.campaign().count.reported == 250
    assert pool.took(Row.STAYED) == 1


def test_silence_past_the_lease_loses_what_was_not_stored() -> None:
    pool, _, start = _working()
    pool.wait(LEASE_S + 20.0)
    assert pool.pilot(0).state is PilotState.LOST
    assert pool.task(start.task).state is TaskState.LOST
    assert pool.campaign().stored == 60
    assert pool.campaign().alive == 0
    assert pool.controller.state.living == 0


def test_a_short_period_does_not_make_a_short_lease() -> None:
    pool = Pool(free(campaign=0))
    hand = Hand(pool)
    hand.begin()
    pool.wait(59.0)
    assert pool.pilot(0).state is not PilotState.LOST


def test_the_lost_come_back_and_what_they_hold_counts() -> None:
    pool, hand, start = _working()
    pool.wait(1000.0)
    orders = hand.say(stored(start, 0, 400), hand.progress(start, 500))
    assert only(PartialAccepted, orders).base == 0
    assert of(StopTask, orders) == []
    assert pool.task(start.task).state is TaskState.RUNNING
    assert pool.campaign().stored == 400
    assert pool.campaign().count.reported == 500


def test_a_lost_task_may_come_back_only_to_end() -> None:
    pool, hand, start = _working()
    pool.wait(1000.0)
    hand.say(stored(start, 0, 400), TaskEnded(start.task))
    assert pool.task(start.task).state is TaskState.ENDED
    assert pool.campaign().stored == 400


def test_a_lost_exact_task_only_delivers_because_its_blocks_are_others_now() -> None:
    pool = Pool(exact(10))
    hand = Hand(pool)
    start = hand.begin()
    pool.wait(1000.0)
    orders = hand.say(blocks(start, 0, (0, 1)), hand.progress(start, 1))
    assert only(PartialAccepted, orders).base == 0
    assert only(StopTask, orders) == StopTask(start.task, keep=True)
    assert pool.task(start.task).state is TaskState.ENDING


def test_it_may_be_lost_again_and_come_again() -> None:
    pool, hand, start = _working()
    for times in range(1, 4):
        pool.wait(1000.0)
        assert pool.pilot(0).state is PilotState.LOST
        hand.report(start, 100 * times, 1.0)
        assert pool.pilot(0).state is PilotState.LIVE


@pytest.mark.parametrize("announced", [True, False])
def test_a_master_that_was_away_loses_nobody(announced: bool) -> None:
    pool, _, start = _working()
    pool.now_s += 5000.0  # no tick comes: nobody runs
    pool.tell(MasterRestarted() if announced else Ticked())
    assert pool.took(Row.RESTARTED) >= 1
    assert pool.pilot(0).state is PilotState.LIVE
    pool.wait(LEASE_S - PERIOD_S)
    assert pool.task(start.task).state is TaskState.RUNNING
    pool.wait(LEASE_S)
    assert pool.task(start.task).state is TaskState.LOST


def test_a_restart_comes_before_all_that_was_due_meanwhile() -> None:
    pool, _, start = _working()
    while pool.pilot(0).state is PilotState.LIVE:
        pool.wait(1.0)
    lost_us = pool.pilot(0).armed_us
    pool.wait(lost_us / 1e6 - pool.now_s - 5.0)
    pool.now_s += 10.0  # a short absence, in which its lease ends
    pool.tell(MasterRestarted())
    assert pool.pilot(0).state is PilotState.OVERDUE
    pool.wait(LEASE_S - PERIOD_S)
    assert pool.task(start.task).state is TaskState.RUNNING


def test_after_an_outage_the_first_message_may_be_anybodys() -> None:
    pool = Pool(free())
    one, two = Hand(pool, 0), Hand(pool, 1)
    first, second = one.begin(), two.begin()
    pool.now_s += 5000.0
    one.report(first, 1000, 0.0)
    assert pool.task(second.task).state is TaskState.RUNNING
    assert pool.took(Row.RESTARTED) == 1


def test_time_never_goes_back() -> None:
    pool, hand, start = _working()
    now_us = pool.controller.state.now_us
    pool.now_s -= 50.0
    hand.report(start, 150, 0.0)
    assert pool.controller.state.now_us == now_us
    assert pool.pilot(0).heard_us == now_us


def test_ticks_that_nobody_asked_for_do_no_harm() -> None:
    pool, _, _ = _working()
    for _ in range(20):
        pool.tell(Ticked(), 0.5)
    assert pool.pilot(0).state is PilotState.LIVE


def test_a_tick_is_asked_for_while_somebody_works() -> None:
    pool = Pool(free())
    Hand(pool).join()
    assert of(WakeAt, pool.history)


def test_nobody_is_waited_for_without_end_because_of_what_it_measured() -> None:
    limits = Limits(period_s_max=100.0)
    pool = Pool(free(), limits=limits)
    hand = Hand(pool)
    start = hand.begin()
    hand.say(hand.progress(start, 1), round_trip_us=1 << 62)
    pool.wait(LEASE_S + 100.0 + 20.0)
    assert pool.pilot(0).state is PilotState.LOST
