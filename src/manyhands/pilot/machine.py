"""What a pilot does next: signals from its shell in, actions for its shell out.

It keeps its slots at work, says what became of it in one message at a time, and keeps everything
that was simulated until the master has judged it. It knows no clock, no file and no network.
"""

from __future__ import annotations

from math import inf
from typing import Any, Callable, Dict, List, Tuple

from manyhands.model.facts import (
    Fact,
    PartialStored,
    PilotLeft,
    PilotRegistered,
    TaskProgressed,
    WorkRequested,
)
from manyhands.model.failures import FailureCause
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
    MergeEnded,
    ReplyReceived,
    RunFailed,
    Send,
    Signal,
    Started,
    StopRequested,
    Ticked,
    UploadEnded,
    WakeAt,
)
from manyhands.pilot.slots import Slots
from manyhands.pilot.work import RUNNING

EARLY_TICK_S = 0.001
STALE_REPLIES_MAX = 3

# Facts that every message holds anew for as long as they are true.
_SAID_ANYWAY = (PilotRegistered, PartialStored, TaskProgressed, WorkRequested)


class PilotMachine:
    """One incarnation of a pilot."""

    def __init__(
        self,
        pilot: int,
        incarnation: int,
        slots: int,
        site: str = "",
        found: Tuple[PartialStored, ...] = (),
        speed: float = 1.0,
    ) -> None:
        self._exchange = Exchange(pilot, incarnation)
        self._registration = PilotRegistered(slots, site, speed)
        self._slots = Slots(slots, found)
        self._started = False
        self._register = False  # the next message begins with who we are
        self._goodbye = False
        self._stale_replies = 0
        self._wake_s = inf  # the earliest tick that was ordered and did not come yet
        self._doors: Dict[type, Callable[[float, Any], None]] = {
            Started: self._start,
            Advanced: self._slots.run_advanced,
            RunFailed: self._slots.run_failed,
            ReplyReceived: self._reply,
            UploadEnded: self._slots.upload_ended,
            MergeEnded: self._slots.merge_ended,
            ClassComputed: self._slots.class_computed,
            Ticked: self._tick,
            StopRequested: self._stop,
        }
        self._orders: Dict[type, Callable[[float, Any], None]] = {
            StartTask: self._slots.start_task,
            SetQuota: self._slots.set_quota,
            ExtendLease: self._slots.extend_lease,
            CutLease: self._slots.cut_lease,
            StopTask: self._slots.stop_task,
            PartialAccepted: self._slots.partial_accepted,
            PartialRefused: self._slots.partial_refused,
            MergePartials: self._slots.merge_partials,
            MergeVerdict: self._ignore,
            ProveClass: self._slots.prove_class,
            RegisterAgain: self._register_again,
            Stale: self._stale,
            Leave: self._slots.leave,
        }

    def handle(self, now_s: float, signal: Signal) -> List[Action]:
        """The one door: what to do now that this has happened."""
        slots = self._slots
        if slots.exited:
            return []
        if isinstance(signal, Advanced):
            work = slots.works.get(signal.task)
            if work is None or not work.advance(signal.position, signal.busy_us):
                return []  # as with most signals
        elif not (self._started or isinstance(signal, (Started, StopRequested))):
            return []
        out: List[Action] = []
        slots.out = out
        self._doors[type(signal)](now_s, signal)
        if slots.leaving is not None:
            self._leave_when_done()
        if not slots.exited:
            self._converse(now_s)
        return out

    def waits(self, task: int) -> bool:
        """Whether a task's run has computed all that it was given, and says nothing therefore."""
        work = self._slots.works.get(task)
        return work is not None and work.state == RUNNING and work.at_rest

    # ---- signals -----------------------------------------------------------------------

    def _start(self, now_s: float, signal: Started) -> None:
        if not self._started:
            self._started = True
            self._register_again(now_s, RegisterAgain())

    def _tick(self, now_s: float, signal: Ticked) -> None:
        # A tick that comes too early is another's: the one that was ordered last is still to come.
        if now_s >= self._wake_s - EARLY_TICK_S:
            self._wake_s = inf
        self._slots.tick(now_s)
        if now_s >= self._exchange.resend_s:
            self._slots.out.append(Send(self._exchange.repeat(now_s)))

    def _stop(self, now_s: float, signal: StopRequested) -> None:
        if not self._started:
            self._slots.exit(signal.cause)
        elif self._slots.leaving is None:
            self._slots.stop(now_s, signal.cause)

    def _reply(self, now_s: float, signal: ReplyReceived) -> None:
        reply = signal.reply
        message = self._exchange.close(now_s, reply)
        if message is None:
            return
        slots = self._slots
        slots.round_trip_s = self._exchange.round_trip_s
        slots.report_s = now_s + reply.report_in_s
        orders = self._orders
        for order in reply.orders:
            orders[type(order)](now_s, order)
            if slots.exited:
                return
        if self._register:
            # The master lost what this message said.
            slots.facts[:0] = [one for one in message.facts if not isinstance(one, _SAID_ANYWAY)]
        elif self._goodbye and any(isinstance(one, PilotLeft) for one in message.facts):
            assert slots.leaving is not None
            slots.exit(slots.leaving)
            return
        slots.ask_s = min(slots.ask_s, slots.report_s)
        slots.look_for_leases(now_s)

    # ---- orders ------------------------------------------------------------------------

    def _ignore(self, now_s: float, order: MergeVerdict) -> None:
        pass

    def _register_again(self, now_s: float, order: RegisterAgain) -> None:
        self._register = self._slots.urgent = True
        self._slots.ask_s = now_s

    def _stale(self, now_s: float, order: Stale) -> None:
        self._stale_replies += 1
        self._slots.stand_down(now_s)

    def _leave_when_done(self) -> None:
        slots = self._slots
        if slots.exited or slots.works:
            return
        if self._stale_replies:
            # Whether a partial that nobody judges was counted is for the next incarnation to ask.
            tired = self._stale_replies >= STALE_REPLIES_MAX and not slots.uploading
            if tired or not slots.ghosts:
                slots.exit(FailureCause.PILOT_REPLACED)
        elif not (self._goodbye or slots.ghosts):
            assert slots.leaving is not None
            self._goodbye = True
            slots.tell(PilotLeft(slots.leaving))

    # ---- messages ----------------------------------------------------------------------

    def _converse(self, now_s: float) -> None:
        """Send a message if it is time for one, and see to it that the next tick comes."""
        slots, exchange = self._slots, self._exchange
        if exchange.outstanding is None and (slots.urgent or now_s >= slots.message_due_s()):
            slots.out.append(Send(exchange.open(now_s, self._compose(now_s))))
        due_s = slots.message_due_s() if exchange.outstanding is None else exchange.resend_s
        for work in slots.works.values():
            due_s = min(due_s, work.due_s())
        if due_s < self._wake_s:
            self._wake_s = due_s
            slots.out.append(WakeAt(due_s))

    def _compose(self, now_s: float) -> Tuple[Fact, ...]:
        slots = self._slots
        facts: List[Fact] = [self._registration] if self._register else []
        facts.extend(slots.found.values())
        facts.extend(one.stored for one in slots.ghosts.values() if one.stored is not None)
        facts.extend(one.stored for one in slots.works.values() if one.stored is not None)
        facts.extend(slots.facts)
        for work in slots.works.values():
            facts.append(TaskProgressed(work.order.task, work.position, work.busy_us))
            work.report(slots.round_trip_s)
        idle = slots.idle
        if idle and now_s >= slots.ask_s:
            facts.append(WorkRequested(idle))
            slots.ask_s = inf
        slots.facts.clear()
        self._register = slots.urgent = False
        return tuple(facts)
