"""What the pilot does for a task in one of its slots, in free mode."""

from __future__ import annotations

import pytest

from manyhands.model.coverage import Coverage, Span
from manyhands.model.facts import (
    PartialStored,
    TaskEnded,
    TaskFailed,
    TaskProgressed,
    WorkRequested,
)
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.orders import (
    ExtendLease,
    MergeVerdict,
    PartialAccepted,
    SetQuota,
    StopTask,
)
from manyhands.pilot.signals import (
    EndRun,
    Exit,
    RunFailed,
    StartRun,
    Ticked,
    Upload,
    WatchPosition,
)
from tests.pilot.wire import STREAM, TASK, Bench, checkpointed, free, of, running


def test_repeated_start_is_ignored_and_one_too_many_is_refused() -> None:
    bench = running()
    bench.tick(60.5)
    actions = bench.reply(free(), free(8))
    assert of(StartRun, actions) == []
    assert TaskFailed(8, FailureCause.PROTOCOL_BROKEN) in bench.facts()


def test_orders_for_unknown_tasks_are_ignored() -> None:
    bench = Bench()
    orders = (SetQuota(1, 5), StopTask(1, True), ExtendLease(1, (), True), MergeVerdict(1, None))
    assert bench.start(*orders, PartialAccepted(1, "x", 3)) == []


def test_checkpoints_come_every_period_after_the_last_one_began() -> None:
    bench = checkpointed()
    bench.accept(0, at_s=67.0)
    bench.advance(180, 120.0)
    assert of(Upload, bench.tick(120.0)) == []
    coverage = Coverage((Span(STREAM, 0, 180),))
    assert of(Upload, bench.tick(120.5)) == [Upload(TASK, 0, 180, f"{TASK}/2", coverage)]


def test_no_checkpoint_before_a_verdict_or_without_news_or_without_a_period() -> None:
    bench = checkpointed()
    bench.advance(300, 200.0)
    assert of(Upload, bench.tick(200.0)) == []
    assert of(Upload, bench.accept(0)) == [bench.uploads[-1]]
    assert bench.offer() == (0, 300)
    assert of(Upload, running(at=0).tick(60.5)) == []
    assert of(Upload, running(order=free(checkpoint_s=None)).tick(1000.0)) == []


def test_offer_starts_at_the_seal() -> None:
    bench = checkpointed()
    bench.accept(40, at_s=67.0)
    bench.advance(180, 120.5)
    bench.tick(120.5)
    assert bench.offer() == (40, 180)


def test_growing_outputs_are_stored_as_final_increments() -> None:
    bench = running(order=free(growing=True))
    bench.tick(60.5)
    bench.reply(at_s=61.0)
    bench.store(62.0)
    assert bench.stored().final
    bench.accept(100, at_s=63.0)
    bench.advance(150, 120.5)
    bench.tick(120.5)
    assert bench.offer() == (100, 150)


def test_quota_ahead_is_watched_and_met_while_the_run_goes_on() -> None:
    bench = running()
    bench.tick(60.5)
    bench.store(61.0)
    bench.reply(at_s=61.0)
    assert WatchPosition(TASK, 150) in bench.accept(0, SetQuota(TASK, 150), at_s=62.0)
    assert bench.advance(149, 63.0) == []
    actions = bench.advance(151, 64.0)
    assert bench.offer() == (0, 151)
    assert of(EndRun, actions) == []


def test_quota_already_passed_is_met_at_once_unless_it_was_offered() -> None:
    bench = checkpointed()
    bench.advance(130, 67.0)
    assert of(Upload, bench.accept(0, SetQuota(TASK, 100))) == []
    bench.tick(127.0)
    assert bench.offer() == (0, 130)
    bench = checkpointed()
    bench.advance(130, 67.0)
    assert of(Upload, bench.accept(0, SetQuota(TASK, 101)))
    assert bench.offer() == (0, 130)


def test_quota_reached_during_an_upload_is_met_right_after_its_verdict() -> None:
    bench = running()
    bench.tick(60.5)
    bench.reply(SetQuota(TASK, 120), at_s=61.0)
    assert of(Upload, bench.advance(125, 62.0)) == []
    bench.store(66.0)
    bench.accept(0, at_s=67.0)
    assert bench.offer() == (0, 125)


def test_checkpoint_waits_for_a_quota_that_comes_before_it_would_be_over() -> None:
    for quota, offers in ((240, 0), (4000, 1)):
        bench = checkpointed()
        bench.accept(0, SetQuota(TASK, quota), at_s=67.0)
        bench.advance(230, 120.6)
        assert len(of(Upload, bench.tick(120.6))) == offers


def test_limit_is_watched_and_ends_the_task_without_stopping_its_run() -> None:
    bench = Bench()
    assert WatchPosition(TASK, 40) in bench.start(free(limit=40))
    actions = bench.advance(40, 5.0)
    assert bench.offer() == (0, 40)
    assert of(EndRun, actions) == []
    bench.store(6.0)
    bench.accept(0, at_s=7.0)
    assert bench.facts() == (TaskEnded(TASK), WorkRequested(1))


def test_stop_and_keep_waits_for_the_sample_in_hand() -> None:
    bench = running()
    bench.tick(60.5)
    bench.store(61.0)
    bench.reply(at_s=61.0)
    assert EndRun(TASK) in bench.accept(0, StopTask(TASK, True), at_s=62.0)
    assert of(Upload, bench.tick(70.0)) == []
    bench.advance(101, 71.0)
    assert bench.offer() == (0, 101)
    bench.store(72.0)
    bench.refuse(Refusal.ELSEWHERE, 100)
    assert bench.offer() == (100, 101)
    bench.store(73.0)
    bench.accept(101, at_s=74.0)
    assert bench.facts() == (TaskEnded(TASK), WorkRequested(1))


