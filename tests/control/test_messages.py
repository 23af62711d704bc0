"""Numbers, incarnations, strangers and the removed: who is listened to, and who is answered how."""

from __future__ import annotations

from manyhands.control.life_cycles import Row
from manyhands.control.records import PilotState, TaskState
from manyhands.model.commands import Reply
from manyhands.model.events import MessageReceived, PilotExited, PilotRemoved
from manyhands.model.facts import (
    LeaseCut,
    PilotLeft,
    PilotRegistered,
    TaskProgressed,
    WorkRequested,
)
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.limits import Limits
from manyhands.model.orders import (
    Lease,
    Leave,
    PartialAccepted,
    PartialRefused,
    RegisterAgain,
    Stale,
    StartTask,
    StopTask,
)
from tests.control.conversation import Hand, Pool, exact, free, of, only, stored


def test_a_stranger_is_asked_who_it_is() -> None:
    pool = Pool(free())
    assert Hand(pool).say(WorkRequested(1)) == (RegisterAgain(),)
    assert Hand(pool).say() == (RegisterAgain(),)
    assert not pool.controller.state.pilots
    assert pool.took(Row.UNKNOWN_PILOT) == 2


def test_a_repeat_gets_the_stored_reply_and_does_nothing() -> None:
    pool = Pool(free())
    hand = Hand(pool)
    orders = hand.join()
    first = only(Reply, pool.commands)
    for _ in range(3):
        assert hand.say(WorkRequested(1), number=1) == orders
        assert only(Reply, pool.commands) == first
    assert len(pool.controller.state.tasks) == 1
    assert pool.took(Row.REPEAT) == 3


def test_a_lower_number_is_stale_but_what_it_stored_is_judged() -> None:
    pool = Pool(free())
    hand = Hand(pool)
    start = hand.begin()
    hand.report(start, 50)
    orders = hand.say(stored(start, 0, 50), WorkRequested(1), number=1)
    assert orders == (Stale(), PartialAccepted(0, "0/0-50/d", 0))
    assert pool.campaign().stored == 50
    assert pool.pilot(0).number == 2


def test_numbers_may_be_left_out() -> None:
    pool = Pool(free())
    hand = Hand(pool)
    hand.join()
    hand.say(number=7)
    assert hand.say(number=6) == (Stale(),)


def test_a_later_incarnation_takes_over_and_the_first_may_still_deliver() -> None:
    pool = Pool(free())
    old, new = Hand(pool), Hand(pool, incarnation=2)
    first = old.begin()
    second = new.begin()
    assert second.stream != first.stream
    assert pool.task(first.task).state is TaskState.ENDED
    orders = old.say(stored(first, 0, 9), WorkRequested(1), TaskProgressed(first.task, 9, 9))
    assert orders == (Stale(), PartialAccepted(first.task, "0/0-9/d", 0))
    assert pool.campaign().stored == 9
    assert pool.took(Row.REPLACED) == 1
    assert pool.pilot(0).tasks == [second.task]


def test_the_later_incarnation_may_announce_what_it_found() -> None:
    pool = Pool(free())
    first = Hand(pool).begin()
    orders = Hand(pool, incarnation=1).say(PilotRegistered(1), stored(first, 0, 9))
    assert PartialAccepted(first.task, "0/0-9/d", 0) in orders


def test_a_later_incarnation_that_does_not_register_changes_nothing() -> None:
    pool = Pool(free())
    start = Hand(pool).begin()
    assert Hand(pool, incarnation=1).ask() == (RegisterAgain(),)
    assert pool.task(start.task).state is TaskState.RUNNING


def test_the_removed_deliver_nothing_and_stay_removed() -> None:
    pool = Pool(free())
    hand = Hand(pool)
    start = hand.begin()
    pool.tell(PilotRemoved(0))
    assert pool.task(start.task).state is TaskState.ENDED
    orders = hand.say(stored(start, 0, 9), WorkRequested(1))
    refused, leave = orders
    assert refused == PartialRefused(start.task, "0/0-9/d", Refusal.REMOVED, 0)
    assert leave == Leave(FailureCause.PILOT_REMOVED)
    assert pool.deleted() == ["0/0-9/d"]
    assert pool.incidents() == [FailureCause.PILOT_REMOVED]
    assert Hand(pool, incarnation=5).join() == (leave,)
    assert pool.campaign().stored == 0
    pool.tell(PilotRemoved(0))
    pool.tell(PilotExited(0, 0))
    pool.tell(PilotRemoved(99))


