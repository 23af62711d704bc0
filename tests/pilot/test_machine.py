"""What the pilot's machine says, and what it does with its slots."""

from __future__ import annotations

import pytest

from manyhands.model.commands import Reply
from manyhands.model.coverage import Coverage, Span
from manyhands.model.facts import (
    ClassProven,
    MergeFailed,
    MergeStored,
    PartialStored,
    PilotLeft,
    PilotRegistered,
    TaskEnded,
    TaskFailed,
    TaskProgressed,
    WorkRequested,
)
from manyhands.model.failures import FailureCause
from manyhands.model.orders import (
    Leave,
    MergeInput,
    MergePartials,
    PartialAccepted,
    ProveClass,
    RegisterAgain,
    Stale,
)
from manyhands.pilot.signals import (
    ClassComputed,
    ComputeClass,
    EndRun,
    Exit,
    Merge,
    MergeEnded,
    ReplyReceived,
    RunFailed,
    Send,
    Started,
    StartRun,
    StopRequested,
    Ticked,
    Upload,
    WakeAt,
)
from tests.pilot.wire import TASK, Bench, checkpointed, free, of, running

FOUND = PartialStored(2, 0, 9, "2/1/x", "x", Coverage((Span(4, 0, 9),)), False, (), 10)
HOST = PilotRegistered(1, "here")
MERGE = MergePartials(4, 1, (MergeInput("a", "1"), MergeInput("b", "2")))
PROOF = ProveClass(1, 11, 100)


# ---- messages --------------------------------------------------------------------------


def test_first_message_says_who_it_is_what_it_brings_and_that_it_is_idle() -> None:
    bench = Bench(found=(FOUND,))
    actions = bench.tell(Started())
    assert bench.facts() == (HOST, FOUND, WorkRequested(1))
    assert (bench.sent[0].number, bench.sent[0].incarnation, bench.sent[0].pilot) == (1, 1, 3)
    assert [type(action) for action in actions] == [Send, WakeAt]


def test_found_partial_is_announced_until_it_is_judged() -> None:
    bench = Bench(found=(FOUND,))
    bench.start()
    bench.tick(60.5)
    assert FOUND in bench.facts()
    bench.reply(PartialAccepted(2, FOUND.name, 0))
    bench.tick(121.0)
    assert bench.facts() == (WorkRequested(1),)


def test_nothing_is_done_before_the_start() -> None:
    bench = Bench()
    assert bench.tell(Ticked()) == []
    assert bench.tell(RunFailed(1, FailureCause.APPLICATION_CRASHED)) == []


def test_idle_slot_asks_again_only_with_the_next_report() -> None:
    bench = Bench(slots=2)
    bench.start(free())
    assert of(Send, bench.tick(30.0)) == []
    bench.tick(60.5)
    assert bench.facts() == (TaskProgressed(TASK, 0, 0), WorkRequested(1))


def test_urgent_messages_do_not_keep_an_idle_slot_from_asking() -> None:
    bench = Bench(slots=2)
    bench.start(free(checkpoint_s=20.0))
    bench.advance(50, 20.5)
    bench.tick(20.5)
    bench.store(25.0)
    assert WorkRequested(1) not in bench.facts()
    bench.accept(0, at_s=26.0)
    bench.advance(90, 60.5)
    bench.tick(60.5)
    assert WorkRequested(1) in bench.facts()


def test_one_message_at_a_time_and_what_is_urgent_follows_the_reply() -> None:
    bench = running()
    bench.advance(110, 60.5)
    bench.tick(60.5)
    assert bench.sent[-1].number == 2
    assert of(Send, bench.store(60.6)) == []
    bench.reply(at_s=61.0)
    assert [message.number for message in bench.sent] == [1, 2, 3]
    assert [type(fact) for fact in bench.facts()] == [PartialStored, TaskProgressed]


@pytest.mark.parametrize("change", [(0, 0, -1), (0, 1, 0), (1, 0, 0)])
def test_replies_to_other_messages_are_ignored(change: tuple[int, int, int]) -> None:
    bench = Bench()
    bench.tell(Started())
    other = Reply(3 + change[0], 1 + change[1], 1 + change[2], (free(),), 60.0)
    assert bench.tell(ReplyReceived(other)) == []
    assert of(StartRun, bench.reply(free())) == [StartRun(free())]
    assert bench.reply(free(8)) == []  # a copy of the reply that was handled