def test_stop_with_nothing_new_ends_at_its_last_word() -> None:
    bench = checkpointed()
    bench.accept(0, StopTask(TASK, True), at_s=67.0)
    bench.advance(100, 67.5)
    assert bench.facts() == (TaskEnded(TASK), WorkRequested(1))


def test_stop_without_keeping_frees_the_slot_at_once() -> None:
    bench = checkpointed()
    assert EndRun(TASK) in bench.reply(StopTask(TASK, False))
    assert bench.facts() == (TaskEnded(TASK), WorkRequested(1))
    assert bench.advance(101, 70.0) == []


@pytest.mark.parametrize(
    ("cause", "base", "offer"),
    [
        (Refusal.ELSEWHERE, 60, (60, 130)),
        (Refusal.ELSEWHERE, 0, (0, 130)),
        (Refusal.COLLECTED, 0, (0, 100)),
        (Refusal.COLLECTED, 60, (60, 100)),
    ],
)
def test_refused_offer_is_made_again_under_a_new_name(
    cause: Refusal, base: int, offer: tuple[int, int]
) -> None:
    bench = checkpointed()
    bench.advance(130, 67.0)
    bench.refuse(cause, base)
    assert bench.offer() == offer
    assert [upload.name for upload in bench.uploads] == [f"{TASK}/1", f"{TASK}/2"]


@pytest.mark.parametrize(
    ("cause", "fact"),
    [
        (Refusal.CLOSED, TaskEnded(TASK)),
        (Refusal.IMPOSTOR, TaskFailed(TASK, FailureCause.IMPOSTOR)),
        (Refusal.UNKNOWN, TaskFailed(TASK, FailureCause.PROTOCOL_BROKEN)),
        (Refusal.EXPIRED, TaskFailed(TASK, FailureCause.PROTOCOL_BROKEN)),
        (Refusal.HAVE, TaskFailed(TASK, FailureCause.PROTOCOL_BROKEN)),  # there are no blocks
    ],
)
def test_refusals_that_end_a_task(cause: Refusal, fact: object) -> None:
    bench = checkpointed()
    assert of(EndRun, bench.refuse(cause, 0)) == [EndRun(TASK)]
    assert bench.facts() == (fact, WorkRequested(1))


def test_removed_pilot_goes_at_once() -> None:
    bench = checkpointed()
    expected = [EndRun(TASK), Exit(FailureCause.PILOT_REMOVED)]
    assert bench.refuse(Refusal.REMOVED, 0) == expected
    assert bench.tell(Ticked()) == []


def test_failed_upload_is_tried_again_at_once_and_after_five_only_later() -> None:
    bench = running()
    bench.tick(60.5)
    bench.reply(at_s=61.0)
    for i in range(4):
        bench.advance(110 + i, 61.0 + i)
        bench.store(cause=FailureCause.UPLOAD_FAILED)
        assert bench.offer() == (0, 110 + i)
    assert of(Upload, bench.store(70.0, cause=FailureCause.UPLOAD_FAILED)) == []
    assert of(Upload, bench.tick(129.9)) == []
    assert of(Upload, bench.tick(130.0)) == [bench.uploads[-1]]
    assert len({upload.name for upload in bench.uploads}) == 6


def test_task_that_waits_to_try_again_has_not_ended() -> None:
    bench = running()
    bench.tick(60.5)
    bench.reply(StopTask(TASK, True), at_s=61.0)
    bench.advance(100, 61.0)
    for _ in range(5):
        bench.store(62.0, cause=FailureCause.UPLOAD_FAILED)
    assert len(bench.uploads) == 5
    assert bench.sent[-1].number == 2
    bench.tick(122.0)
    assert len(bench.uploads) == 6
    assert bench.facts() == (TaskProgressed(TASK, 100, 61_000_000),)


def test_only_failures_in_a_row_are_counted() -> None:
    bench = running()
    bench.tick(60.5)
    bench.reply(at_s=61.0)
    for base in (0, 100):
        for _ in range(4):
            assert of(Upload, bench.store(cause=FailureCause.UPLOAD_FAILED))
        bench.store()
        bench.advance(200, bench.now_s + 61.0)
        bench.accept(base)
    assert len(bench.uploads) == 10


def test_quota_is_met_once() -> None:
    bench = running()
    bench.tick(60.5)
    bench.reply(SetQuota(TASK, 90), at_s=61.0)
    bench.store(62.0)
    bench.accept(0, SetQuota(TASK, 120), at_s=63.0)
    bench.advance(120, 64.0)
    bench.store(65.0)
    bench.advance(130, 66.0)
    assert of(Upload, bench.accept(0)) == []


def test_uploads_that_nobody_ordered_are_ignored() -> None:
    bench = checkpointed()
    assert bench.store() == []


def test_failed_run_is_a_fact_and_what_it_uploads_is_still_announced() -> None:
    bench = running()
    bench.tick(60.5)
    bench.reply(at_s=61.0)
    bench.tell(RunFailed(TASK, FailureCause.APPLICATION_CRASHED, 12))
    failed = TaskFailed(TASK, FailureCause.APPLICATION_CRASHED, 12)
    assert bench.facts() == (failed, WorkRequested(1))
    bench.reply(free(8), at_s=62.0)
    bench.store(63.0)
    assert [type(fact) for fact in bench.facts()] == [PartialStored, TaskProgressed]
    bench.refuse(Refusal.ELSEWHERE, 40)
    assert len(bench.uploads) == 1
    bench.tick(200.0)
    assert bench.facts() == (TaskProgressed(8, 0, 0),)
