"""The one door: a fact comes in, orders go out; the same in production and in simulation.

The controller reads no clock and does no IO. It gives each fact to the machine whose business it
is and joins their commands. Time is rounded to a microsecond and never goes back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from manyhands.control.alarms import CAMPAIGN, CLAIM, PILOT
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.campaigns import WANTING, Campaigns
from manyhands.control.classes import Classes
from manyhands.control.ledger import Ledger
from manyhands.control.life_cycles import Row, Trail
from manyhands.control.merging import Merging
from manyhands.control.pace import Tempo, jittered
from manyhands.control.pilots import Pilots
from manyhands.control.records import NEVER_US, PilotRecord, PilotState, Turn
from manyhands.control.state import State
from manyhands.control.stopping import US_PER_S
from manyhands.control.tasks import Tasks
from manyhands.model.commands import Command, Reply, WakeAt
from manyhands.model.events import (
    CampaignCancelled,
    CampaignSubmitted,
    Event,
    MasterRestarted,
    MessageReceived,
    ObjectCollected,
    ObjectDeleted,
    PilotExited,
    PilotRemoved,
    PrecisionJudged,
    PrecisionUnjudged,
    Ticked,
)
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
from manyhands.model.failures import FailureCause
from manyhands.model.limits import Limits
from manyhands.model.orders import Leave, Order, RegisterAgain, Stale

LATE_US = US_PER_S  # a deciding thread that runs looks at an alarm sooner than this
IDLE_REPORTS = 6  # an idle hand asks so many times per report period


@dataclass(slots=True)
class Controller:
    """All machines of one pool behind one `handle`."""

    NOT_SAVED: ClassVar[tuple[str, ...]] = (
        "trail",
        "_tempo",
        "_ledger",
        "_merging",
        "_campaigns",
        "_classes",
        "_tasks",
        "_pilots",
    )

    limits: Limits = field(default_factory=Limits)
    state: State = field(default_factory=State)
    trail: Trail = field(default_factory=Trail, init=False)
    _tempo: Tempo = field(init=False)
    _ledger: Ledger = field(init=False)
    _merging: Merging = field(init=False)
    _campaigns: Campaigns = field(init=False)
    _classes: Classes = field(init=False)
    _tasks: Tasks = field(init=False)
    _pilots: Pilots = field(init=False)

    def __post_init__(self) -> None:
        limits, state, trail = self.limits, self.state, self.trail
        self._tempo = Tempo(limits)
        self._ledger = Ledger(limits, state, trail)
        self._merging = Merging(limits, state, trail, self._ledger)
        self._campaigns = Campaigns(limits, self._tempo, state, trail, self._ledger, self._merging)
        self._classes = Classes(state, trail)
        self._tasks = Tasks(limits, state, trail, self._ledger, self._campaigns)
        self._pilots = Pilots(limits, self._tempo, state, trail)

    def handle(self, now_s: float, event: Event) -> list[Command]:
        """Take in one fact; what follows from it, and from the time it came."""
        state = self.state
        now_us, before_us = round(now_s * US_PER_S), state.now_us
        if now_us < before_us:
            now_us = before_us
        state.now_us = now_us
        turn = Turn(now_us)
        alarms = state.alarms
        if type(event) is MasterRestarted:
            self._restart(turn)
        if alarms.heap and alarms.heap[0][0] <= now_us:
            late_us = now_us - alarms.heap[0][0]
            if late_us > LATE_US and now_us - before_us > self._tempo.outage_us:
                self._restart(turn)  # nobody was here when the alarm rang
            self._ring(turn)
        if type(event) is MessageReceived:
            self._message(event, turn)
        else:
            self._other(event, turn)
        if alarms.wants_wake(now_us):
            turn.commands.append(WakeAt(alarms.wake_us / US_PER_S))
        return turn.commands

    def refers_to(self, name: str) -> bool:
        """Whether an object is still needed, or its deletion is under way already."""
        return name in self.state.partials or name in self.state.deleting

    # ---- messages of pilots ----------------------------------------------------------------

    def _message(self, message: MessageReceived, turn: Turn) -> None:
        pilot = self.state.pilots.get(message.pilot)
        if pilot is not None and pilot.state is PilotState.REMOVED:
            self._answer_removed(pilot, message, turn)
        elif pilot is None or message.incarnation > pilot.incarnation:
            self._message_of_new(pilot, message, turn)
        elif message.incarnation < pilot.incarnation or message.number < pilot.number:
            self.trail.row(Row.STALE)
            self._judge_only(pilot, message, turn)
            self._send(message, [Stale(), *turn.orders], 0, turn)
        elif message.number == pilot.number:
            self.trail.row(Row.REPEAT)
            assert pilot.reply is not None, f"no reply kept for {message}"
            turn.commands.append(pilot.reply)
        else:
            self._answer(pilot, message, turn)

    def _message_of_new(
        self, pilot: PilotRecord | None, message: MessageReceived, turn: Turn
    ) -> None:
        first = message.facts[0] if message.facts else None
        if type(first) is not PilotRegistered:
            self.trail.row(Row.UNKNOWN_PILOT)
            self._send(message, [RegisterAgain()], 0, turn)
            return
        if pilot is not None:
            self.trail.row(Row.REPLACED)
            self._drop_work(pilot, turn)
        elif len(self.state.pilots) >= self.limits.pilots_max:
            self._send(message, [Leave(FailureCause.POOL_FULL)], 0, turn)
            return
        self._answer(self._pilots.register(message, first, turn), message, turn)

    def _answer(self, pilot: PilotRecord, message: MessageReceived, turn: Turn) -> None:
        now_us = turn.now_us
        pilot.round_trip_us = message.round_trip_us
        pilot.heard_us = now_us
        if pilot.state is not PilotState.LIVE:
            self._pilots.return_to_life(pilot)
            for number in pilot.tasks:
                self._tasks.count_again(self.state.tasks[number])
        if pilot.claims:
            self._merging.renew(pilot, now_us)
        facts = message.facts
        if len(facts) > self.limits.facts_per_message_max:
            facts = facts[: self.limits.facts_per_message_max]  # what is unjudged is said again
        for fact in facts:
            if type(fact) is TaskProgressed:
                self._tasks.progress(pilot, fact, turn)
            else:
                self._fact(pilot, fact, turn)
        report_us = turn.report_us
        if report_us == NEVER_US:
            report_us = self._tempo.unasked_us
        report_us = jittered(report_us, pilot.pilot, message.number)
        pilot.number = message.number
        pilot.reply = self._send(message, turn.orders, report_us, turn)
        self._pilots.expect(pilot, report_us, now_us)

    def _send(
        self, message: MessageReceived, orders: list[Order], report_us: int, turn: Turn
    ) -> Reply:
        reply = Reply(
            message.pilot, message.incarnation, message.number, tuple(orders), report_us / US_PER_S
        )
        turn.commands.append(reply)
        return reply

    def _answer_removed(self, pilot: PilotRecord, message: MessageReceived, turn: Turn) -> None:
        self.trail.row(Row.FROM_REMOVED)
        self._judge_only(pilot, message, turn)
        leave = Leave(FailureCause.PILOT_REMOVED)
        self._send(message, [*turn.orders, leave], 0, turn)

    def _judge_only(self, pilot: PilotRecord, message: MessageReceived, turn: Turn) -> None:
        """Only what was stored matters in this message."""
        for fact in message.facts:
            if type(fact) is PartialStored or type(fact) is MergeStored:
                self._fact(pilot, fact, turn)

    def _fact(self, pilot: PilotRecord, fact: Fact, turn: Turn) -> None:
        match fact:
            case PartialStored():
                self._grown(self._ledger.judge(pilot, fact, turn), turn)
            case WorkRequested(slots):
                self._give_work(pilot, slots, turn)
            case TaskEnded(number) | TaskFailed(number) | LeaseCut(number):
                task = self.state.tasks.get(number)
                if task is None or task.pilot != pilot.pilot:
                    return
                if isinstance(fact, TaskFailed):
                    self._tasks.failed(pilot, task, fact, turn)
                elif isinstance(fact, LeaseCut):
                    self._tasks.cut(fact)
                else:
                    self._tasks.ended(task, turn)
            case MergeStored():
                self._merged(self._merging.stored(pilot, fact, turn), turn)
            case MergeFailed():
                self._merged(self._merging.failed(pilot, fact, turn), turn)
            case ClassProven():
                pilot.proving = max(pilot.proving - 1, 0)
                self._classes.proven(pilot, fact, turn)
            case PilotLeft():
                self._drop_work(pilot, turn)
                self._pilots.leave(pilot, "gone")
            case PilotRegistered() | TaskProgressed():
                pass

    def _grown(self, record: CampaignRecord | None, turn: Turn) -> None:
        if record is not None:
            self._campaigns.grown(record, turn)

    def _merged(self, record: CampaignRecord | None, turn: Turn) -> None:
        if record is not None:
            self._campaigns.merged(record, turn)

    # ---- work for idle slots ---------------------------------------------------------------

    def _give_work(self, pilot: PilotRecord, slots: int, turn: Turn) -> None:
        free = pilot.slots - len(pilot.tasks) - pilot.proving
        if pilot.claims and slots > free - len(pilot.claims):
            self._merging.drop_claims(pilot)  # it does not merge what we think it does
        waiting = max(min(slots, free - len(pilot.claims)), 0)
        while waiting > 0 and self._give_one(pilot, turn):
            waiting -= 1
        self._pilots.set_idle(pilot, waiting)

    def _give_one(self, pilot: PilotRecord, turn: Turn) -> bool:
        """The campaign with the fewest tasks first; a merge before more samples."""
        records = [self.state.campaigns[number] for number in self.state.active]
        for record in sorted(records, key=_tasks_of):
            if self._merging.give(record, pilot, turn):
                return True
            if record.stage not in WANTING:
                # Who merges asks at once when it is done; the others wait for one that dies.
                turn.report_us = min(turn.report_us, self._tempo.silence_us_min)
                continue
            if self._classes.prove(record, pilot, turn):
                pilot.proving += 1
                pilot.classes[record.campaign.campaign] = ""
                return True
            if self._classes.may_work(record, pilot) and self._tasks.start(record, pilot, turn):
                self._set_first_report(record, pilot, turn)
                return True
            self._ask_again(record, pilot, turn)
        return False

    def _set_first_report(self, record: CampaignRecord, pilot: PilotRecord, turn: Turn) -> None:
        left_us = self._campaigns.left_us(record, turn.now_us)
        report_us = self._campaigns.report_us(record, left_us, pilot.round_trip_us, turn)
        turn.report_us = min(turn.report_us, report_us)

    def _ask_again(self, record: CampaignRecord, pilot: PilotRecord, turn: Turn) -> None:
        left_us = self._campaigns.left_us(record, turn.now_us)
        report_us = self._campaigns.report_us(record, left_us, pilot.round_trip_us, turn)
        if record.blocks is not None:
            # Blocks may come back, or a holder fall silent, at any moment.
            report_us = max(report_us // IDLE_REPORTS, self._tempo.idle_us(self.state.idle))
        turn.report_us = min(turn.report_us, report_us)

    # ---- everything else -------------------------------------------------------------------

    def _other(self, event: Event, turn: Turn) -> None:
        match event:
            case Ticked():
                pass  # what was due has been done already
            case CampaignSubmitted(campaign):
                assert len(self.state.active) < self.limits.campaigns_max, "too many campaigns"
                self._campaigns.submit(campaign, turn)
            case CampaignCancelled(number):
                self._campaigns.cancel(number, turn)
            case PilotExited(number, incarnation):
                pilot = self.state.pilots.get(number)
                if pilot is not None and pilot.incarnation == incarnation:
                    self._pilot_gone(pilot, "gone", turn)
            case PilotRemoved(number):
                pilot = self.state.pilots.get(number)
                if pilot is None:
                    self._pilots.banish(number, turn)
                else:
                    self._pilot_gone(pilot, "removed", turn)
            case ObjectCollected(name):
                self._ledger.collect(name, turn)
            case ObjectDeleted(name):
                self._ledger.deleted(name)
            case PrecisionJudged():
                self._campaigns.judged(event, turn)
            case PrecisionUnjudged():
                self._campaigns.unjudged(event, turn)
            case MasterRestarted():
                pass  # before anything else that was due
            case MessageReceived():
                raise AssertionError(f"{event} has a way of its own")

    def _pilot_gone(self, pilot: PilotRecord, happening: str, turn: Turn) -> None:
        gone = pilot.state is PilotState.GONE and happening == "gone"
        if gone or pilot.state is PilotState.REMOVED:
            return
        self._drop_work(pilot, turn)
        self._pilots.leave(pilot, happening)

    def _drop_work(self, pilot: PilotRecord, turn: Turn) -> None:
        """Whatever this pilot did ends now, and does not come back."""
        for number in list(pilot.tasks):
            task = self.state.tasks[number]
            self._tasks.ended(task, turn)
        pilot.tasks.clear()
        self._merging.drop_claims(pilot)
        self._pilots.set_idle(pilot, 0)
        self._classes.forget_class(pilot)

    def _restart(self, turn: Turn) -> None:
        """Nobody could be heard: every lease runs in full from now, every deletion is repeated."""
        self.trail.row(Row.RESTARTED)
        self.state.rearmed_us = turn.now_us
        self.state.alarms.wake_us = NEVER_US
        self._ledger.delete_again(turn)
        self._campaigns.ask_again(turn)

    def _ring(self, turn: Turn) -> None:
        """Look at everything whose time has come."""
        alarms = self.state.alarms
        while (entry := alarms.due(turn.now_us)) is not None:
            time_us, kind, number = entry
            if kind == PILOT:
                self._look_at_pilot(number, time_us, turn)
            elif kind == CLAIM:
                self._merging.surface(number, turn)
            else:
                assert kind == CAMPAIGN
                self._campaigns.surface(number, turn)

    def _look_at_pilot(self, number: int, time_us: int, turn: Turn) -> None:
        found = self._pilots.surface(number, time_us, turn)
        if not found:
            return
        pilot = self.state.pilots[number]
        for task in pilot.tasks:
            if found == "overdue":
                self._tasks.set_aside(self.state.tasks[task])
            else:
                self._tasks.lose(self.state.tasks[task], turn)
        if found == "lost":
            self._merging.drop_claims(pilot)
            self._pilots.set_idle(pilot, 0)
            self._classes.forget_class(pilot)


def _tasks_of(record: CampaignRecord) -> int:
    return record.count.tasks
