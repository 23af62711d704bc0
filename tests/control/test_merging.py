"""Claims: what is merged, by whom, and what becomes of it if the merger does not come back."""

from __future__ import annotations

from manyhands.control.life_cycles import Row
from manyhands.control.records import ClaimState, PartialState
from manyhands.model.campaign import Stage
from manyhands.model.events import MasterRestarted, ObjectCollected, PilotExited, PilotRemoved
from manyhands.model.facts import (
    MergeFailed,
    MergeStored,
    PilotRegistered,
    TaskEnded,
    WorkRequested,
)
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.orders import (
    MergeInput,
    MergePartials,
    MergeVerdict,
    PartialAccepted,
    PartialRefused,
    StartTask,
)
from tests.control.conversation import Hand, Pool, free, merged, of, only, stored


def _two_stored(samples: int = 10_000) -> tuple[Pool, Hand, StartTask, Hand, StartTask]:
    """Two tasks with ten samples each, and mergers of two partials."""
    pool = Pool(free(samples, merging=merged()))
    one, two = Hand(pool, 0), Hand(pool, 1)
    first, second = one.begin(), two.begin()
    one.offer(stored(first, 0, 10, "a", name="a"))
    two.offer(stored(second, 0, 10, "b", name="b"))
    return pool, one, first, two, second


def _claimed() -> tuple[Pool, Hand, StartTask, Hand, MergePartials]:
    """The same, and a third pilot that merges both."""
    pool, one, first, _, _ = _two_stored()
    merger = Hand(pool, 2)
    return pool, one, first, merger, only(MergePartials, merger.join())


def test_waiting_partials_are_claimed_with_their_digests_and_sealed() -> None:
    pool, one, first, _, order = _claimed()
    assert order.inputs == (MergeInput("a", "a"), MergeInput("b", "b"))
    states = [partial.state for partial in pool.controller.state.partials.values()]
    assert states == [PartialState.CLAIMED] * 2
    refused = one.offer(stored(first, 0, 15))
    assert isinstance(refused, PartialRefused)
    assert (refused.cause, refused.base) == (Refusal.ELSEWHERE, 10)
    assert isinstance(one.offer(stored(first, 10, 15)), PartialAccepted)


def test_those_of_ended_tasks_go_first() -> None:
    pool, one, first, two, second = _two_stored()
    three = Hand(pool, 2)
    start = three.say(PilotRegistered(2), WorkRequested(2))
    third = only(StartTask, start)
    merge = only(MergePartials, start)
    three.say(MergeStored(merge.claim, "m", "x"), stored(third, 0, 5, name="c"))
    one.offer(stored(first, 10, 15, name="d"))
    two.offer(stored(second, 10, 15, name="e"))
    two.say(TaskEnded(second.task))
    order = only(MergePartials, two.ask())
    assert [one.name for one in order.inputs] == ["m", "e"]
    assert pool.took(Row.MERGE_GIVEN) == 2


def test_the_output_takes_the_place_of_its_inputs() -> None:
    pool, _, _, merger, order = _claimed()
    assert merger.say(MergeStored(order.claim, "m", "x")) == (MergeVerdict(order.claim, None),)
    assert pool.deleted() == ["a", "b"]
    assert list(pool.controller.state.partials) == ["m"]
    assert pool.controller.state.partials["m"].coverage.size == 20
    again = merger.say(MergeStored(order.claim, "m", "x"))
    assert again == (MergeVerdict(order.claim, None),)
    assert pool.took(Row.MERGE_AGAIN) == 1


def test_another_output_of_a_claim_that_is_done_is_refused() -> None:
    pool, _, _, merger, order = _claimed()
    merger.say(MergeStored(order.claim, "m", "x"))
    orders = merger.say(MergeStored(order.claim, "n", "y"))
    assert orders == (MergeVerdict(order.claim, Refusal.EXPIRED),)
    assert pool.deleted() == ["n"]


def test_a_claim_that_expired_returns_its_inputs_to_sealed_and_its_output_is_refused() -> None:
    pool, _, first, merger, order = _claimed()
    pool.wait(3600.0)
    assert pool.controller.state.claims[order.claim].state is ClaimState.EXPIRED
    states = [partial.state for partial in pool.controller.state.partials.values()]
    assert states == [PartialState.SEALED] * 2
    assert pool.task(first.task).seal == 10
    orders = merger.say(MergeStored(order.claim, "m", "x"))
    assert MergeVerdict(order.claim, Refusal.EXPIRED) in orders
    assert pool.deleted() == ["m"]
    assert pool.took(Row.MERGE_EXPIRED) == 1


def test_reports_renew_a_claim() -> None:
    pool, _, _, merger, order = _claimed()
    for _ in range(60):
        merger.say(after_s=20.0)
    assert pool.controller.state.claims[order.claim].state is ClaimState.ACTIVE


def test_a_restart_starts_a_claim_anew() -> None:
    pool, _, _, merger, order = _claimed()
    pool.wait(50.0)
    pool.tell(MasterRestarted())
    pool.wait(30.0)
    assert pool.controller.state.claims[order.claim].state is ClaimState.ACTIVE
    assert merger.say(MergeStored(order.claim, "m", "x"))[0] == MergeVerdict(order.claim, None)


