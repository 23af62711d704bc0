"""Exact mode: leases, cuts, copies, classes and poison; every block is accepted once."""

from __future__ import annotations

from collections.abc import Iterable

from manyhands.control.blocks import Blocks
from manyhands.control.life_cycles import Row
from manyhands.control.records import PilotState, TaskState
from manyhands.model.campaign import Stage
from manyhands.model.facts import ClassProven, LeaseCut, PilotLeft, TaskEnded, TaskFailed
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.limits import Limits
from manyhands.model.orders import (
    CutLease,
    ExtendLease,
    Lease,
    Order,
    PartialAccepted,
    PartialRefused,
    ProveClass,
    StartTask,
    StopTask,
)
from manyhands.model.stopping import Precision
from tests.control.conversation import Hand, Pool, blocks, exact, of, only

CRASHED = FailureCause.APPLICATION_CRASHED


def _leased(orders: Iterable[Order]) -> list[int]:
    """The blocks that orders lease, in their order."""
    leases: list[Lease] = []
    for order in orders:
        if isinstance(order, (StartTask, ExtendLease)):
            leases += order.leases
    return [block for one in leases for block in range(one.start, one.end)]


def _begun(count: int = 100) -> tuple[Pool, Hand, StartTask]:
    pool = Pool(exact(count))
    hand = Hand(pool)
    return pool, hand, hand.begin()


def test_the_lowest_free_blocks_are_leased_first() -> None:
    pool = Pool(exact(100))
    hands = [Hand(pool, number) for number in range(3)]
    starts = [hand.begin() for hand in hands]
    assert [one.leases for one in starts] == [(Lease(0, 2),), (Lease(2, 4),), (Lease(4, 6),)]
    assert all(one.stream == -1 and one.block_samples == 10 for one in starts)
    hands[1].say(PilotLeft())
    assert _leased(Hand(pool, 3).join()) == [2, 3]


def test_a_lease_is_extended_before_it_ends_by_what_its_pilot_can_do() -> None:
    _, hand, start = _begun()
    more = only(ExtendLease, hand.report(start, 2, 20.0))
    assert _leased([more])[0] == 2
    assert len(_leased([more])) > 2
    assert not more.last


def test_nobody_is_leased_more_than_four_periods_of_work() -> None:
    _, hand, start = _begun(100_000)
    more = only(ExtendLease, hand.report(start, 2, 20.0))  # it does six in a period
    assert 20 <= len(_leased([more])) <= 24


def test_the_last_lease_says_that_it_is_the_last() -> None:
    _, hand, start = _begun(2)
    assert only(ExtendLease, hand.report(start, 2, 20.0)) == ExtendLease(start.task, (), last=True)
    assert of(ExtendLease, hand.report(start, 2, 5.0)) == []


def test_a_cut_takes_effect_where_the_holder_confirms_it() -> None:
    pool, hand, start = _begun(60)
    held = [0, 1, *_leased(hand.report(start, 2, 2.0))]
    idle = Hand(pool, 1)
    while _leased(idle.join()):
        idle = Hand(pool, idle.pilot + 1)
    assert pool.controller.state.idle == 1
    cuts: list[CutLease] = []
    while not cuts:  # it has become slow
        cuts = of(CutLease, hand.report(start, 3, min(hand.report_in_s, 5.0)))
    assert cuts[0].keep < len(held) - 3
    assert of(CutLease, hand.report(start, 4, 1.0)) == []  # one at a time
    assert _leased(idle.ask()) == []
    hand.say(LeaseCut(start.task, ((held[-2], held[-2] + 2),)))
    assert pool.took(Row.BLOCKS_RETURNED) == 1
    assert _leased(idle.ask())[:1] == [held[-2]]


