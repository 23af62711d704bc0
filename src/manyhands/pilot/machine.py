"""What a pilot does next: signals from its shell in, actions for its shell out.

It keeps its slots at work, says what became of it in one message at a time, and keeps everything
that was simulated until the master has judged it. It knows no clock, no file and no network.
"""

from __future__ import annotations

from math import inf
from typing import Any, Callable, Dict, List, Optional, Tuple

from manyhands.model.facts import (
    ClassProven,
    Fact,
    LeaseCut,
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
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.orders import (
    CutLease,
    ExtendLease,
    Leave,
    MergePartials,
    MergeVerdict,
    PartialAccepted,
    PartialRefused,
    ProveClass,
    RegisterAgain,
    SetQuota,
    Stale,
    StartTask,
    StopTask,
)
from manyhands.pilot.exchange import Exchange
from manyhands.pilot.signals import (
    Action,
    Advanced,
    ClassComputed,
    ComputeClass,
    EndRun,
    Exit,
    ExtendRun,
    Merge,
    MergeEnded,
    ReplyReceived,
    RunFailed,
    Send,
    Signal,
    Started,
    StartRun,
    StopRequested,
    Ticked,
    TrimRun,
    UploadEnded,
    WakeAt,
    WatchPosition,
)
from manyhands.pilot.work import NEVER, RUNNING, STOPPED, STOPPING, Work

EARLY_TICK_S = 0.001
STALE_REPLIES_MAX = 3
_GOES_ON = (Refusal.ELSEWHERE, Refusal.COLLECTED, Refusal.HAVE)


class PilotMachine:
    """One incarnation of a pilot."""

    def __init__(
        self,
        pilot: int,
        incarnation: int,
        slots: int,
        site: str = "",
        found: Tuple[PartialStored, ...] = (),
    ) -> None:
        self._exchange = Exchange(pilot, incarnation)
        self._registration = PilotRegistered(slots, site)
        self._slots = slots
        self._found = {partial.name: partial for partial in found}
        self._works: Dict[int, Work] = {}  # each in a slot
        self._ghosts: Dict[int, Work] = {}  # in no slot: only what was stored is still delivered
        self._merges: Dict[int, MergePartials] = {}
        self._classes: Dict[int, ProveClass] = {}
        self._facts: List[Fact] = []  # for the next message
        self._out: List[Action] = []
        self._started = False
        self._register = False
        self._urgent = False
        self._report_s = inf
        self._ask_s = inf  # when idle slots ask for work
        self._wake_s = inf  # the earliest tick that was ordered and did not come yet
        self._uploads = 0
        self._leaving: Optional[FailureCause] = None
        self._stale_replies = 0
        self._exited = False
        self._doors: Dict[type, Callable[[float, Any], None]] = {
            Started: self._start,
            Advanced: self._advance,
            RunFailed: self._run_failed,
            ReplyReceived: self._reply,
            UploadEnded: self._upload_ended,
            MergeEnded: self._merge_ended,
            ClassComputed: self._class_computed,
            Ticked: self._tick,
            StopRequested: self._stop,
        }
        self._orders: Dict[type, Callable[[float, Any], None]] = {
            StartTask: self._start_task,
            SetQuota: self._set_quota,
            ExtendLease: self._extend_lease,
            CutLease: self._cut_lease,
            StopTask: self._stop_task,
            PartialAccepted: self._accepted,
            PartialRefused: self._refused,
            MergePartials: self._merge,
            MergeVerdict: self._ignore,
            ProveClass: self._prove_class,
            RegisterAgain: self._register_again,
            Stale: self._stale,
            Leave: self._leave,
        }

    def handle(self, now_s: float, signal: Signal) -> List[Action]:
        """The one door: what to do now that this has happened."""
        if self._exited:
            return []
        kind = type(signal)
        if kind is Advanced:
            work = self._works.get(signal.task)  # type: ignore[union-attr]
            if work is None or not work.advance(
                signal.position, signal.busy_us  # type: ignore[union-attr]
            ):
                return []  # the path of most signals
        elif not (self._started or kind is Started or kind is StopRequested):
            return []
        out: List[Action] = []
        self._out = out
        self._doors[kind](now_s, signal)
        if not self._exited:
            self._settle(now_s)
        return out

    # ---- signals -----------------------------------------------------------------------

    def _start(self, now_s: float, signal: Started) -> None:
        if not self._started:
            self._started = True
            self._register = self._urgent = True
            self._ask_s = now_s

    def _advance(self, now_s: float, signal: Advanced) -> None:
        self._look(now_s, self._works[signal.task])

    def _run_failed(self, now_s: float, signal: RunFailed) -> None:
        work = self._works.get(signal.task)
        if work is not None:
            self._fail(now_s, work, signal.cause, signal.block)

    def _upload_ended(self, now_s: float, signal: UploadEnded) -> None:
        work = self._works.get(signal.task)
        if work is not None:
            if work.end_upload(now_s, signal):
                self._urgent = True
            else:
                self._look(now_s, work)
            return
        ghost = self._ghosts.get(signal.task)
        if ghost is not None:
            if ghost.end_upload(now_s, signal):
                self._urgent = True
            self._forget_if_delivered(ghost)

    def _merge_ended(self, now_s: float, signal: MergeEnded) -> None:
        if self._merges.pop(signal.claim, None) is None:
            return
        if signal.cause is None:
            self._tell(MergeStored(signal.claim, signal.name, signal.digest))
        else:
            self._tell(MergeFailed(signal.claim, signal.cause, signal.failed_input))
        self._ask_s = now_s

    def _class_computed(self, now_s: float, signal: ClassComputed) -> None:
        if self._classes.pop(signal.campaign, None) is not None:
            self._tell(ClassProven(signal.campaign, signal.digest))
            self._ask_s = now_s

    def _tick(self, now_s: float, signal: Ticked) -> None:
        if now_s >= self._wake_s - EARLY_TICK_S:
            self._wake_s = inf
        for work in list(self._works.values()):
            if now_s >= work.due_s():
                self._look(now_s, work)
        if now_s >= self._exchange.resend_s:
            self._out.append(Send(self._exchange.repeat(now_s)))

    def _stop(self, now_s: float, signal: StopRequested) -> None:
        if self._leaving is not None:
            return
        if not self._started:
            self._exit(signal.cause)
            return
        self._leaving = signal.cause
        for claim in self._merges:
            self._tell(MergeFailed(claim, signal.cause))
        self._merges.clear()
        self._classes.clear()
        for work in list(self._works.values()):
            self._end(now_s, work)
        self._say_goodbye()

    def _reply(self, now_s: float, signal: ReplyReceived) -> None:
        reply = signal.reply
        message = self._exchange.close(now_s, reply)
        if message is None:
            return
        facts = message.facts
        self._report_s = now_s + reply.report_in_s
        orders = self._orders
        for order in reply.orders:
            orders[type(order)](now_s, order)
            if self._exited:
                return
        if self._register:
            self._say_again(facts)
        self._ask_s = min(self._ask_s, self._report_s)
        for work in list(self._works.values()):
            if work.blocks is not None:
                self._look(now_s, work)
        if self._leaving is not None:
            self._depart(facts)

    # ---- orders ------------------------------------------------------------------------

    def _ignore(self, now_s: float, order: MergeVerdict) -> None:
        pass

    def _start_task(self, now_s: float, order: StartTask) -> None:
        if order.task in self._works:
            return
        if not self._idle():
            self._tell(TaskFailed(order.task, self._leaving or FailureCause.PROTOCOL_BROKEN))
            return
        work = Work(order, now_s)
        self._works[order.task] = work
        self._out.append(StartRun(order))
        self._look(now_s, work)

    def _set_quota(self, now_s: float, order: SetQuota) -> None:
        work = self._works.get(order.task)
        if work is not None:
            work.set_quota(order.position)
            self._look(now_s, work)

    def _extend_lease(self, now_s: float, order: ExtendLease) -> None:
        work = self._works.get(order.task)
        if work is not None and work.blocks is not None and work.state == RUNNING:
            work.extend(order)
            if order.leases:
                self._out.append(ExtendRun(order.task, order.leases))
            self._look(now_s, work)

    def _cut_lease(self, now_s: float, order: CutLease) -> None:
        work = self._works.get(order.task)
        if work is not None and work.blocks is not None and work.state == RUNNING:
            leases, given = work.blocks.cut(order.keep)
            if given:
                self._out.append(TrimRun(order.task, leases))
            self._tell(LeaseCut(order.task, given))
            self._look(now_s, work)

    def _stop_task(self, now_s: float, order: StopTask) -> None:
        work = self._works.get(order.task)
        if work is None:
            return
        if order.keep:
            self._end(now_s, work)
        else:
            self._abandon(now_s, work)

    def _accepted(self, now_s: float, order: PartialAccepted) -> None:
        self._found.pop(order.name, None)
        work = self._works.get(order.task)
        if work is not None:
            work.accept(order.name, order.base)
            self._look(now_s, work)
            return
        self._judged(order.task, order.name)

    def _refused(self, now_s: float, order: PartialRefused) -> None:
        self._found.pop(order.name, None)
        cause = order.cause
        if cause is Refusal.REMOVED:
            self._leave(now_s, Leave(FailureCause.PILOT_REMOVED))
            return
        work = self._works.get(order.task)
        if work is None:
            self._judged(order.task, order.name)
            return
        if work.stored is None or work.stored.name != order.name:
            return
        if cause in _GOES_ON and (work.blocks is not None or cause is not Refusal.HAVE):
            work.refuse(now_s, order)
            self._look(now_s, work)
            return
        work.stored = None
        if cause is Refusal.CLOSED:
            self._abandon(now_s, work)
        elif cause is Refusal.IMPOSTOR:
            self._end_run(work)
            self._fail(now_s, work, FailureCause.IMPOSTOR)
        else:
            self._end_run(work)
            self._fail(now_s, work, FailureCause.PROTOCOL_BROKEN)

    def _merge(self, now_s: float, order: MergePartials) -> None:
        if order.claim in self._merges:
            return
        if not self._idle():
            cause = self._leaving or FailureCause.PROTOCOL_BROKEN
            self._tell(MergeFailed(order.claim, cause))
            return
        self._merges[order.claim] = order
        self._out.append(Merge(order))

    def _prove_class(self, now_s: float, order: ProveClass) -> None:
        if order.campaign not in self._classes and self._idle():
            self._classes[order.campaign] = order
            self._out.append(ComputeClass(order.campaign, order.seed, order.block_samples))

    def _register_again(self, now_s: float, order: RegisterAgain) -> None:
        self._register = self._urgent = True
        self._ask_s = now_s

    def _stale(self, now_s: float, order: Stale) -> None:
        self._leaving = FailureCause.PILOT_REPLACED
        self._stale_replies += 1
        self._facts.clear()
        self._merges.clear()
        self._classes.clear()
        for work in list(self._works.values()):
            self._end_run(work)
            self._release(now_s, work)

    def _leave(self, now_s: float, order: Leave) -> None:
        for work in self._works.values():
            self._end_run(work)
        self._exit(order.cause)

    # ---- tasks -------------------------------------------------------------------------

    def _look(self, now_s: float, work: Work) -> None:
        """Do what a task wants now, if anything."""
        if work.state == RUNNING and work.finished:
            self._end(now_s, work)
            return
        if work.wants_upload(now_s):
            self._uploads += 1
            self._out.append(work.begin_upload(now_s, self._uploads))
        elif work.delivered:
            self._tell(TaskEnded(work.order.task))
            self._release(now_s, work)
            return
        if work.state == RUNNING:
            self._watch(now_s, work)

    def _watch(self, now_s: float, work: Work) -> None:
        round_trip_s = self._exchange.round_trip_s
        if work.runs_low(round_trip_s):
            self._report_s = now_s
        position = work.next_watch(round_trip_s)
        if position != work.watch:
            work.watch = position
            if position < NEVER:
                self._out.append(WatchPosition(work.order.task, position))

    def _end(self, now_s: float, work: Work) -> None:
        """Stop a run, but deliver what it holds before the slot is free."""
        if work.state != RUNNING:
            return
        at_rest = work.at_rest
        if not at_rest or work.blocks is not None:
            self._out.append(EndRun(work.order.task))
        work.state = STOPPED if at_rest else STOPPING
        self._look(now_s, work)

    def _end_run(self, work: Work) -> None:
        if work.state == RUNNING:
            work.state = STOPPING
            self._out.append(EndRun(work.order.task))

    def _abandon(self, now_s: float, work: Work) -> None:
        self._end_run(work)
        work.upload = work.stored = None
        self._tell(TaskEnded(work.order.task))
        self._release(now_s, work)

    def _fail(
        self, now_s: float, work: Work, cause: FailureCause, block: Optional[int] = None
    ) -> None:
        self._tell(TaskFailed(work.order.task, cause, block))
        self._release(now_s, work)

    def _release(self, now_s: float, work: Work) -> None:
        """Its slot is free; what was stored of it still waits for its verdict."""
        task = work.order.task
        del self._works[task]
        if work.delivering:
            self._ghosts[task] = work
        self._ask_s = now_s
        self._say_goodbye()

    def _judged(self, task: int, name: str) -> None:
        ghost = self._ghosts.get(task)
        if ghost is not None and ghost.stored is not None and ghost.stored.name == name:
            ghost.stored = None
            self._forget_if_delivered(ghost)

    def _forget_if_delivered(self, ghost: Work) -> None:
        if not ghost.delivering:
            del self._ghosts[ghost.order.task]
            self._say_goodbye()

    def _idle(self) -> int:
        """How many slots have nothing to do, and may be given something."""
        if self._leaving is not None:
            return 0
        return self._slots - len(self._works) - len(self._merges) - len(self._classes)

    # ---- messages ----------------------------------------------------------------------

    def _tell(self, fact: Fact) -> None:
        self._facts.append(fact)
        self._urgent = True

    def _settle(self, now_s: float) -> None:
        """Send a message if it is time for one, and see to it that the next tick comes."""
        exchange = self._exchange
        if exchange.outstanding is None:
            due_s = self._message_due_s()
            if self._urgent or now_s >= due_s:
                self._out.append(Send(exchange.open(now_s, self._compose(now_s))))
        due_s = self._message_due_s() if exchange.outstanding is None else exchange.resend_s
        for work in self._works.values():
            due_s = min(due_s, work.due_s())
        if due_s < self._wake_s:
            self._wake_s = due_s
            self._out.append(WakeAt(due_s))

    def _message_due_s(self) -> float:
        return min(self._report_s, self._ask_s) if self._idle() else self._report_s

    def _compose(self, now_s: float) -> Tuple[Fact, ...]:
        facts: List[Fact] = []
        if self._register:
            facts.append(self._registration)
            facts.extend(self._found.values())
        for ghost in self._ghosts.values():
            if ghost.stored is not None:
                facts.append(ghost.stored)
        for work in self._works.values():
            if work.stored is not None:
                facts.append(work.stored)
        facts += self._facts
        for work in self._works.values():
            facts.append(TaskProgressed(work.order.task, work.position, work.busy_us))
            work.mark()
            work.asked = work.asked or work.runs_low(self._exchange.round_trip_s)
        idle = self._idle()
        if idle and now_s >= self._ask_s:
            facts.append(WorkRequested(idle))
            self._ask_s = inf
        self._facts.clear()
        self._register = self._urgent = False
        return tuple(facts)

    def _say_again(self, facts: Tuple[Fact, ...]) -> None:
        """The master lost what this message said; partials are said until they are judged."""
        said = (PilotRegistered, PartialStored, TaskProgressed, WorkRequested)
        self._facts[:0] = [fact for fact in facts if not isinstance(fact, said)]

    # ---- leaving -----------------------------------------------------------------------

    def _say_goodbye(self) -> None:
        """Once, when all is delivered; the shell may go after the reply."""
        if self._leaving is None or self._works or self._ghosts or self._stale_replies:
            return
        self._tell(PilotLeft(self._leaving))

    def _depart(self, facts: Tuple[Fact, ...]) -> None:
        assert self._leaving is not None
        if self._stale_replies:
            waiting = any(ghost.upload is not None for ghost in self._ghosts.values())
            if not self._ghosts or (self._stale_replies >= STALE_REPLIES_MAX and not waiting):
                self._exit(self._leaving)
        elif not self._register and any(isinstance(fact, PilotLeft) for fact in facts):
            self._exit(self._leaving)

    def _exit(self, cause: FailureCause) -> None:
        self._exited = True
        self._out.append(Exit(cause))
