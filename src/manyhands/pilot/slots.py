"""What goes on in a pilot's slots: tasks, merges and proofs, and what was stored of them.

Orders come in by the methods that are named after them, signals by `run_advanced` and the like.
What the shell is to do is appended to `out`, what the master is to know to `facts`.
"""

from __future__ import annotations

from math import inf
from typing import Dict, List, Optional, Tuple

from manyhands.model.facts import (
    ClassProven,
    Fact,
    LeaseCut,
    MergeFailed,
    MergeStored,
    PartialStored,
    TaskEnded,
    TaskFailed,
)
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.orders import (
    CutLease,
    ExtendLease,
    Leave,
    MergePartials,
    PartialAccepted,
    PartialRefused,
    ProveClass,
    SetQuota,
    StartTask,
    StopTask,
)
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
    RunFailed,
    StartRun,
    TrimRun,
    UploadEnded,
    WatchPosition,
)
from manyhands.pilot.work import NEVER, RUNNING, STOPPED, STOPPING, Work

_GOES_ON = (Refusal.ELSEWHERE, Refusal.COLLECTED, Refusal.HAVE)


class Slots:
    """Every piece of work, in a slot or only waiting for the verdict on what it stored."""

    def __init__(self, count: int, found: Tuple[PartialStored, ...]) -> None:
        self.count = count
        self.works: Dict[int, Work] = {}  # each in a slot
        self.ghosts: Dict[int, Work] = {}  # in no slot: only what was stored is still delivered
        self.found = {partial.name: partial for partial in found}  # by an earlier incarnation
        self.merges: Dict[int, MergePartials] = {}
        self.classes: Dict[int, ProveClass] = {}
        self.out: List[Action] = []
        self.facts: List[Fact] = []
        self.urgent = False  # there is something to say at once
        self.ask_s = inf  # when idle slots ask for work
        self.report_s = inf  # when to say something though nothing is urgent
        self.round_trip_s = 0.0
        self.uploads = 0
        self.leaving: Optional[FailureCause] = None
        self.exited = False

    @property
    def idle(self) -> int:
        """How many slots have nothing to do and may be given something."""
        if self.leaving is not None:
            return 0
        return self.count - len(self.works) - len(self.merges) - len(self.classes)

    @property
    def uploading(self) -> bool:
        """Whether something is being stored that has no slot any more."""
        return any(ghost.upload is not None for ghost in self.ghosts.values())

    def tell(self, fact: Fact) -> None:
        """Say this in the next message, and that soon."""
        self.facts.append(fact)
        self.urgent = True

    def exit(self, cause: FailureCause) -> None:
        """The last action of all."""
        self.exited = True
        self.out.append(Exit(cause))

    # ---- signals -----------------------------------------------------------------------

    def run_advanced(self, now_s: float, signal: Advanced) -> None:
        """A run reached a position at which there may be something to do."""
        self.look(now_s, self.works[signal.task])

    def run_failed(self, now_s: float, signal: RunFailed) -> None:
        """Its application broke off; an upload that began goes on."""
        work = self.works.get(signal.task)
        if work is not None:
            self._fail(now_s, work, signal.cause, signal.block)

    def upload_ended(self, now_s: float, signal: UploadEnded) -> None:
        """There is a partial to announce, or an upload to try again."""
        work = self.works.get(signal.task)
        if work is not None:
            if work.end_upload(now_s, signal):
                self.urgent = True
            else:
                self.look(now_s, work)
            return
        ghost = self.ghosts.get(signal.task)
        if ghost is not None:
            if ghost.end_upload(now_s, signal):
                self.urgent = True
            self._forget_if_delivered(ghost)

    def merge_ended(self, now_s: float, signal: MergeEnded) -> None:
        """There is a merged object to announce, or not."""
        if self.merges.pop(signal.claim, None) is None:
            return
        if signal.cause is None:
            self.tell(MergeStored(signal.claim, signal.name, signal.digest))
        else:
            self.tell(MergeFailed(signal.claim, signal.cause, signal.failed_input))
        self.ask_s = now_s

    def class_computed(self, now_s: float, signal: ClassComputed) -> None:
        """The digest of block 0 is known."""
        if self.classes.pop(signal.campaign, None) is not None:
            self.tell(ClassProven(signal.campaign, signal.digest))
            self.ask_s = now_s

    def tick(self, now_s: float) -> None:
        """Look at every task whose time has come."""
        for work in list(self.works.values()):
            if now_s >= work.due_s():
                self.look(now_s, work)

    def stop(self, now_s: float, cause: FailureCause) -> None:
        """Take nothing more, deliver what is held, drop the rest."""
        self.leaving = cause
        for claim in self.merges:
            self.tell(MergeFailed(claim, cause))
        self.merges.clear()
        self.classes.clear()
        for work in list(self.works.values()):
            self.end(now_s, work)

    def look_for_leases(self, now_s: float) -> None:
        """Look at every task that may be short of blocks."""
        for work in list(self.works.values()):
            if work.blocks is not None:
                self.look(now_s, work)

    def message_due_s(self) -> float:
        """When to say something though nothing is urgent."""
        return min(self.report_s, self.ask_s) if self.idle else self.report_s

    # ---- orders ------------------------------------------------------------------------

    def start_task(self, now_s: float, order: StartTask) -> None:
        """A new task, if it has a slot."""
        if order.task in self.works:
            return
        if not self.idle:
            self.tell(TaskFailed(order.task, self.leaving or FailureCause.PROTOCOL_BROKEN))
            return
        work = Work(order, now_s)
        self.works[order.task] = work
        self.out.append(StartRun(order))
        self.look(now_s, work)

    def set_quota(self, now_s: float, order: SetQuota) -> None:
        """A new quota."""
        work = self.works.get(order.task)
        if work is not None:
            work.set_quota(order.position)
            self.look(now_s, work)

    def extend_lease(self, now_s: float, order: ExtendLease) -> None:
        """More blocks."""
        work = self.works.get(order.task)
        if work is not None and work.blocks is not None and work.state == RUNNING:
            work.extend(order)
            if order.leases:
                self.out.append(ExtendRun(order.task, order.leases))
            self.look(now_s, work)

    def cut_lease(self, now_s: float, order: CutLease) -> None:
        """Fewer blocks."""
        work = self.works.get(order.task)
        if work is not None and work.blocks is not None and work.state == RUNNING:
            leases, given = work.blocks.cut(order.keep)
            if given:
                self.out.append(TrimRun(order.task, leases))
            self.tell(LeaseCut(order.task, given))
            self.look(now_s, work)

    def stop_task(self, now_s: float, order: StopTask) -> None:
        """Enough of a task."""
        work = self.works.get(order.task)
        if work is None:
            return
        if order.keep:
            self.end(now_s, work)
        else:
            self._abandon(now_s, work)

    def partial_accepted(self, now_s: float, order: PartialAccepted) -> None:
        """A partial was counted."""
        self.found.pop(order.name, None)
        work = self.works.get(order.task)
        if work is not None:
            work.accept(order.name, order.base)
            self.look(now_s, work)
            return
        self._judged(order.task, order.name)

    def partial_refused(self, now_s: float, order: PartialRefused) -> None:
        """A partial was not counted."""
        self.found.pop(order.name, None)
        cause = order.cause
        if cause is Refusal.REMOVED:
            self.leave(now_s, Leave(FailureCause.PILOT_REMOVED))
            return
        work = self.works.get(order.task)
        if work is None:
            self._judged(order.task, order.name)
            return
        if work.stored is None or work.stored.name != order.name:
            return
        if cause in _GOES_ON and (work.blocks is not None or cause is not Refusal.HAVE):
            work.refuse(now_s, order)
            self.look(now_s, work)
            return
        work.stored = None
        if cause is Refusal.CLOSED:
            self._abandon(now_s, work)
        elif cause is Refusal.IMPOSTOR:
            self.end_run(work)
            self._fail(now_s, work, FailureCause.IMPOSTOR)
        else:
            self.end_run(work)
            self._fail(now_s, work, FailureCause.PROTOCOL_BROKEN)

    def merge_partials(self, now_s: float, order: MergePartials) -> None:
        """Objects to merge."""
        if order.claim in self.merges:
            return
        if not self.idle:
            cause = self.leaving or FailureCause.PROTOCOL_BROKEN
            self.tell(MergeFailed(order.claim, cause))
            return
        self.merges[order.claim] = order
        self.out.append(Merge(order))

    def prove_class(self, now_s: float, order: ProveClass) -> None:
        """A campaign whose block 0 is to be computed."""
        if order.campaign not in self.classes and self.idle:
            self.classes[order.campaign] = order
            self.out.append(ComputeClass(order.campaign, order.seed, order.block_samples))

    def leave(self, now_s: float, order: Leave) -> None:
        """Drop everything."""
        for work in self.works.values():
            self.end_run(work)
        self.exit(order.cause)

    def stand_down(self, now_s: float) -> None:
        """Another incarnation took over: only what is stored is still delivered."""
        self.leaving = FailureCause.PILOT_REPLACED
        self.facts.clear()
        self.merges.clear()
        self.classes.clear()
        for work in list(self.works.values()):
            self.end_run(work)
            self._release(now_s, work)

    # ---- tasks -------------------------------------------------------------------------

    def look(self, now_s: float, work: Work) -> None:
        """Do what a task wants now, if anything."""
        if work.state == RUNNING and work.finished:
            self.end(now_s, work)
            return
        if work.wants_upload(now_s):
            self.uploads += 1
            self.out.append(work.begin_upload(now_s, self.uploads))
        elif work.delivered:
            self.tell(TaskEnded(work.order.task))
            self._release(now_s, work)
            return
        if work.state == RUNNING:
            self._watch(now_s, work)

    def _watch(self, now_s: float, work: Work) -> None:
        round_trip_s = self.round_trip_s
        if work.runs_low(round_trip_s):
            self.report_s = now_s
        position = work.next_watch(round_trip_s)
        if position != work.watch:
            work.watch = position
            if position < NEVER:
                self.out.append(WatchPosition(work.order.task, position))

    def end(self, now_s: float, work: Work) -> None:
        """Stop a run, but deliver what it holds before the slot is free."""
        if work.state != RUNNING:
            return
        at_rest = work.at_rest
        if not at_rest or work.blocks is not None:
            self.out.append(EndRun(work.order.task))
        work.state = STOPPED if at_rest else STOPPING
        self.look(now_s, work)

    def end_run(self, work: Work) -> None:
        """Stop a run, whatever it holds."""
        if work.state == RUNNING:
            work.state = STOPPING
            self.out.append(EndRun(work.order.task))

    def _abandon(self, now_s: float, work: Work) -> None:
        self.end_run(work)
        work.upload = work.stored = None
        self.tell(TaskEnded(work.order.task))
        self._release(now_s, work)

    def _fail(
        self, now_s: float, work: Work, cause: FailureCause, block: Optional[int] = None
    ) -> None:
        self.tell(TaskFailed(work.order.task, cause, block))
        self._release(now_s, work)

    def _release(self, now_s: float, work: Work) -> None:
        """Its slot is free; what was stored of it still waits for its verdict."""
        task = work.order.task
        del self.works[task]
        if work.delivering:
            self.ghosts[task] = work
        self.ask_s = now_s

    def _judged(self, task: int, name: str) -> None:
        ghost = self.ghosts.get(task)
        if ghost is not None and ghost.stored is not None and ghost.stored.name == name:
            ghost.stored = None
            self._forget_if_delivered(ghost)

    def _forget_if_delivered(self, ghost: Work) -> None:
        if not ghost.delivering:
            del self.ghosts[ghost.order.task]