def test_a_confirmed_cut_of_nothing_or_of_what_it_does_not_hold_frees_nothing() -> None:
    pool, hand, start = _begun()
    hand.offer(blocks(start, 0, (0, 1)))
    hand.say(LeaseCut(start.task, ()), LeaseCut(start.task, ((0, 1), (7, 99))), LeaseCut(77, ()))
    assert _leased(Hand(pool, 1).join()) == [2, 3]


def test_copies_are_for_idle_hands_and_only_of_an_overdue_holders_blocks() -> None:
    pool, hand, start = _begun(2)
    idle = Hand(pool, 1)
    assert _leased(idle.join()) == []
    pool.wait(hand.report_in_s + 16.0)
    copied = _leased(idle.ask())
    assert copied
    assert copied[-1] == 1  # from the far end
    assert pool.took(Row.BLOCKS_COPIED) == 1
    assert pool.task(start.task).state is TaskState.RUNNING


def test_a_holder_that_speaks_in_time_is_not_copied() -> None:
    pool, hand, start = _begun(2)
    idle = Hand(pool, 1)
    idle.join()
    pool.wait(hand.report_in_s + 16.0)
    hand.report(start, 1, 0.0)
    assert _leased(idle.ask()) == []


def test_the_first_copy_counts_and_the_other_is_refused_whole() -> None:
    pool, hand, start = _begun(3)
    more = _leased(hand.report(start, 2, 20.0))
    assert more == [2]
    idle = Hand(pool, 1)
    idle.join()
    pool.wait(hand.report_in_s + 16.0)
    copy = only(StartTask, idle.ask())
    (lease,) = copy.leases
    assert isinstance(
        idle.offer(blocks(copy, 0, (lease.start, lease.end), digest="x")), PartialAccepted
    )
    verdict = hand.offer(blocks(start, 0, (0, 3), digest="x"))
    assert verdict == PartialRefused(start.task, "0/((0, 3),)/x", Refusal.HAVE, 0)
    assert pool.took(Row.PARTIAL_HAVE) == 1
    record = pool.campaign().blocks
    assert record is not None
    left = [block for block in range(3) if not lease.start <= block < lease.end]
    assert [one for one in range(3) if record.free.contains(one)] == left


def test_copies_that_differ_are_named_while_the_campaign_is_open() -> None:
    pool, hand, start = _begun(2)
    pool.wait(hand.report_in_s + 16.0)
    other = Hand(pool, 1)
    copy = only(StartTask, other.join())
    (lease,) = copy.leases
    assert lease.end - lease.start == 1
    other.offer(blocks(copy, 0, (lease.start, lease.end), digest="x"))
    hand.say()
    verdict = hand.offer(blocks(start, 0, (lease.start, lease.end), digest="y"))
    assert isinstance(verdict, PartialRefused)
    assert pool.incidents() == [FailureCause.NUMERIC_CLASS]


def test_the_blocks_of_the_lost_are_leased_again_and_they_may_still_be_first() -> None:
    pool, hand, start = _begun(2)
    pool.wait(1000.0)
    other = Hand(pool, 1)
    second = only(StartTask, other.join())
    assert _leased([second]) == [0, 1]
    orders = hand.say(blocks(start, 0, (0, 1)), hand.progress(start, 1))
    assert len(of(PartialAccepted, orders)) == 1
    assert only(StopTask, orders).keep
    verdict = other.offer(blocks(second, 0, (0, 2)))
    assert isinstance(verdict, PartialRefused)
    assert verdict.cause is Refusal.HAVE
    other.say(TaskEnded(second.task))
    assert _leased(other.ask()) == [1]


def test_it_is_done_when_all_blocks_are_there_though_their_number_is_no_power_of_two() -> None:
    pool = Pool(exact(7))
    hands = [Hand(pool, number) for number in range(4)]
    starts = [hand.begin() for hand in hands]
    for hand, start in reversed(list(zip(hands, starts, strict=True))):
        assert pool.stage() is not Stage.DONE
        (lease,) = start.leases
        hand.offer(blocks(start, 0, (lease.start, lease.end)))
    assert pool.stage() is Stage.DONE
    record = pool.campaign().blocks
    assert record is not None
    assert record.accepted.intervals() == [(0, 7)]


