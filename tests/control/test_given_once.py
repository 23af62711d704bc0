"""What a lost task owed goes back once; who is asked for blocks twice has something to give."""

from __future__ import annotations

from manyhands.model.campaign import Split, Splitting
from manyhands.model.facts import ClassProven, LeaseCut, PilotRegistered, TaskEnded, WorkRequested
from manyhands.model.orders import CutLease, ProveClass, StartTask, StopTask
from tests.control.conversation import Hand, Pool, exact, free, of, only


def test_a_share_that_comes_back_with_a_lost_task_does_not_come_back_again_at_its_end() -> None:
    pool = Pool(free(1000, splitting=Splitting(Split.STATIC, 2)))
    hand = Hand(pool)
    start = hand.begin()
    pool.wait(1000.0)
    assert pool.campaign().unassigned == 1000
    assert StopTask(start.task, keep=True) in hand.report(start, 10)
    hand.say(TaskEnded(start.task))
    assert pool.campaign().unassigned == 1000


def test_a_share_that_nobody_else_will_do_is_gone_on_with() -> None:
    pool = Pool(free(1000, splitting=Splitting(Split.EARLY_BINDING, 2)))
    hand = Hand(pool)
    start = hand.begin()
    pool.wait(1000.0)
    assert of(StopTask, hand.report(start, 10)) == []


def test_no_slot_works_before_its_pilot_has_proven_its_class() -> None:
    hand = Hand(Pool(exact(classes=True)), slots=3)
    orders = hand.say(PilotRegistered(3), WorkRequested(3))
    assert [type(one) for one in orders] == [ProveClass]
    started = hand.say(ClassProven(0, "digest"), WorkRequested(3))
    assert [type(one) for one in started] == [StartTask] * 3


def test_who_gave_nothing_back_is_not_asked_again_at_once() -> None:
    pool = Pool(exact(60))
    hand = Hand(pool)
    start = hand.begin()
    hand.report(start, 2, 2.0)
    idle = Hand(pool, 1)
    while of(StartTask, idle.join()):
        idle = Hand(pool, idle.pilot + 1)
    only(CutLease, hand.report(start, 3, 1.0))
    assert of(CutLease, hand.say(LeaseCut(start.task, ()), hand.progress(start, 3))) == []