def test_message_is_sent_again_ever_more_rarely_until_it_is_answered() -> None:
    bench = Bench()
    [wake] = of(WakeAt, bench.tell(Started()))
    waits = []
    for _ in range(12):
        waits.append(wake.time_s - bench.now_s)
        assert bench.tick(wake.time_s - 0.1) == []
        actions = bench.tick(wake.time_s)
        assert of(Send, actions) == [Send(bench.sent[0])]
        [wake] = of(WakeAt, actions)
    for i, wait_s in enumerate(waits):
        nominal_s = min(2.0 * 2**i, 300.0)
        assert 0.9 * nominal_s <= wait_s <= 1.1 * nominal_s + 0.11
    assert len({round(wait_s / min(2.0 * 2**i, 300.0), 3) for i, wait_s in enumerate(waits)}) > 5
    bench.reply(free())
    assert of(Send, bench.tick(bench.now_s + 10.0)) == []


def test_wait_for_a_reply_grows_with_the_round_trip() -> None:
    bench = Bench()
    bench.tell(Started())
    bench.reply(at_s=1.5)
    bench.tick(61.5)
    assert bench.sent[-1].round_trip_us == 0  # the master may have been about to start
    bench.reply(at_s=63.4)
    bench.tick(123.4)
    assert bench.sent[-1].round_trip_us == 1_900_000
    assert of(Send, bench.tick(123.4 + 0.89 * 5.7)) == []
    assert of(Send, bench.tick(123.4 + 1.11 * 5.7)) == [Send(bench.sent[2])]


def test_slow_line_is_learned_by_waiting_longer_for_the_next_answer() -> None:
    bench = Bench()
    bench.tell(Started())
    bench.tick(3.0)
    assert bench.sent[0] == bench.sent[1]  # said twice
    bench.reply(at_s=3.9)
    bench.tick(63.9)
    assert bench.sent[-1].round_trip_us == 0  # which of the two was answered?
    assert of(Send, bench.tick(63.9 + 0.89 * 4.0)) == []  # as long as the last one in the end
    bench.reply(at_s=67.5)
    bench.tick(127.5)
    assert bench.sent[-1].round_trip_us == 3_600_000


def test_an_outage_does_not_look_like_a_slow_line() -> None:
    bench = Bench()
    bench.tell(Started())
    bench.tick(3.0)
    bench.reply(at_s=10_000.0)
    bench.tick(10_060.0)
    assert bench.sent[-1].round_trip_us == 0


def test_early_extra_and_late_ticks_do_no_harm() -> None:
    bench = running()
    for at_s in (11.0, 11.0, 30.0):
        assert of(Send, bench.tick(at_s)) + of(Upload, bench.tick(at_s)) == []
    actions = bench.tick(500.0)
    assert len(of(Send, actions)) == len(of(Upload, actions)) == 1


def test_a_wake_is_not_ordered_while_an_earlier_one_is_pending() -> None:
    bench = Bench()
    bench.tell(Started())  # wakes at about 2 s
    assert of(WakeAt, bench.reply(free(), at_s=0.5)) == []
    assert of(WakeAt, bench.tick(2.3)) == [WakeAt(60.5)]
    assert of(WakeAt, bench.tick(3.0)) == []


def test_register_again_says_everything_again() -> None:
    bench = running()
    bench.tell(RunFailed(TASK, FailureCause.APPLICATION_CRASHED))
    failed = TaskFailed(TASK, FailureCause.APPLICATION_CRASHED)
    assert bench.facts() == (failed, WorkRequested(1))
    bench.reply(RegisterAgain())
    assert bench.facts() == (HOST, failed, WorkRequested(1))
    bench.reply(free())
    bench.tick(80.0)
    assert bench.facts() == (TaskProgressed(TASK, 0, 0),)


def test_partial_that_a_reply_does_not_judge_is_announced_again() -> None:
    bench = checkpointed()
    bench.reply(RegisterAgain())
    assert [type(one) for one in bench.facts()] == [PilotRegistered, PartialStored, TaskProgressed]


