"""A simulated pilot: does what its machine orders on simulated physics, and tells it what comes.

One shell is one process, so one incarnation of a pilot. Before anything else that its machine is
told, it is told how far each run at work has come. Alarms of a process that has ended do nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import log
from typing import Any, Protocol

from manyhands.model.campaign import Mode
from manyhands.model.commands import Reply
from manyhands.model.events import MessageReceived
from manyhands.model.facts import PartialStored
from manyhands.model.failures import FailureCause
from manyhands.model.orders import PartialAccepted, PartialRefused, StartTask
from manyhands.pilot.signals import (
    Action,
    Advanced,
    ClassComputed,
    ComputeClass,
    EndRun,
    Exit,
    ExtendRun,
    Merge,
    ReplyReceived,
    RunFailed,
    Send,
    Signal,
    Started,
    StartRun,
    StopRequested,
    Ticked,
    TrimRun,
    Upload,
    UploadEnded,
    WakeAt,
    WatchPosition,
)
from manyhands.simulator.clock import us
from manyhands.simulator.deciders import Hand
from manyhands.simulator.faults import Fault
from manyhands.simulator.host import SAMPLE_WORK
from manyhands.simulator.runs import Run
from manyhands.simulator.scenario import PilotPlan
from manyhands.simulator.transfers import Transfers

TICK = Ticked()
CRASH_AFTER_S_MEAN = 60.0  # how long a task that crashes works before it does


class Inbox(Protocol):
    """Where messages go: the master's shell."""

    def receive(self, sender: PilotShell, message: MessageReceived) -> None:
        """A message has arrived."""


