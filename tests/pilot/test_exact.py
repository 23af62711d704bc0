"""Exact mode: blocks from leases, increments of one segment, and blocks that others have."""

from __future__ import annotations

from manyhands.model.coverage import BLOCK_LINE, Coverage, Span
from manyhands.model.facts import LeaseCut, TaskEnded, TaskProgressed, WorkRequested
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.orders import CutLease, ExtendLease, Lease, SetQuota, StopTask
from manyhands.pilot.signals import (
    EndRun,
    ExtendRun,
    Send,
    StartRun,
    TrimRun,
    Upload,
    WatchPosition,
)
from tests.pilot.wire import TASK, Bench, exact, of


def blocks(*spans: tuple[int, int]) -> Coverage:
    """Whole blocks."""
    return Coverage(tuple(Span(BLOCK_LINE, start, end) for start, end in spans))


def working(*leases: Lease) -> Bench:
    """A machine whose task did ten blocks in ten seconds, and offers the first at 60 s."""
    bench = Bench()
    bench.start(exact(*leases))
    bench.advance(10, 10.0)
    return bench


def test_offer_holds_the_leased_blocks_in_their_order() -> None:
    bench = working(Lease(40, 46), Lease(10, 30))
    bench.tick(60.5)
    assert bench.uploads == [Upload(TASK, 0, 10, f"{TASK}/1", blocks((10, 14), (40, 46)))]


def test_rate_is_learned_from_the_first_block() -> None:
    bench = Bench()
    order = exact(Lease(0, 100))
    assert bench.start(order) == [StartRun(order), WatchPosition(TASK, 1)]
    assert bench.advance(1, 1.5) == [WatchPosition(TASK, 96)]  # 6 s are 4 blocks


def test_more_is_asked_for_before_the_leases_end_and_when_they_have_ended() -> None:
    bench = Bench()
    bench.start(exact(Lease(0, 30)))
    bench.advance(1, 1.0)
    assert bench.advance(23, 23.0) == []
    assert of(Send, bench.advance(24, 24.0))
    assert bench.facts() == (TaskProgressed(TASK, 24, 24_000_000),)
    assert of(Send, bench.reply(at_s=24.5)) == []
    assert of(Send, bench.advance(29, 29.0)) == []
    assert of(Send, bench.advance(30, 30.0))
    assert of(Send, bench.reply(at_s=30.5)) == []
    bench.tick(90.5)
    more = (Lease(70, 90),)
    assert ExtendRun(TASK, more) in bench.reply(ExtendLease(TASK, more, False), at_s=91.0)
    assert of(Send, bench.advance(48, 109.0))


def test_nothing_is_asked_for_behind_the_last_lease_and_its_end_ends_the_task() -> None:
    bench = working(Lease(0, 20))
    bench.tick(60.5)
    bench.reply(ExtendLease(TASK, (), True), at_s=61.0)
    assert of(Send, bench.advance(19, 62.0)) == []
    bench.store(63.0)
    bench.accept(0, at_s=64.0)
    assert of(EndRun, bench.advance(20, 65.0)) == [EndRun(TASK)]
    assert bench.offer() == (0, 20)
    bench.store(66.0)
    bench.accept(0, at_s=67.0)
    assert bench.facts() == (TaskEnded(TASK), WorkRequested(1))


def test_last_word_to_a_run_that_waits_for_blocks_ends_it_at_once() -> None:
    bench = working(Lease(0, 10))
    bench.reply(at_s=11.0)
    bench.tick(71.0)
    bench.store(72.0)
    bench.reply(at_s=72.5)
    assert EndRun(TASK) in bench.accept(0, ExtendLease(TASK, (), True), at_s=73.0)
    assert bench.facts() == (TaskEnded(TASK), WorkRequested(1))


def test_cut_keeps_the_block_in_hand_and_some_more() -> None:
    bench = working(Lease(0, 15), Lease(20, 40))
    bench.tick(60.5)
    actions = bench.reply(CutLease(TASK, 6), at_s=61.0)
    assert of(TrimRun, actions) == [TrimRun(TASK, (Lease(11, 15), Lease(20, 22)))]
    assert bench.facts()[0] == LeaseCut(TASK, ((22, 40),))
    bench.reply(CutLease(TASK, 0), at_s=62.0)
    assert bench.facts()[0] == LeaseCut(TASK, ((11, 15), (20, 22)))
    bench.reply(CutLease(TASK, 3), at_s=63.0)
    assert bench.facts()[0] == LeaseCut(TASK, ())


def test_finished_segments_are_offered_whole_and_one_after_another() -> None:
    bench = Bench()
    bench.start(exact(Lease(0, 4), Lease(4, 7, 1), Lease(9, 30, 2)))
    bench.advance(1, 1.0)
    bench.advance(9, 9.0)
    finals = []
    bench.reply(at_s=9.5)
    for base in (4, 7):
        bench.store(bench.now_s + 1.0)
        fact = bench.stored()
        finals.append((fact.start, fact.end, fact.final, fact.coverage))
        bench.accept(base, at_s=bench.now_s + 1.0)
    assert finals == [(0, 4, True, blocks((0, 4))), (4, 7, True, blocks((4, 7)))]
    assert len(bench.uploads) == 2
    bench.tick(80.0)
    assert bench.offer() == (7, 9)