# ---- merges and proofs -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("ended", "fact"),
    [
        (MergeEnded(4, "m", "d"), MergeStored(4, "m", "d")),
        (
            MergeEnded(4, "m", "d", FailureCause.OBJECT_TORN, "a"),
            MergeFailed(4, FailureCause.OBJECT_TORN, "a"),
        ),
    ],
)
def test_merge_takes_a_slot_and_its_end_is_said(ended: MergeEnded, fact: object) -> None:
    bench = Bench()
    assert of(Merge, bench.start(MERGE, MERGE)) == [Merge(MERGE)]
    bench.tick(60.5)
    assert bench.facts() == ()
    bench.reply(at_s=61.0)
    bench.tell(ended)
    assert bench.facts() == (fact, WorkRequested(1))
    assert bench.tell(ended) == []


def test_merge_without_a_slot_fails() -> None:
    bench = Bench()
    bench.start(free(), MERGE)
    assert MergeFailed(4, FailureCause.PROTOCOL_BROKEN) in bench.facts()


def test_class_is_proven_in_a_slot_and_work_asked_for_again() -> None:
    bench = Bench()
    assert bench.start(PROOF, PROOF) == [ComputeClass(1, 11, 100)]
    bench.tell(ClassComputed(1, "abc"))
    assert bench.facts() == (ClassProven(1, "abc"), WorkRequested(1))
    assert bench.tell(ClassComputed(1, "abc")) == []


# ---- leaving ---------------------------------------------------------------------------


def test_leave_ends_everything() -> None:
    bench = running()
    bench.tick(60.5)
    actions = bench.reply(Leave(FailureCause.PILOT_REMOVED), free(8))
    assert actions == [EndRun(TASK), Exit(FailureCause.PILOT_REMOVED)]


def test_stop_request_delivers_then_says_goodbye_then_exits() -> None:
    cause = FailureCause.WALLTIME_ENDED
    bench = running()
    assert of(EndRun, bench.tell(StopRequested(cause))) == [EndRun(TASK)]
    bench.advance(101)
    bench.store(12.0)
    bench.accept(0, free(8), at_s=13.0)
    assert bench.facts() == (TaskEnded(TASK), TaskFailed(8, cause), PilotLeft(cause))
    assert bench.reply(RegisterAgain(), at_s=14.0)
    assert bench.facts() == (HOST, TaskEnded(TASK), TaskFailed(8, cause), PilotLeft(cause))
    assert bench.reply(at_s=15.0) == [Exit(cause)]


def test_stop_request_gives_merges_and_proofs_up() -> None:
    bench = Bench(slots=2)
    bench.start(MERGE, PROOF)
    cause = FailureCause.WALLTIME_ENDED
    bench.tell(StopRequested(cause))
    assert bench.facts() == (MergeFailed(4, cause), PilotLeft(cause))
    assert bench.tell(MergeEnded(4, "m", "d")) == []


def test_stop_request_before_the_start_or_twice() -> None:
    cause = FailureCause.WALLTIME_ENDED
    assert Bench().tell(StopRequested(cause)) == [Exit(cause)]
    bench = running()
    bench.tell(StopRequested(cause))
    assert bench.tell(StopRequested(cause)) == []


def test_replaced_pilot_delivers_what_is_under_way_then_exits() -> None:
    bench = running()
    bench.tick(60.5)
    assert of(EndRun, bench.reply(Stale(), at_s=61.0)) == [EndRun(TASK)]
    bench.store(66.0)
    assert [type(fact) for fact in bench.facts()] == [PartialStored]
    actions = bench.reply(Stale(), PartialAccepted(TASK, bench.stored().name, 0))
    assert actions == [Exit(FailureCause.PILOT_REPLACED)]


def test_replaced_pilot_with_nothing_to_deliver_exits_at_once() -> None:
    bench = Bench()
    assert bench.start(Stale()) == [Exit(FailureCause.PILOT_REPLACED)]


def test_replaced_pilot_does_not_wait_for_ever_for_a_verdict() -> None:
    bench = checkpointed()
    exits = []
    for i in range(3):
        exits = of(Exit, bench.reply(Stale(), at_s=100.0 + 70.0 * i))
        bench.tick(165.0 + 70.0 * i)
    assert exits == [Exit(FailureCause.PILOT_REPLACED)]
