"""A campaign that extends another: it begins where that one ended, and nothing is done twice."""

from __future__ import annotations

import pytest

from manyhands.control.snapshot import digest
from manyhands.model.campaign import Stage
from manyhands.model.facts import ClassProven, WorkRequested
from manyhands.model.orders import Lease, ProveClass, StartTask
from tests.control.conversation import Hand, Pool, blocks, exact, free, of, only


def test_blocks_of_an_earlier_campaign_are_not_leased() -> None:
    pool = Pool(exact(100, begins_at=40))
    assert Hand(pool).begin().leases == (Lease(40, 42),)


def test_it_ends_with_the_blocks_that_it_had_to_add() -> None:
    pool = Pool(exact(43, begins_at=40))
    hand = Hand(pool)
    start = hand.begin()
    hand.report(start, 2, 10.0)  # and is given the third
    hand.offer(blocks(start, 0, (40, 42)))
    assert pool.stage() is not Stage.DONE
    hand.offer(blocks(start, 0, (40, 43)))
    assert pool.stage() is Stage.DONE


def test_streams_of_an_earlier_campaign_are_not_used_again() -> None:
    pool = Pool(free(1000, begins_at=7))
    assert [Hand(pool, number).begin().stream for number in range(3)] == [7, 8, 9]


def test_another_numeric_class_may_not_add_to_it() -> None:
    pool = Pool(exact(100, begins_at=40, classes=True, numeric_class="theirs"))
    proofs = [ClassProven(0, "ours"), ClassProven(0, "theirs")]
    for number, proof in enumerate(proofs):
        hand = Hand(pool, number)
        only(ProveClass, hand.join())
        orders = hand.say(proof, WorkRequested(1))
        assert len(of(StartTask, orders)) == number


@pytest.mark.parametrize("begins_at", [100, 101, -1])
def test_nothing_is_left_to_add(begins_at: int) -> None:
    with pytest.raises(ValueError, match="begins_at is"):
        exact(100, begins_at=begins_at)


def test_a_snapshot_keeps_where_it_began() -> None:
    first, second = (Pool(exact(100, begins_at=40)) for _ in range(2))
    assert digest(first.controller) == digest(second.controller)
    assert digest(first.controller) != digest(Pool(exact(100)).controller)