def test_the_last_block_may_be_shorter() -> None:
    pool = Pool(exact(1, campaign=0, block_samples=64))
    assert pool.campaign().campaign.blocks_wanted == 1
    assert pool.campaign().campaign.samples_in(1) == 10


# ---- poisoned blocks -----------------------------------------------------------------------


def _fail_on_three(pool: Pool, count: int) -> Hand:
    for number in range(count):
        hand = Hand(pool, number)
        start = hand.begin()
        assert 0 in _leased([start]), "a block that failed is tried by others first"
        hand.say(TaskFailed(start.task, CRASHED, 0))
    return Hand(pool, count)


def test_a_block_that_fails_on_three_hosts_is_poisoned_and_the_others_go_on() -> None:
    pool = Pool(exact(3))
    last = _fail_on_three(pool, 3)
    assert pool.took(Row.BLOCK_POISONED) == 1
    start = only(StartTask, last.join())
    assert _leased([start]) == [1, 2]
    assert pool.stage() is not Stage.FAILED
    last.offer(blocks(start, 0, (1, 3)))
    assert pool.stage() is Stage.FAILED
    assert "block 0 failed" in pool.campaign().reason


def test_poisoned_blocks_may_be_skipped_if_that_was_asked_for() -> None:
    pool = Pool(exact(3, skip_poisoned=1))
    last = _fail_on_three(pool, 3)
    last.offer(blocks(only(StartTask, last.join()), 0, (1, 3)))
    assert pool.stage() is Stage.DONE


def test_one_host_alone_tries_a_block_more_often() -> None:
    pool = Pool(exact(1))
    hand = Hand(pool)
    start = hand.begin()
    for _ in range(5):
        hand.say(TaskFailed(start.task, CRASHED, 0))
        assert pool.took(Row.BLOCK_POISONED) == 0
        start = only(StartTask, hand.ask())
    hand.say(TaskFailed(start.task, CRASHED, 0))
    assert pool.stage() is Stage.FAILED


def test_nobody_can_blame_a_block_that_was_never_its_own() -> None:
    pool, hand, start = _begun()
    hand.say(TaskFailed(start.task, CRASHED, 50))
    record = pool.campaign().blocks
    assert record is not None
    assert record.suspects == {}


def test_a_poisoned_block_that_arrives_after_all_is_counted() -> None:
    pool = Pool(exact(3), limits=Limits(hosts_per_block_max=1))
    hand = Hand(pool)
    start = hand.begin()
    hand.say(TaskFailed(start.task, CRASHED, 0))
    assert isinstance(hand.offer(blocks(start, 0, (0, 1))), PartialAccepted)
    assert pool.campaign().stored == 1


# ---- numeric classes -----------------------------------------------------------------------


def test_a_pilot_proves_its_class_before_it_works() -> None:
    pool = Pool(exact(classes=True))
    one, two = Hand(pool, 0), Hand(pool, 1)
    assert one.join() == (ProveClass(0, 7, 10),)
    assert one.ask() == ()
    assert two.join() == (ProveClass(0, 7, 10),)
    one.say(ClassProven(0, "x"))
    assert _leased(one.ask()) == [0, 1]
    two.say(ClassProven(0, "y"))
    assert pool.incidents() == [FailureCause.NUMERIC_CLASS]
    assert two.ask() == ()
    assert pool.took(Row.CLASS_DIFFERS) == 1


def test_proving_what_nobody_asked_for_does_no_harm() -> None:
    pool = Pool(exact(classes=True))
    hand = Hand(pool)
    hand.join()
    hand.say(ClassProven(9, "x"), ClassProven(0, "x"), ClassProven(0, "x"))
    assert _leased(hand.ask()) == [0, 1]


