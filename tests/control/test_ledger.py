"""Every row for a stored partial: what counts, what does not, and what its pilot is told."""

from __future__ import annotations

import pytest

from manyhands.control.life_cycles import Row
from manyhands.control.records import PartialState
from manyhands.model.campaign import Stage
from manyhands.model.coverage import Coverage, Span
from manyhands.model.events import (
    CampaignCancelled,
    MasterRestarted,
    ObjectCollected,
    ObjectDeleted,
)
from manyhands.model.facts import PartialStored, PilotLeft, TaskEnded
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.orders import ExtendLease, PartialAccepted, PartialRefused, StartTask
from manyhands.model.stopping import Precision
from tests.control.conversation import Hand, Pool, blocks, exact, free, only, stored


def _begun(samples: int = 10_000) -> tuple[Pool, Hand, StartTask]:
    pool = Pool(free(samples))
    hand = Hand(pool)
    return pool, hand, hand.begin()


def _refusal(verdict: PartialAccepted | PartialRefused) -> tuple[Refusal, int]:
    assert isinstance(verdict, PartialRefused)
    return verdict.cause, verdict.base


def test_the_first_partial_is_open_and_the_next_one_replaces_it() -> None:
    pool, hand, start = _begun()
    assert hand.offer(stored(start, 0, 10)) == PartialAccepted(0, "0/0-10/d", 0)
    assert pool.deleted() == []
    assert hand.offer(stored(start, 0, 25)) == PartialAccepted(0, "0/0-25/d", 0)
    assert pool.deleted() == ["0/0-10/d"]
    assert pool.campaign().stored == 25
    assert (pool.took(Row.PARTIAL_OPENED), pool.took(Row.PARTIAL_SUPERSEDED)) == (1, 1)


def test_a_final_partial_is_sealed_at_once() -> None:
    pool, hand, start = _begun()
    assert hand.offer(stored(start, 0, 10, final=True)) == PartialAccepted(0, "0/0-10/d", 10)
    assert hand.offer(stored(start, 10, 15)) == PartialAccepted(0, "0/10-15/d", 10)
    assert pool.deleted() == []
    assert pool.campaign().stored == 15
    assert pool.took(Row.PARTIAL_FINAL) == 1


def test_a_final_partial_that_replaces_the_open_one_is_sealed() -> None:
    pool, hand, start = _begun()
    hand.offer(stored(start, 0, 10))
    assert hand.offer(stored(start, 0, 20, final=True)) == PartialAccepted(0, "0/0-20/d", 20)
    assert pool.deleted() == ["0/0-10/d"]


def test_a_final_partial_may_begin_behind_the_open_one_which_is_sealed_by_it() -> None:
    pool, hand, start = _begun()
    hand.offer(stored(start, 0, 10))
    verdict = hand.offer(stored(start, 10, 14, final=True))
    assert verdict == PartialAccepted(0, "0/10-14/d", 14)
    assert pool.controller.state.partials["0/0-10/d"].state is PartialState.SEALED
    assert pool.campaign().stored == 14


def test_growing_outputs_are_increments() -> None:
    pool = Pool(free(growing=True))
    hand = Hand(pool)
    start = hand.begin()
    assert start.growing
    for first, end in ((0, 5), (5, 9), (9, 30)):
        verdict = hand.offer(stored(start, first, end, final=True))
        assert verdict == PartialAccepted(0, f"0/{first}-{end}/d", end)
    assert len(pool.controller.state.partials) == 3


@pytest.mark.parametrize(("first", "end"), [(5, 30), (10, 30), (0, 10), (0, 7)])
def test_what_starts_elsewhere_or_holds_nothing_new_is_refused(first: int, end: int) -> None:
    pool, hand, start = _begun()
    hand.offer(stored(start, 0, 10))
    assert _refusal(hand.offer(stored(start, first, end, name="new"))) == (Refusal.ELSEWHERE, 0)
    assert pool.deleted() == ["new"]
    assert pool.campaign().stored == 10
    assert pool.took(Row.PARTIAL_ELSEWHERE) == 1
    assert isinstance(hand.offer(stored(start, 0, 30)), PartialAccepted)


def test_the_refused_are_told_where_to_begin() -> None:
    _, hand, start = _begun()
    hand.offer(stored(start, 0, 10, final=True))
    assert _refusal(hand.offer(stored(start, 0, 30))) == (Refusal.ELSEWHERE, 10)


