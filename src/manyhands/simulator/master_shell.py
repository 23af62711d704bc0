"""The simulated master: inbox, journal, decision, performance; and how it dies and comes back.

Every event is journaled before it is decided on. While the master is away its state is gone and
what is sent to it is lost; it comes back from its last snapshot and the journal behind it, whose
commands are not performed again, and then hears that it was restarted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from manyhands.model.commands import (
    AnnounceStage,
    Command,
    DeleteObject,
    JudgePrecision,
    Reply,
    ReportIncident,
    WakeAt,
)
from manyhands.model.coverage import EMPTY
from manyhands.model.events import (
    Event,
    MasterRestarted,
    MessageReceived,
    ObjectCollected,
    ObjectDeleted,
    PrecisionJudged,
    PrecisionUnjudged,
    Ticked,
)
from manyhands.model.orders import Order, PartialAccepted
from manyhands.simulator.clock import us
from manyhands.simulator.deciders import Deciders, Master
from manyhands.simulator.faults import Fault
from manyhands.simulator.physics import Physics
from manyhands.simulator.pilot_shell import PilotShell
from manyhands.simulator.scenario import Scenario
from manyhands.simulator.store import Store, StoredObject

TICK = Ticked()
RETRY_S = 1.0  # how soon somebody whose words found nobody says them again

Journal = list[tuple[float, Event]]


class DecisionObserver(Protocol):
    """Who is told of every decision; also of one that a restart made anew."""

    def event(
        self, now_s: float, event: Event, commands: list[Command], controller: Master
    ) -> None:
        """An event was handled."""


class StageListener(Protocol):
    """Who is told that a campaign has moved on."""

    def __call__(self, announced: AnnounceStage) -> None: ...


@dataclass(frozen=True, slots=True)
class Look:
    """A look at merged results that is under way: for how long, in which of the master's lives."""

    command: JudgePrecision
    held: dict[str, StoredObject | None]
    takes_us: int
    lives: int


