"""The grid of prefixes: no schedule can move a look, and none is further off than twice."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from manyhands.control.block_set import BlockSet
from manyhands.control.looks import FIRST_LOOK, Looks
from manyhands.control.stopping import Estimate
from manyhands.model.campaign import Stage
from manyhands.model.orders import ExtendLease, StartTask
from manyhands.model.stopping import Precision
from tests.control.conversation import Hand, Pool, blocks, exact, of

BLOCK = 10
RULE = Precision("dose", relative=0.05, unit=1.0, samples_min=2, nonzero_min=1, vov_max=1e9)


def _sums(first: int, end: int) -> tuple[int, ...]:
    """Of samples that are 1 or 3 in turn, in these blocks: mean 2, variance 1."""
    count = (end - first) * BLOCK
    half = count // 2
    return count, 4 * half, 10 * half


def test_the_grid_begins_at_64_and_grows_by_two_percent_rounded_up() -> None:
    looks = Looks(BLOCK)
    looks.segment_of(10_000)
    assert looks.points[:4] == [FIRST_LOOK, 66, 68, 70]
    assert all(after == -(-before * 102 // 100) for before, after in pairwise(looks.points))


def test_segments_lie_between_grid_points() -> None:
    looks = Looks(BLOCK)
    assert [looks.segment_of(block) for block in (0, 63, 64, 65, 66)] == [0, 0, 1, 1, 2]
    assert [looks.segment_end(segment) for segment in (0, 1, 2)] == [64, 66, 68]


def _wide(scale: int) -> Precision:
    return Precision("t", relative=1 / scale, unit=1.0, samples_min=2, nonzero_min=1, vov_max=1e9)


@given(st.integers(2, 2000), st.lists(st.integers(1, 400), max_size=12))
def test_looks_are_a_function_of_the_prefix_alone(scale: int, steps: list[int]) -> None:
    """However the prefix grows, and whatever lies beyond it, the looks are the same."""
    rule, at_once, slowly = _wide(scale), Looks(BLOCK), Looks(BLOCK)
    end = sum(steps)
    for looks in (at_once, slowly):
        for segment in range(looks.segment_of(2 * end) + 1):
            first = looks.points[segment - 1] if segment else 0
            looks.add(segment, _sums(first, looks.segment_end(segment)))
    prefix = 0
    for step in steps:
        prefix += step
        slowly.advance(rule, prefix, BlockSet())
        slowly.advance(rule, prefix, BlockSet())
    at_once.advance(rule, end, BlockSet())
    assert (at_once.next, at_once.final_blocks) == (slowly.next, slowly.final_blocks)
    assert at_once.estimate == slowly.estimate


@given(st.integers(2, 100_000))
def test_the_next_look_is_further_but_at_most_twice_as_far(scale: int) -> None:
    looks, rule = Looks(BLOCK), _wide(scale)
    for segment in range(400):
        first = looks.points[segment - 1] if segment else 0
        looks.add(segment, _sums(first, looks.segment_end(segment)))
    before = 0
    while before < 5000 and looks.final_blocks is None:
        point = looks.points[looks.next]
        assert before < point <= max(2 * before, FIRST_LOOK)
        looks.advance(rule, point, BlockSet())
        before = point
    if looks.final_blocks is not None:
        assert looks.estimate.met


def test_a_look_comes_as_soon_as_the_prefix_is_near_the_forecast() -> None:
    looks = Looks(BLOCK)
    looks.add(0, _sums(0, 64))
    assert not looks.advance(_wide(57), 64, BlockSet())
    goal = looks.estimate.goal or 0
    near = -(-95 * -(-goal // BLOCK) // 100)
    assert 64 < near < 128
    assert looks.points[looks.next - 1] < near <= looks.points[looks.next]
    assert (looks.goal() or 0) >= looks.points[looks.next]


def test_while_a_look_is_under_way_work_goes_on_to_where_the_next_one_may_be() -> None:
    looks = Looks(BLOCK)
    looks.take(Estimate(False, 64 * BLOCK, 100 * BLOCK))
    point = looks.points[looks.next]
    assert 95 <= point <= (looks.goal() or 0) <= 104
    looks.waiting = True
    latest = looks.goal() or 0
    assert latest <= 2 * point < -(-latest * 102 // 100)
    looks.take(Estimate(False, point * BLOCK, 10**9))
    assert looks.points[looks.next] == latest


def _run(order: int) -> tuple[int | None, int, list[int]]:
    """A precise campaign on two hands, who store what they hold in one order or the other."""
    pool = Pool(
        exact(Precision("t", relative=0.015, unit=1.0, samples_min=2, nonzero_min=1, vov_max=1e9))
    )
    hands = [Hand(pool, number) for number in range(2)]
    held: dict[int, list[tuple[int, int, int]]] = {}
    starts: list[StartTask] = []
    for hand in hands:
        starts.append(hand.begin())
        held[starts[-1].task] = [(one.start, one.end, one.segment) for one in starts[-1].leases]
    done = {start.task: 0 for start in starts}
    while pool.stage() in (Stage.OPEN, Stage.DRAINING):
        for i in (0, 1) if order else (1, 0):
            hand, start = hands[i], starts[i]
            for first, end, segment in held[start.task]:
                if pool.stage() not in (Stage.OPEN, Stage.DRAINING):
                    break
                position = done[start.task]
                done[start.task] += end - first
                hand.offer(
                    blocks(
                        start,
                        position,
                        (first, end),
                        final=True,
                        sums=_sums(first, end),
                        digest=str(segment),
                    )
                )
            orders = hand.report(start, done[start.task], 1.0 + i)
            held[start.task] = [
                (one.start, one.end, one.segment)
                for more in of(ExtendLease, orders)
                for one in more.leases
            ]
            assert all(
                one[2] == _segment(one[0]) == _segment(one[1] - 1) for one in held[start.task]
            )
    record = pool.campaign()
    return record.final_blocks, record.stored, record.sums


def _segment(block: int) -> int:
    return Looks(BLOCK).segment_of(block)


def test_every_schedule_stops_at_the_same_prefix_and_what_is_beyond_is_dropped() -> None:
    final, stored, _ = _run(0)
    assert final is not None
    assert (final, stored) == (_run(1)[0], final)
    assert _run(1)[1] == final


def test_what_lies_beyond_the_final_prefix_is_deleted_and_counted() -> None:
    pool = Pool(exact(RULE))
    hand = Hand(pool)
    start = hand.begin()
    position, leases = 2, list(start.leases)
    while leases[-1].end < 70:
        for more in of(ExtendLease, hand.report(start, position, 1.0)):
            leases += more.leases
        position = sum(one.end - one.start for one in leases)
    assert position >= 70
    hand.offer(blocks(start, 0, (64, 66), final=True, sums=_sums(64, 66)))
    assert pool.stage() is Stage.OPEN
    hand.offer(blocks(start, 2, (0, 64), final=True, sums=_sums(0, 64)))
    record = pool.campaign()
    assert (record.final_blocks, record.stored, record.refused) == (64, 64, 2)
    assert len(pool.deleted()) == 1
    assert pool.stage() is Stage.DONE