def test_the_same_coverage_with_another_digest_is_an_impostor() -> None:
    pool, hand, start = _begun()
    hand.offer(stored(start, 0, 10, "x"))
    assert _refusal(hand.offer(stored(start, 0, 10, "y"))) == (Refusal.IMPOSTOR, 0)
    assert pool.incidents() == [FailureCause.IMPOSTOR]
    assert pool.deleted() == ["0/0-10/y"]


def test_the_same_bytes_under_another_name_are_nothing_new() -> None:
    pool, hand, start = _begun()
    hand.offer(stored(start, 0, 10, "x"))
    verdict = hand.offer(stored(start, 0, 10, "x", name="again"))
    assert _refusal(verdict) == (Refusal.ELSEWHERE, 0)
    assert pool.incidents() == []
    assert pool.deleted() == ["again"]


def test_a_name_that_was_accepted_is_accepted_again_even_if_it_is_gone() -> None:
    pool, hand, start = _begun()
    first = stored(start, 0, 10)
    for _ in range(2):
        assert hand.offer(first) == PartialAccepted(0, first.name, 0)
    hand.offer(stored(start, 0, 20, final=True))
    assert hand.offer(first) == PartialAccepted(0, first.name, 20)
    assert pool.campaign().stored == 20
    assert pool.took(Row.PARTIAL_AGAIN) == 2


def test_a_refused_name_is_never_used_again() -> None:
    pool, hand, start = _begun()
    assert _refusal(hand.offer(stored(start, 5, 9, name="a"))) == (Refusal.ELSEWHERE, 0)
    assert _refusal(hand.offer(stored(start, 0, 9, name="a"))) == (Refusal.COLLECTED, 0)
    assert isinstance(hand.offer(stored(start, 0, 9, name="b")), PartialAccepted)
    assert pool.took(Row.PARTIAL_COLLECTED) == 1


def test_a_collected_name_is_to_be_uploaded_anew() -> None:
    pool, hand, start = _begun()
    pool.tell(ObjectCollected("a"))
    assert pool.deleted() == ["a"]
    assert _refusal(hand.offer(stored(start, 0, 9, name="a"))) == (Refusal.COLLECTED, 0)
    assert pool.campaign().stored == 0
    assert isinstance(hand.offer(stored(start, 0, 9, name="b")), PartialAccepted)


def test_what_is_needed_is_not_collected() -> None:
    pool, hand, start = _begun()
    hand.offer(stored(start, 0, 9, name="a"))
    pool.tell(ObjectCollected("a"))
    assert pool.deleted() == []
    assert pool.controller.refers_to("a")
    assert pool.took(Row.OBJECT_NEEDED) == 1


def test_deletions_are_ordered_again_until_they_are_known_to_be_done() -> None:
    pool, hand, start = _begun()
    hand.offer(stored(start, 0, 9, name="a"))
    hand.offer(stored(start, 0, 19, name="b"))
    pool.tell(MasterRestarted())
    assert pool.deleted() == ["a"]
    pool.tell(ObjectDeleted("a"))
    pool.tell(ObjectDeleted("never heard of"))
    pool.tell(MasterRestarted())
    assert pool.deleted() == []


def test_what_comes_after_the_close_is_refused_and_counted() -> None:
    pool = Pool(free(10))
    fast, slow = Hand(pool, 0), Hand(pool, 1)
    first, second = fast.begin(), slow.begin()
    fast.offer(stored(first, 0, 10))
    assert pool.stage() is Stage.DONE
    assert _refusal(slow.offer(stored(second, 0, 7))) == (Refusal.CLOSED, 0)
    assert pool.deleted() == ["1/0-7/d"]
    assert pool.incidents() == []
    assert (pool.campaign().stored, pool.campaign().refused) == (10, 7)
    assert isinstance(fast.offer(stored(first, 0, 10)), PartialAccepted)


def test_a_cancelled_campaign_accepts_nothing_but_keeps_what_it_has() -> None:
    pool, hand, start = _begun()
    hand.offer(stored(start, 0, 9))
    pool.tell(CampaignCancelled(0))
    assert _refusal(hand.offer(stored(start, 0, 19))) == (Refusal.CLOSED, 0)
    assert pool.deleted() == ["0/0-19/d"]
    assert pool.controller.refers_to("0/0-9/d")
    pool.tell(CampaignCancelled(0))
    pool.tell(CampaignCancelled(5))


@pytest.mark.parametrize("line", [1, -1])
def test_samples_of_another_stream_are_nobodys(line: int) -> None:
    pool, hand, start = _begun()
    coverage = Coverage((Span(line, 0, 9),))
    fact = PartialStored(start.task, 0, 9, "a", "d", coverage, False, (), 1)
    assert _refusal(hand.offer(fact)) == (Refusal.UNKNOWN, 0)
    assert pool.incidents() == [FailureCause.PROTOCOL_BROKEN]