def test_what_was_accepted_before_its_removal_is_kept() -> None:
    pool = Pool(free())
    hand = Hand(pool)
    start = hand.begin()
    hand.offer(stored(start, 0, 9))
    pool.tell(PilotRemoved(0))
    hand.say(stored(start, 0, 9))
    assert pool.deleted() == []
    assert pool.campaign().stored == 9


def test_goodbye_ends_its_tasks_and_no_work_follows_it() -> None:
    pool = Pool(free())
    hand = Hand(pool)
    start = hand.begin()
    orders = hand.say(PilotLeft(), WorkRequested(1), PilotLeft())
    assert of(StartTask, orders) == []
    assert pool.task(start.task).state is TaskState.ENDED
    assert pool.pilot(0).state is PilotState.GONE
    assert PartialAccepted(0, "0/0-9/d", 0) in hand.say(stored(start, 0, 9))
    assert of(StartTask, hand.ask()) == []
    assert of(StartTask, Hand(pool, incarnation=1).join())


def test_an_exit_concerns_its_incarnation_only() -> None:
    pool = Pool(free())
    hand = Hand(pool, incarnation=3)
    start = hand.begin()
    pool.tell(PilotExited(0, 2))
    pool.tell(PilotExited(1, 3))
    assert pool.task(start.task).state is TaskState.RUNNING
    for _ in range(2):
        pool.tell(PilotExited(0, 3))
        assert pool.task(start.task).state is TaskState.ENDED


def test_silence_is_noticed_of_one_that_came_back_after_it_was_gone() -> None:
    pool = Pool(free())
    hand = Hand(pool)
    hand.join()
    pool.tell(PilotExited(0, 0))
    pool.wait(1000.0)
    again = Hand(pool, incarnation=1)
    again.join()
    pool.wait(1000.0)
    assert pool.pilot(0).state is PilotState.LOST


def test_facts_about_the_tasks_of_others_change_nothing() -> None:
    pool = Pool(free())
    start = Hand(pool, 0).begin()
    thief = Hand(pool, 1)
    thief.join()
    orders = thief.say(TaskProgressed(start.task, 99, 99), TaskProgressed(77, 1, 1))
    assert orders == (StopTask(start.task, False), StopTask(77, False))
    assert pool.task(start.task).position == 0
    refused = thief.offer(stored(start, 0, 9))
    assert isinstance(refused, PartialRefused)
    assert refused.cause is Refusal.UNKNOWN
    assert pool.incidents() == [FailureCause.PROTOCOL_BROKEN]
    assert pool.took(Row.PARTIAL_UNKNOWN) == 1


def test_nobody_gives_back_the_blocks_of_others() -> None:
    pool = Pool(exact())
    hand = Hand(pool, 0)
    start = hand.begin()
    thief = Hand(pool, 1)
    thief.say(PilotRegistered(1), LeaseCut(start.task, ((0, 2),)))
    assert pool.took(Row.BLOCKS_RETURNED) == 0
    assert only(StartTask, thief.ask()).leases == (Lease(2, 4),)


def test_more_pilots_than_the_pool_may_have_are_sent_away_and_change_nothing() -> None:
    pool = Pool(free(), limits=Limits(pilots_max=1))
    Hand(pool, 0).join()
    assert Hand(pool, 1).join() == (Leave(FailureCause.POOL_FULL),)
    assert list(pool.controller.state.pilots) == [0]
    assert of(StartTask, Hand(pool, 0, incarnation=1).join())


def test_no_more_slots_are_filled_than_there_are() -> None:
    pool = Pool(free())
    hand = Hand(pool, slots=2)
    assert len(of(StartTask, hand.say(PilotRegistered(2), WorkRequested(9)))) == 2
    assert hand.ask() == ()


def test_every_message_is_answered_once_and_to_its_sender() -> None:
    pool = Pool(free())
    for number in (1, 1, 2, 1):
        commands = pool.tell(MessageReceived(4, 0, number, (PilotRegistered(1),)))
        reply = only(Reply, commands)
        assert (reply.pilot, reply.number) == (4, number)