def test_segment_behind_one_that_was_accepted_whole_starts_at_its_own_start() -> None:
    bench = working(Lease(0, 10))
    bench.reply(at_s=11.0)
    bench.tick(71.0)
    bench.store(72.0)
    bench.reply(at_s=72.5)
    bench.accept(0, ExtendLease(TASK, (Lease(10, 40, 1),), False), at_s=73.0)
    bench.advance(15, 78.0)
    bench.tick(140.0)
    assert bench.offer() == (10, 15)
    bench.store(141.0)
    bench.reply()
    assert bench.stored().final


def test_blocks_that_others_have_are_dropped_and_the_rest_moves_up() -> None:
    bench = working(Lease(0, 90))
    bench.tick(60.5)
    bench.reply(at_s=61.0)
    bench.store(62.0)
    bench.accept(0, at_s=63.0)
    bench.advance(30, 120.5)
    bench.tick(120.5)
    bench.reply(at_s=121.0)
    assert bench.offer() == (0, 30)
    bench.advance(34, 124.0)
    bench.store(124.0)
    assert TaskProgressed(TASK, 34, 124_000_000) in bench.facts()
    bench.refuse(Refusal.HAVE, 0, at_s=125.0)
    bench.advance(40, 186.0)
    bench.tick(186.0)
    assert TaskProgressed(TASK, 20, 186_000_000) in bench.facts()
    assert bench.uploads[-1].coverage == blocks((0, 10), (30, 40))
    assert bench.offer() == (0, 20)


def test_final_increment_that_others_have_is_dropped_alone() -> None:
    bench = Bench()
    bench.start(exact(Lease(0, 4), Lease(4, 30, 1)))
    bench.advance(1, 1.0)
    bench.advance(9, 9.0)
    bench.store(10.0)
    bench.refuse(Refusal.HAVE, 0, at_s=11.0)
    bench.tick(80.0)
    assert bench.offer() == (0, 5)
    assert bench.uploads[-1].coverage == blocks((4, 9))


def test_segment_is_finished_when_its_last_block_is() -> None:
    bench = Bench()
    bench.start(exact(Lease(0, 4), Lease(4, 30, 1)))
    assert of(Upload, bench.advance(3, 3.0)) == []
    bench.advance(4, 4.0)
    assert bench.offer() == (0, 4)
    bench.store(5.0)
    assert bench.stored().final


def test_collected_range_is_offered_again_as_it_was_though_its_segment_ended() -> None:
    bench = working(Lease(0, 12), Lease(12, 90, 1))
    bench.tick(60.5)
    bench.reply(at_s=61.0)
    bench.store(62.0)
    bench.advance(14, 63.0)
    bench.refuse(Refusal.COLLECTED, 0)
    assert bench.offer() == (0, 10)
    bench.store(64.0)
    assert not bench.stored().final
    bench.accept(0, at_s=65.0)
    assert bench.offer() == (0, 12)
    bench.store(66.0)
    assert bench.stored().final


def test_quota_counts_without_dropped_blocks() -> None:
    bench = working(Lease(0, 90))
    bench.tick(60.5)
    bench.reply(at_s=61.0)
    bench.store(62.0)
    bench.refuse(Refusal.HAVE, 0, at_s=63.0)
    bench.tick(123.0)
    assert WatchPosition(TASK, 18) in bench.reply(SetQuota(TASK, 8), at_s=123.5)
    bench.advance(18, 124.0)
    assert bench.offer() == (0, 8)


def test_more_is_asked_for_after_the_reply_if_a_message_was_outstanding() -> None:
    bench = Bench()
    bench.start(exact(Lease(0, 70)))
    bench.advance(1, 1.0)
    bench.advance(58, 60.5)
    bench.tick(60.5)
    assert of(Send, bench.advance(66, 66.5)) == []
    bench.reply(at_s=66.6)
    assert bench.facts() == (TaskProgressed(TASK, 66, 66_500_000),)
    assert bench.sent[-1].number == 3


def test_failed_upload_of_a_final_increment_does_not_swallow_the_next() -> None:
    bench = Bench()
    bench.start(exact(Lease(0, 4), Lease(4, 30, 1)))
    bench.advance(1, 1.0)
    bench.advance(9, 9.0)
    bench.store(10.0, cause=FailureCause.UPLOAD_FAILED)
    assert [(one.start, one.end) for one in bench.uploads] == [(0, 4), (0, 4)]


def test_extension_of_a_task_that_ends_is_not_taken() -> None:
    bench = working(Lease(0, 30))
    bench.tick(60.5)
    actions = bench.reply(StopTask(TASK, True), ExtendLease(TASK, (Lease(30, 40),), False))
    assert of(EndRun, actions) == [EndRun(TASK)]
    assert of(ExtendRun, actions) == []