class PilotShell:
    """One process of a pilot."""

    __slots__ = (
        "alarms",
        "alive",
        "birth_us",
        "cut_off",
        "finished",
        "ghost",
        "inbox",
        "judged_last",
        "machine",
        "incarnation",
        "handle",
        "messages",
        "number_arrived",
        "physics",
        "plan",
        "profile",
        "repeats_next",
        "runs",
        "starts_seen",
        "transfers",
        "unanswered",
        "_piece",
        "wake_us",
        "working",
    )

    def __init__(
        self, plan: PilotPlan, incarnation: int, machine: Hand, transfers: Transfers, inbox: Inbox
    ) -> None:
        physics = transfers.physics
        self.plan = plan
        self.profile = plan.profile
        self.incarnation = incarnation
        self.machine = machine
        self.handle = machine.handle
        self.physics = physics
        self.alarms = physics.alarms
        self.birth_us = physics.alarms.now_us
        self.inbox = inbox
        self.starts_seen: Callable[[int, StartTask], None] | None = None
        self._piece = plan.profile.piece_at(physics.alarms.now_us)
        self.transfers = transfers
        self.alive = True
        self.ghost = False
        self.cut_off = False
        self.repeats_next = False
        self.messages = 0
        self.number_arrived = 0
        self.wake_us = 0
        self.runs: dict[int, Run] = {}
        self.working: list[Run] = []
        self.finished: list[Run] = []  # ended by the order that is being performed
        self.unanswered: dict[str, PartialStored] = {}
        self.judged_last: PartialStored | None = None

    # ---- what comes ----------------------------------------------------------------------

    def start(self) -> None:
        """The process is up."""
        self.tell(Started())

    def end(self) -> None:
        """The process is gone, and what it computed with it."""
        self.observe()
        self.alive = False

    def observe(self) -> None:
        """Bring the positions of all runs up to now."""
        if self.alive:
            now_us = self.alarms.now_us
            work = self.profile.work_at(now_us)
            for run in self.working:
                run.observe(now_us, work)

    def tell(self, signal: Signal) -> None:
        """Tell the machine how far its runs are, then this, and perform what it orders."""
        if not self.alive:
            return
        if self.working:
            self._tell_progress()
        actions = self.handle(self.alarms.now_us / 1e6, signal)
        if actions:
            self._perform(actions)

    def _tell_progress(self) -> None:
        now_us = self.alarms.now_us
        now_s = now_us / 1e6
        # As profile.work_at, but a bisection is needed only where the speed changes.
        start_us, end_us, work, rate = self._piece
        if now_us >= end_us:
            start_us, _, work, rate = self._piece = self.profile.piece_at(now_us)
        work += (now_us - start_us) * rate
        working = self.working
        for run in working if len(working) == 1 else working[:]:
            if run.ending:
                continue
            if not run.observe(now_us, work):
                working.remove(run)
            actions = self.handle(now_s, Advanced(run.task, run.position, run.told_us))
            if actions:
                self._perform(actions)

    def _perform(self, actions: list[Action]) -> None:
        for action in actions:
            PERFORM[type(action)](self, action)
        if self.finished:
            run = self.finished.pop(0)
            self._tell_last(run)

    def _tell_last(self, run: Run) -> None:
        """The sample or block in hand is finished: the last word of a run."""
        last = Advanced(run.task, run.position, run.told_us)
        self._perform(self.handle(self.alarms.now_us / 1e6, last))

    def receive(self, reply: Reply) -> None:
        """A reply has arrived here, if the line is not cut."""
        if self.cut_off or not self.alive:
            return
        if self.unanswered:
            for order in reply.orders:
                if isinstance(order, (PartialAccepted, PartialRefused)):
                    judged = self.unanswered.pop(order.name, None)
                    self.judged_last = judged or self.judged_last
        self.tell(ReplyReceived(reply))

    def stop(self, cause: FailureCause) -> None:
        """Its host is about to be taken away."""
        self.tell(StopRequested(cause))

    def uploaded(self, action: Upload, ended: UploadEnded) -> None:
        """An upload is over, well or not."""
        if ended.cause is None:
            twice_p = self.physics.store_plan.twice_p
            self.repeats_next = self.physics.strikes(twice_p, Fault.STORED_TWICE)
            if self.plan.restart_s is not None:
                self.unanswered[ended.name] = PartialStored(
                    action.task,
                    action.start,
                    action.end,
                    ended.name,
                    ended.digest,
                    action.coverage,
                    True,
                    ended.sums,
                    ended.upload_us,
                )
        self.tell(ended)

    def _tick(self, time_us: int) -> None:
        if time_us == self.wake_us:
            self.wake_us = 0
            self.tell(TICK)

    # ---- messages ------------------------------------------------------------------------

    def _send(self, action: Send) -> None:
        message = action.message
        physics = self.physics
        self.messages += 1
        copies = self.repeats_next
        self.repeats_next = False
        if self.cut_off:
            return
        if self.plan.stranger and message.number == 1:
            physics.met(Fault.STRANGER)
            message = replace(message, facts=message.facts[1:])
        delays_us = physics.message_us(self.plan.slow_factor)
        for delay_us in delays_us:
            self.alarms.push(self.alarms.now_us + delay_us, self._arrive, message)
        if copies and delays_us:
            copy_us = self.alarms.now_us + delays_us[0] + physics.repeat_delay_us()
            self.alarms.push(copy_us, self._arrive, message)

    def _arrive(self, message: MessageReceived) -> None:
        if message.number < self.number_arrived:
            self.physics.met(Fault.STALE_DELIVERY)
        else:
            self.number_arrived = message.number
        if self.ghost:
            self.physics.met(Fault.GHOST_DELIVERY)
        self.inbox.receive(self, message)

    def answer(self, reply: Reply) -> None:
        """The master's reply leaves for this process."""
        for delay_us in self.physics.reply_us(self.plan.slow_factor):
            self.alarms.push(self.alarms.now_us + delay_us, self.receive, reply)

    def _wake_at(self, action: WakeAt) -> None:
        # The microsecond behind it: rounding must not make a tick come too early, for ever.
        wake_us = int(action.time_s * 1e6) + 1
        if wake_us != self.wake_us:
            self.wake_us = wake_us
            self.alarms.push(wake_us, self._tick, wake_us)

    # ---- runs ----------------------------------------------------------------------------

    def _start_run(self, action: StartRun) -> None:
        order = action.order
        assert order.task not in self.runs, f"task {order.task} is started twice"
        campaign = self.physics.campaigns[order.campaign]
        run = Run(order, campaign, self.profile)
        self.runs[order.task] = run
        if self.starts_seen is not None:
            self.starts_seen(self.plan.pilot, order)
        broken = self.physics.broken
        if broken or self.physics.strikes(self.plan.fails_task_p, Fault.TASK_CRASH):
            after_s = -CRASH_AFTER_S_MEAN * log(1.0 - self.physics.random.random())
            self.alarms.push(self.alarms.now_us + us(after_s), self._crash, run)
        self._changed(run)

    def _extend_run(self, action: ExtendRun) -> None:
        run = self.runs[action.task]
        run.lease(action.leases)
        self._changed(run)

    def _trim_run(self, action: TrimRun) -> None:
        run = self.runs[action.task]
        run.trim(action.leases)
        self._changed(run)

    def _watch(self, action: WatchPosition) -> None:
        run = self.runs[action.task]
        run.watch = action.position
        self._changed(run)

    def _end_run(self, action: EndRun) -> None:
        run = self.runs[action.task]
        run.finish()
        if run.working and run.position < run.end:
            self._set_alarm(run)
        else:
            self._leave(run)
            self.finished.append(run)

    def _changed(self, run: Run) -> None:
        """Something about a run is other than before: put it to work, and set its alarm anew."""
        if run.campaign.campaign in self.physics.poisoned:
            run.poison(self.physics.poisoned[run.campaign.campaign])
        now_us = self.alarms.now_us
        if not run.working and run.resume(now_us, self.profile.work_at(now_us)):
            self.working.append(run)
        self._set_alarm(run)

    def _set_alarm(self, run: Run) -> None:
        run.version += 1
        due_us = run.due_us()
        if due_us is not None:
            self.alarms.push(due_us, self._run_due, (run, run.version))

    def _run_due(self, argument: tuple[Run, int]) -> None:
        run, version = argument
        if version != run.version or not self.alive:
            return
        now_us = self.alarms.now_us
        run.observe(now_us, self.profile.work_at(now_us))
        if run.position >= run.poison_at and run.working:
            self.physics.met(Fault.BLOCK_POISONED)
            self._crash(run)
            return
        self._tell_progress()
        if run.ending and not run.ended:
            self._leave(run)
            self._tell_last(run)
        else:
            self._set_alarm(run)

    def break_down(self) -> None:
        """Whatever is at work here fails."""
        for run in list(self.runs.values()):
            self._crash(run)

    def _crash(self, run: Run) -> None:
        if run.ended or not self.alive:
            return
        self.observe()
        self._leave(run)
        causes = self.plan.crash_causes
        cause = causes[self.physics.random.randrange(len(causes))]
        self.tell(RunFailed(run.task, cause, run.block_at(run.position)))

    def _leave(self, run: Run) -> None:
        run.ended = True
        run.working = False
        run.version += 1
        if run in self.working:
            self.working.remove(run)

    def _compute_class(self, action: ComputeClass) -> None:
        campaign = self.physics.campaigns[action.campaign]
        assert campaign.mode is Mode.EXACT, f"campaign {action.campaign} has no blocks"
        work = self.profile.work_at(self.alarms.now_us) + campaign.samples_in(1) * SAMPLE_WORK
        self.alarms.push(self.profile.time_of_work(work), self._class_computed, action)

    def _class_computed(self, action: ComputeClass) -> None:
        if self.alive:
            mine = self.plan.numeric_class
            if self.physics.classes.setdefault(action.campaign, mine) != mine:
                self.physics.met(Fault.CLASS_MISMATCH)
            toy = self.physics.toys[action.campaign]
            self.tell(ClassComputed(action.campaign, toy.class_digest(mine)))

    # ---- the store -----------------------------------------------------------------------

    def _upload(self, action: Upload) -> None:
        run = self.runs[action.task]
        assert action.end <= run.position, f"{action} holds more than was computed"
        self.transfers.upload(self, run.order.campaign, action)

    def _merge(self, action: Merge) -> None:
        self.transfers.merge(self, action.order)

    def _exit(self, action: Exit) -> None:
        self.end()


PERFORM: dict[type[Any], Callable[[PilotShell, Any], None]] = {
    Send: PilotShell._send,
    StartRun: PilotShell._start_run,
    ExtendRun: PilotShell._extend_run,
    TrimRun: PilotShell._trim_run,
    EndRun: PilotShell._end_run,
    WatchPosition: PilotShell._watch,
    Upload: PilotShell._upload,
    ComputeClass: PilotShell._compute_class,
    Merge: PilotShell._merge,
    WakeAt: PilotShell._wake_at,
    Exit: PilotShell._exit,
}