def test_a_coverage_that_does_not_start_at_its_position_is_nobodys() -> None:
    _, hand, start = _begun()
    fact = PartialStored(start.task, 0, 9, "a", "d", Coverage((Span(0, 1, 10),)), False, (), 1)
    assert _refusal(hand.offer(fact)) == (Refusal.UNKNOWN, 0)


def test_a_task_that_never_was_is_nobodys() -> None:
    pool, hand, _ = _begun()
    fact = PartialStored(55, 0, 9, "a", "d", Coverage((Span(0, 0, 9),)), False, (), 1)
    assert _refusal(hand.offer(fact)) == (Refusal.UNKNOWN, 0)
    assert pool.deleted() == ["a"]


def test_an_ended_task_may_deliver_what_it_stored() -> None:
    pool, hand, start = _begun()
    hand.offer(stored(start, 0, 9))
    hand.say(TaskEnded(start.task), PilotLeft())
    assert isinstance(hand.offer(stored(start, 0, 12)), PartialAccepted)
    assert pool.campaign().stored == 12
    assert pool.campaign().shelf.settled == {"0/0-12/d": True}


def test_sums_are_those_of_what_is_accepted_and_not_replaced() -> None:
    pool, hand, start = _begun()
    hand.offer(stored(start, 0, 9, sums=(4, 10)))
    hand.offer(stored(start, 0, 9, "other", sums=(400, 400)))
    assert pool.campaign().sums == [4, 10]
    hand.offer(stored(start, 0, 12, sums=(5, 20, 300)))
    assert pool.campaign().sums == [5, 20, 300]
    hand.offer(stored(start, 12, 14, final=True, sums=(1, 1, 1)))
    assert pool.campaign().sums == [6, 21, 301]


def test_a_partial_without_the_sums_that_the_stop_rule_needs_is_refused() -> None:
    pool = Pool(free(Precision("dose", relative=0.1)))
    hand = Hand(pool)
    start = hand.begin()
    for sums in ((1,), (1, 2)):
        verdict = hand.offer(stored(start, 0, 2000, str(sums), sums=sums))
        assert _refusal(verdict) == (Refusal.UNKNOWN, 0)
        assert pool.incidents() == [FailureCause.PROTOCOL_BROKEN]
    assert pool.campaign().stored == 0
    hand.offer(stored(start, 0, 2000, sums=(1, 2, 3)))
    assert _refusal(hand.offer(stored(start, 0, 3000))) == (Refusal.UNKNOWN, 0)


def test_where_the_merged_result_is_judged_no_partial_has_sums() -> None:
    pool = Pool(free(Precision("dose", relative=0.1)))
    hand = Hand(pool)
    start = hand.begin()
    assert isinstance(hand.offer(stored(start, 0, 2000)), PartialAccepted)
    verdict = hand.offer(stored(start, 0, 3000, sums=(1, 2, 3)))
    assert _refusal(verdict) == (Refusal.UNKNOWN, 0)


def test_blocks_in_exact_mode_are_counted_once() -> None:
    pool = Pool(exact(10))
    hand = Hand(pool)
    start = hand.begin()
    assert hand.offer(blocks(start, 0, (0, 1))) == PartialAccepted(0, "0/((0, 1),)/d", 0)
    assert isinstance(hand.offer(blocks(start, 0, (0, 2))), PartialAccepted)
    assert pool.deleted() == ["0/((0, 1),)/d"]
    assert pool.campaign().stored == 2


def test_a_block_that_was_never_leased_is_nobodys() -> None:
    _, hand = (pool := Pool(exact(10))), Hand(pool)
    start = hand.begin()
    assert _refusal(hand.offer(blocks(start, 0, (0, 9)))) == (Refusal.UNKNOWN, 0)
    fact = PartialStored(start.task, 0, 1, "a", "d", Coverage((Span(0, 0, 1),)), False, (), 1)
    assert _refusal(hand.offer(fact)) == (Refusal.UNKNOWN, 0)


def test_an_exact_partial_without_the_blocks_of_the_one_it_would_replace_is_refused() -> None:
    _, hand = (pool := Pool(exact(10))), Hand(pool)
    start = hand.begin()
    hand.offer(blocks(start, 0, (0, 1)))
    assert only(ExtendLease, hand.report(start, 2)).leases[0].start == 2
    verdict = hand.offer(blocks(start, 0, (1, 3)))
    assert _refusal(verdict) == (Refusal.ELSEWHERE, 0)
    assert pool.campaign().stored == 1