class MasterShell:
    """The master's process, and what is left of it while it is away."""

    __slots__ = (
        "_answers",
        "_away",
        "_behind_us",
        "_cut_at",
        "_deciders",
        "_decided",
        "_lives",
        "_observer",
        "_on_stage",
        "_saved",
        "_mortal",
        "_wake_us",
        "accepted",
        "alarms",
        "condemned",
        "controller",
        "incidents",
        "journal",
        "limits",
        "orders",
        "physics",
        "plan",
        "replies",
        "shells",
        "store",
    )

    def __init__(
        self,
        scenario: Scenario,
        physics: Physics,
        store: Store,
        deciders: Deciders,
        on_stage: StageListener,
        observer: DecisionObserver | None = None,
    ) -> None:
        self.plan = scenario.master
        self.limits = scenario.limits
        self.physics = physics
        self.alarms = physics.alarms
        self.store = store
        self.shells: dict[tuple[int, int], PilotShell] = {}
        self.controller = deciders.master(scenario.limits)
        self.journal: Journal = []
        self.replies = 0
        self.orders: Counter[type[Order]] = Counter()
        self.incidents: Counter[str] = Counter()
        self.accepted: dict[str, None] = {}  # names of partials, in the order of their acceptance
        self.condemned: dict[str, None] = {}  # names of objects that were ordered to be deleted
        self._deciders = deciders
        self._observer = observer
        self._on_stage = on_stage
        self._behind_us = 0  # by so much this master's clock is wrong
        self._answers: dict[int, PrecisionJudged] = {}  # the last of each campaign
        self._lives = 0  # how often the process died
        self._away = 0  # how many outages hold at the moment
        self._decided = 0  # how many journaled events were decided on, once at least
        self._saved: tuple[int, bytes] | None = None
        self._mortal = self.plan.may_be_away
        self._cut_at = self.plan.cut_at_event
        self._wake_us = 0

    @property
    def away(self) -> bool:
        """Whether nobody is there to decide."""
        return self._away > 0

    # ---- facts ---------------------------------------------------------------------------

    def receive(self, sender: PilotShell, message: MessageReceived) -> None:
        """A pilot's message has arrived."""
        if self._away:
            self.physics.met(Fault.MASTER_AWAY)
        else:
            self.take(message)

    def insist(self, event: Event) -> None:
        """An event from somebody who says it again and again until it is heard."""
        if self._away:
            self.alarms.push(self.alarms.now_us + us(RETRY_S), self.insist, event)
        else:
            self.take(event)

    def _take_if_here(self, event: Event) -> None:
        if not self._away:
            self.take(event)

    def take(self, event: Event) -> None:
        """Journal an event, decide, perform."""
        now_s = (self.alarms.now_us - self._behind_us) / 1e6
        self.journal.append((now_s, event))
        if self._mortal and len(self.journal) == self._cut_at and self.physics.faulty:
            self._cut()
            return
        commands = self.controller.handle(now_s, event)
        if self._observer is not None:
            self._observer.event(now_s, event, commands, self.controller)
        for command in commands:
            PERFORM[type(command)](self, command)
        if self._mortal:
            self._decided = len(self.journal)
            if self._decided % self.plan.snapshot_every == 0:
                self._saved = (self._decided, self._deciders.save(self.controller))

    def _tick(self, wake_us: int) -> None:
        if wake_us == self._wake_us and not self._away:
            self._wake_us = 0
            self.take(TICK)

    # ---- orders --------------------------------------------------------------------------

    def _reply(self, reply: Reply) -> None:
        self.replies += 1
        for order in reply.orders:
            self.orders[type(order)] += 1
            if type(order) is PartialAccepted:
                self.accepted[order.name] = None
        self.shells[reply.pilot, reply.incarnation].answer(reply)

    def _wake_at(self, command: WakeAt) -> None:
        # The microsecond behind it: rounding must not make a tick come too early, for ever.
        wake_us = int(command.time_s * 1e6) + 1 + self._behind_us
        if wake_us != self._wake_us:
            self._wake_us = wake_us  # the last order holds: none is given but for an earlier tick
            self.alarms.push(wake_us, self._tick, wake_us)

    def _delete(self, command: DeleteObject) -> None:
        self.condemned[command.name] = None
        takes_us = self.physics.between_us(self.physics.store_plan.delete_s)
        self.alarms.push(self.alarms.now_us + takes_us, self._deleted, command.name)

    def _deleted(self, name: str) -> None:
        self.store.delete(name)
        self._take_if_here(ObjectDeleted(name))

    def _judge(self, command: JudgePrecision) -> None:
        """Look at objects for some time, and hold on to them, so that none vanishes meanwhile."""
        physics, objects = self.physics, self.store.objects
        takes_us = physics.between_us(physics.store_plan.judge_s)
        unheld = physics.strikes(physics.store_plan.misjudged_p, Fault.NOT_HELD)
        held = {} if unheld else {one.name: objects.get(one.name) for one in command.partials}
        before = self._answers.get(command.campaign)
        if before and physics.strikes(physics.store_plan.misjudged_p, Fault.JUDGED_TWICE):
            again_us = self.alarms.now_us + takes_us // 2
            self.alarms.push(again_us, self._take_if_here, before)
        look = Look(command, held, takes_us, self._lives)
        self.alarms.push(self.alarms.now_us + takes_us, self._judged, look)

    def _judged(self, look: Look) -> None:
        if self._away or look.lives != self._lives:
            return  # whoever looked died with the master that had asked
        command, coverage = look.command, EMPTY
        for one in command.partials:
            thing = look.held.get(one.name) or self.store.objects.get(one.name)
            if thing is None or thing.torn or thing.digest != one.digest:
                self.take(PrecisionUnjudged(command.campaign, command.look, one.name, ""))
                return
            coverage |= thing.coverage
        toy = self.physics.toys[command.campaign]
        answer = toy.judged(coverage, command.look, look.takes_us)
        self._answers[command.campaign] = answer
        self.take(answer)

    def _incident(self, command: ReportIncident) -> None:
        self.incidents[command.cause.value] += 1

    def _stage(self, command: AnnounceStage) -> None:
        self._on_stage(command)

    # ---- outages -------------------------------------------------------------------------

    def leave(self, back_us: int) -> None:
        """The process dies; another takes over at a time."""
        self._away += 1
        self._lives += 1
        self._wake_us = 0
        self.alarms.push(back_us, self._come_back)

    def _cut(self) -> None:
        self._cut_at = None
        self.physics.met(Fault.MASTER_CUT)
        self.leave(self.alarms.now_us + us(self.plan.cut_outage_s))

    def _come_back(self, _: None) -> None:
        self._away -= 1
        if self._away:
            return
        self._behind_us = self._set_clock()
        start = 0
        if self._saved is None:
            self.controller = self._deciders.master(self.limits)
        else:
            start, saved = self._saved
            self.controller = self._deciders.restore(saved)
        for now_s, event in self.journal[start : self._decided]:
            self.controller.handle(now_s, event)
        for now_s, event in self.journal[self._decided :]:
            commands = self.controller.handle(now_s, event)
            if self._observer is not None:
                self._observer.event(now_s, event, commands, self.controller)
            for command in commands:
                if isinstance(command, AnnounceStage):
                    self._stage(command)
        self.take(MasterRestarted())

    def _set_clock(self) -> int:
        if not self.plan.clock_back_s:
            return 0
        behind_us = self.physics.between_us((0.0, self.plan.clock_back_s))
        self.physics.met(Fault.CLOCK_SET_BACK)
        return min(behind_us, self.alarms.now_us)

    # ---- garbage -------------------------------------------------------------------------

    def collect(self, _: None = None) -> None:
        """Give up old objects that nobody refers to, again and again."""
        assert self.plan.collect_every_s is not None
        self.alarms.push(self.alarms.now_us + us(self.plan.collect_every_s), self.collect)
        if self._away:
            return
        oldest_us = self.alarms.now_us - us(self.plan.collect_age_s)
        old = [name for name, thing in self.store.objects.items() if thing.born_us <= oldest_us]
        for name in old:
            if not self.controller.refers_to(name):
                late_us = self.physics.between_us((0.0, self.plan.collect_late_s))
                if late_us and self.physics.faulty:
                    self.physics.met(Fault.COLLECTED_LATE)
                    self.alarms.push(self.alarms.now_us + late_us, self._collected, name)
                else:
                    self._collected(name)

    def _collected(self, name: str) -> None:
        self.physics.met(Fault.OBJECT_COLLECTED)
        self._take_if_here(ObjectCollected(name))


PERFORM: dict[type[Any], Callable[[MasterShell, Any], None]] = {
    Reply: MasterShell._reply,
    WakeAt: MasterShell._wake_at,
    DeleteObject: MasterShell._delete,
    ReportIncident: MasterShell._incident,
    AnnounceStage: MasterShell._stage,
    JudgePrecision: MasterShell._judge,
}