def test_a_merger_that_goes_leaves_its_inputs_to_others() -> None:
    for gone in (PilotExited(2, 0), PilotRemoved(2)):
        pool, _, _, _, order = _claimed()
        pool.tell(gone)
        assert pool.controller.state.claims[order.claim].state is ClaimState.EXPIRED
        again = only(MergePartials, Hand(pool, 3).join())
        assert again.inputs == order.inputs
        assert again.claim != order.claim


def test_a_later_incarnation_does_not_have_the_claims_of_the_first() -> None:
    pool, _, _, merger, order = _claimed()
    Hand(pool, 2, incarnation=1).say(PilotRegistered(1))
    assert MergeVerdict(order.claim, Refusal.EXPIRED) in merger.say(
        MergeStored(order.claim, "m", "x")
    )


def test_the_removed_cannot_deliver_a_merge() -> None:
    pool, _, _, merger, order = _claimed()
    pool.tell(PilotRemoved(2))
    orders = merger.say(MergeStored(order.claim, "m", "x"))
    assert MergeVerdict(order.claim, Refusal.REMOVED) in orders


def test_a_claim_of_somebody_else_or_of_nobody_is_refused() -> None:
    pool, one, _, _, order = _claimed()
    for claim in (order.claim, 99):
        orders = one.say(MergeStored(claim, f"m{claim}", "x"), MergeFailed(claim, _TORN, "a"))
        assert orders == (MergeVerdict(claim, Refusal.EXPIRED),)
    assert pool.controller.state.claims[order.claim].state is ClaimState.ACTIVE


def test_an_output_may_not_have_the_name_of_another_object() -> None:
    for name in ("a", "c"):
        pool, one, first, merger, order = _claimed()
        one.offer(stored(first, 10, 12, name="c"))
        orders = merger.say(MergeStored(order.claim, name, "x"))
        assert orders == (MergeVerdict(order.claim, Refusal.IMPOSTOR),)
        assert pool.incidents() == [FailureCause.PROTOCOL_BROKEN]
        assert pool.deleted() == []
        assert sorted(pool.controller.state.partials) == ["a", "b", "c"]


def test_an_output_whose_name_was_given_up_is_refused() -> None:
    pool, _, _, merger, order = _claimed()
    pool.tell(ObjectCollected("m"))
    orders = merger.say(MergeStored(order.claim, "m", "x"))
    assert orders == (MergeVerdict(order.claim, Refusal.COLLECTED),)
    assert "a" in pool.controller.state.partials


_TORN = FailureCause.OBJECT_TORN


def test_a_merge_that_failed_is_tried_by_another() -> None:
    pool, _, _, merger, order = _claimed()
    merger.say(MergeFailed(order.claim, FailureCause.DOWNLOAD_FAILED))
    merger.say(MergeFailed(order.claim, FailureCause.DOWNLOAD_FAILED))
    assert pool.took(Row.MERGE_FAILED) == 1
    assert only(MergePartials, Hand(pool, 3).join()).inputs == order.inputs


def test_an_input_that_two_mergers_cannot_read_is_put_aside_and_named_at_the_end() -> None:
    pool, one, first, merger, order = _claimed()
    merger.say(MergeFailed(order.claim, _TORN, "a"))
    assert pool.incidents() == []
    other = Hand(pool, 3)
    again = only(MergePartials, other.join())
    other.say(MergeFailed(again.claim, _TORN, "a"))
    assert pool.incidents() == [_TORN]
    assert pool.took(Row.MERGE_QUARANTINED) == 1
    one.offer(stored(first, 10, 10_000, name="rest"))
    assert pool.stage() is Stage.FAILED
    assert "partial a cannot be read" in pool.campaign().reason


def test_one_merger_alone_must_fail_more_often() -> None:
    pool, _, _, merger, order = _claimed()
    for times in range(1, 5):
        assert pool.took(Row.MERGE_QUARANTINED) == 0, times
        merger.say(MergeFailed(order.claim, _TORN, "a"))
        more = of(MergePartials, merger.ask())
        order = more[0] if more else order
    assert pool.took(Row.MERGE_QUARANTINED) == 1


def test_a_merger_can_blame_only_its_own_inputs() -> None:
    pool, one, first, merger, order = _claimed()
    one.offer(stored(first, 10, 12, name="c"))
    for name in ("c", "a", "never heard of"):
        merger.say(MergeFailed(order.claim, _TORN, name))
    assert pool.controller.state.partials["c"].bad_mergers == []
    assert pool.controller.state.partials["a"].bad_mergers == []


def test_merging_ends_when_one_object_holds_all_that_was_accepted() -> None:
    pool, one, first, two, second = _two_stored(30)
    one.offer(stored(first, 0, 20, name="c"))
    assert pool.stage() is Stage.CLOSED
    two.say(TaskEnded(second.task))
    order = only(MergePartials, two.ask())
    assert sorted(one.name for one in order.inputs) == ["b", "c"]
    two.say(MergeStored(order.claim, "m", "x"))
    assert pool.stage() is Stage.DONE
    assert pool.controller.state.partials["m"].coverage.size == pool.campaign().stored == 30


def test_no_more_merge_tasks_run_than_were_asked_for() -> None:
    pool = Pool(free(merging=merged(mergers=1)))
    hands = [Hand(pool, number) for number in range(4)]
    starts = [hand.begin() for hand in hands]
    for hand, start in zip(hands, starts, strict=True):
        hand.offer(stored(start, 0, 5))
    orders = Hand(pool, 9, slots=3).join()
    assert len(of(MergePartials, orders)) == 1
    assert len(of(StartTask, orders)) == 2