def test_who_comes_back_first_with_blocks_chooses_the_class() -> None:
    pool = Pool(exact(classes=True))
    hand = Hand(pool)
    hand.join()
    hand.say(ClassProven(0, "x"))
    start = only(StartTask, hand.ask())
    pool.wait(1000.0)
    assert pool.task(start.task).state is TaskState.LOST
    assert pool.campaign().numeric_class == ""
    assert isinstance(hand.offer(blocks(start, 0, (0, 2), final=True)), PartialAccepted)
    assert pool.campaign().numeric_class == "x"


def test_who_comes_back_when_another_class_was_chosen_is_refused() -> None:
    pool = Pool(exact(classes=True))
    late, other = Hand(pool, 0), Hand(pool, 1)
    late.join()
    late.say(ClassProven(0, "x"))
    start = only(StartTask, late.ask())
    pool.wait(1000.0)
    other.join()
    other.say(ClassProven(0, "y"))
    assert other.ask()
    verdict = late.offer(blocks(start, 0, (0, 2), final=True))
    assert isinstance(verdict, PartialRefused)
    assert verdict.cause is Refusal.UNKNOWN


def test_a_class_stays_chosen_while_its_only_pilot_is_overdue() -> None:
    pool = Pool(exact(classes=True))
    late, other = Hand(pool, 0), Hand(pool, 1)
    late.join()
    late.say(ClassProven(0, "x"))
    late.ask()
    while pool.pilot(0).state is PilotState.LIVE:
        pool.wait(1.0)
    assert pool.pilot(0).state is PilotState.OVERDUE
    other.join()
    other.say(ClassProven(0, "y"))
    other.say(PilotLeft())
    assert pool.campaign().numeric_class == "x"


# ---- prefixes ------------------------------------------------------------------------------


def test_no_partial_may_hold_blocks_of_two_segments() -> None:
    pool = Pool(exact(Precision("dose", relative=0.001, unit=1.0)))
    hand = Hand(pool)
    start = hand.begin()
    position = 2
    leases = list(start.leases)
    while leases[-1].end < 66:
        leases += [
            one
            for order in of(ExtendLease, hand.report(start, position, 1.0))
            for one in order.leases
        ]
        position = sum(one.end - one.start for one in leases)
    assert all(one.segment == (one.start >= 64) + (one.start >= 66) for one in leases[:3])
    sums = (9, 9, 9)
    verdict = hand.offer(blocks(start, 0, (0, 65), sums=sums))
    assert isinstance(verdict, PartialRefused)
    assert verdict.cause is Refusal.UNKNOWN
    assert isinstance(hand.offer(blocks(start, 0, (0, 64), sums=sums, final=True)), PartialAccepted)


def test_copies_do_not_cross_segments_either() -> None:
    pool = Pool(exact(Precision("dose", relative=0.001, unit=1.0)))
    hand = Hand(pool)
    start = hand.begin()
    hand.report(start, 2, 0.05)
    record = pool.campaign().blocks
    assert record is not None
    assert record.looks is not None
    while record.holdings[start.task].held.ends[-1] < 70:
        hand.report(start, record.holdings[start.task].leased, 0.05)
    record.stragglers.append(start.task)
    for number in range(20):
        for lease in record.copy(100 + number, 1):
            last = record.looks.segment_of(lease.end - 1)
            assert record.looks.segment_of(lease.start) == last
    assert record.copied.size >= 70


def test_a_block_that_failed_while_another_holds_it_has_its_second_try_already() -> None:
    held = Blocks(wanted=3, looks=None, spans_max=4)
    held.lease(0, 3, pilot=0)
    held.stragglers.append(0)
    (copy,) = held.copy(1, hands=3)
    assert (copy.start, copy.end) == (2, 3)
    held.abandon(1)
    assert not held.fail(1, 2, pilot=1, hosts_max=3)
    assert held.lease(2, 1, pilot=2) == ()
    held.abandon(0)
    assert held.lease(2, 1, pilot=2) == (Lease(2, 3),)
