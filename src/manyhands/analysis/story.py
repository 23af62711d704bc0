"""Who did what, and when: made from facts and decisions, live or from a journal, the same way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from manyhands.analysis.watched import Measured, measured
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.controller import Controller
from manyhands.control.records import PilotState
from manyhands.control.state import State
from manyhands.model.campaign import Stage
from manyhands.model.commands import AnnounceStage, Command, Reply, ReportIncident
from manyhands.model.events import (
    Event,
    MasterRestarted,
    MessageReceived,
    PilotExited,
    PilotRemoved,
)
from manyhands.model.facts import (
    Fact,
    PartialStored,
    PilotLeft,
    PilotRegistered,
    TaskEnded,
    TaskFailed,
    TaskProgressed,
)
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.orders import Order, PartialAccepted, PartialRefused, StartTask

POINTS_MAX = 4000  # of a curve; beyond, every other one is forgotten
INCIDENTS_MAX = 1000  # that are told one by one; all are counted
CLOSED = "worked until the end"
OVER = (Stage.CLOSED, Stage.DONE, Stage.FAILED, Stage.CANCELLED)
SILENT = (PilotState.OVERDUE, PilotState.LOST)
OVER_WORDS = [stage.value for stage in OVER]


@dataclass(slots=True)
class Engagement:
    """One task, as its pilot told of it."""

    task: int
    campaign: int
    pilot: int
    incarnation: int
    begun_s: float
    seen_s: float  # when it was last heard of
    position: int = 0
    busy_us: int = 0
    sealed: int = 0  # positions accepted that will not be replaced
    open_start: int = -1  # where the last accepted partial begins; the next one may replace it
    open_size: int = 0
    stored: int = 0  # partials
    ended: str = ""  # how; empty while it goes on

    @property
    def accepted(self) -> int:
        """Positions that were accepted from it."""
        return self.sealed + self.open_size

    def accept(self, start: int, end: int) -> None:
        """A partial was accepted, maybe in the place of the one before."""
        if start != self.open_start:
            self.sealed += self.open_size
        self.open_start, self.open_size = start, end - start
        self.position = max(self.position, end)
        self.stored += 1


@dataclass(slots=True)
class Life:
    """One incarnation of a pilot."""

    pilot: int
    incarnation: int
    born_s: float
    seen_s: float
    slots: int = 1
    speed: float = 1.0  # of its host, beside the reference host
    ended: str = ""
    broke_off: bool = False  # nobody had told it to go, and it had not said goodbye
    tasks: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Point:
    """How far the campaign was at a time: positions said by the living, and accepted ones."""

    time_s: float
    simulated: int
    stored: int
    watched: Measured | None = None  # the tally that a precision rule is about


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that somebody should know."""

    time_s: float
    cause: str
    pilot: int | None
    task: int | None
    detail: str


@dataclass(slots=True)
class Story:
    """Everything that a report needs to know of a campaign's course."""

    begun_s: float = 0.0
    ended_s: float = 0.0
    stages: list[tuple[float, str, str]] = field(default_factory=list)
    tasks: dict[int, Engagement] = field(default_factory=dict)
    lives: dict[tuple[int, int], Life] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    causes: dict[str, int] = field(default_factory=dict)  # of incidents, how many
    refused: dict[str, int] = field(default_factory=dict)  # by why, how many partials
    too_late: int = 0  # positions that came after the close, and had not been accepted before
    pauses: list[tuple[float, float]] = field(default_factory=list)  # before each restart
    messages: int = 0
    events: int = 0
    _gap_s: float = 0.0  # between points
    _offered: dict[str, tuple[int, int]] = field(default_factory=dict)  # not yet judged

    @property
    def working_s(self) -> float:
        """From the submission to the last fact, without the pauses."""
        return self.at(self.ended_s)

    @property
    def broken_lives(self) -> list[Life]:
        """The incarnations of pilots that broke off."""
        return [one for one in self.lives.values() if one.broke_off]

    @property
    def session_s(self) -> float:
        """The same of the last session."""
        return self.ended_s - (self.pauses[-1][1] if self.pauses else self.begun_s)

    def over_s(self, seen_s: float) -> float:
        """When it was over for somebody who worked until the end and was last heard of then."""
        ends_s = [at_s for at_s, stage, _ in self.stages if stage in OVER_WORDS and at_s >= seen_s]
        return ends_s[0] if ends_s else seen_s

    def at(self, time_s: float) -> float:
        """A time since the submission, pauses not counted."""
        paused_s = sum(
            min(end_s, time_s) - from_s for from_s, end_s in self.pauses if from_s < time_s
        )
        return time_s - self.begun_s - paused_s

    def decided(self, now_s: float, event: Event, commands: list[Command], state: State) -> None:
        """Take note of a fact and of what followed from it."""
        self.begun_s = self.begun_s or now_s
        before_s, self.ended_s = self.ended_s or now_s, now_s
        self.events += 1
        if isinstance(event, MessageReceived):
            self._message(now_s, event)
        elif isinstance(event, PilotExited):
            self._gone(event.pilot, event.incarnation, "its process ended", "lost")
        elif isinstance(event, PilotRemoved):
            for pilot, incarnation in self.lives:
                if pilot == event.pilot:
                    self._gone(pilot, incarnation, f"removed: {_words(event.cause)}", "lost")
        elif isinstance(event, MasterRestarted):
            self.pauses.append((before_s, now_s))
        for command in commands:
            self._command(now_s, command, state)
        self._count(now_s, state)

    def _message(self, now_s: float, message: MessageReceived) -> None:
        self.messages += 1
        key = message.pilot, message.incarnation
        life = self.lives.setdefault(key, Life(*key, now_s, now_s))
        life.seen_s = now_s
        for fact in message.facts:
            self._fact(now_s, life, fact)

    def _fact(self, now_s: float, life: Life, fact: Fact) -> None:
        if isinstance(fact, PilotRegistered):
            life.slots, life.speed = fact.slots, fact.speed
        elif isinstance(fact, PilotLeft):
            self._gone(life.pilot, life.incarnation, _words(fact.cause), "left")
        elif isinstance(fact, TaskProgressed | TaskEnded | TaskFailed):
            task = self.tasks.get(fact.task)
            if task is None or task.ended:
                return
            task.seen_s = now_s
            if isinstance(fact, TaskProgressed):
                task.position = max(task.position, fact.position)
                task.busy_us = max(task.busy_us, fact.busy_us)
            elif isinstance(fact, TaskFailed):
                task.ended = f"failed: {_words(fact.cause)}"
            else:
                task.ended = "ended"
        elif isinstance(fact, PartialStored):
            self._offered[fact.name] = fact.start, fact.end
            task = self.tasks.get(fact.task)
            if task is not None and not task.ended:
                task.seen_s = now_s

    def _command(self, now_s: float, command: Command, state: State) -> None:
        if isinstance(command, AnnounceStage):
            self.stages.append((now_s, command.stage.value, command.reason))
            if command.stage in OVER:
                self._over(command.campaign, state)
        elif isinstance(command, ReportIncident):
            found = _words(command.cause), command.pilot, command.task, command.detail
            self.causes[found[0]] = self.causes.get(found[0], 0) + 1
            if len(self.incidents) < INCIDENTS_MAX:
                self.incidents.append(Incident(now_s, *found))
        elif isinstance(command, Reply):
            for order in command.orders:
                self._order(now_s, command, order)

    def _order(self, now_s: float, reply: Reply, order: Order) -> None:
        if isinstance(order, StartTask) and order.task not in self.tasks:
            key = order.task, order.campaign, reply.pilot, reply.incarnation
            self.tasks[order.task] = Engagement(*key, now_s, now_s)
            life = self.lives.get((reply.pilot, reply.incarnation))
            if life is not None:
                life.tasks.append(order.task)
        elif isinstance(order, PartialAccepted):
            offered, task = self._offered.pop(order.name, None), self.tasks.get(order.task)
            if offered is not None and task is not None:
                task.accept(*offered)
        elif isinstance(order, PartialRefused):
            self._refuse(order)

    def _refuse(self, order: PartialRefused) -> None:
        offered, task = self._offered.pop(order.name, None), self.tasks.get(order.task)
        cause = _words(order.cause)
        self.refused[cause] = self.refused.get(cause, 0) + 1
        if order.cause is Refusal.CLOSED and offered is not None and task is not None:
            start, end = offered
            there = task.open_size if start == task.open_start else 0
            self.too_late += max(end - start - there, 0)
            task.position = max(task.position, end)

    def _gone(self, pilot: int, incarnation: int, how: str, tasks: str) -> None:
        life = self.lives.get((pilot, incarnation))
        if life is None or life.ended:
            return
        life.ended, life.broke_off = how, tasks == "lost"
        for number in life.tasks:
            if not self.tasks[number].ended:
                self.tasks[number].ended = tasks

    def _over(self, campaign: int, state: State) -> None:
        """Nothing is expected any more of those who work for it."""
        for life in self.lives.values():
            pilot = state.pilots.get(life.pilot)
            if pilot is not None and pilot.state in SILENT and not life.ended:
                self._gone(life.pilot, life.incarnation, "silent", "lost")
            for number in life.tasks:
                task = self.tasks[number]
                if task.campaign == campaign and not task.ended:
                    task.ended = CLOSED
            if not life.ended:
                life.ended = CLOSED

    def _count(self, now_s: float, state: State) -> None:
        if self.points and now_s - self.points[-1].time_s < self._gap_s:
            return
        record = the_campaign(state)
        if record is None:
            return
        counts = [one.count.reported + one.count.settled for one in state.campaigns.values()]
        stored = sum(one.stored for one in state.campaigns.values())
        self.points.append(Point(now_s, sum(counts), stored, measured(record)))
        if len(self.points) > POINTS_MAX:
            del self.points[1:-1:2]
            elapsed_s = self.points[-1].time_s - self.points[0].time_s
            self._gap_s = 2.0 * elapsed_s / POINTS_MAX


def _words(cause: FailureCause | Refusal) -> str:
    return str(cause.value).replace("_", " ")


def the_campaign(state: State) -> CampaignRecord | None:
    """The campaign of a pool that has one: the last, if it was extended."""
    return next(reversed(state.campaigns.values()), None)


def story_of(
    records: Iterable[tuple[float, Event]], controller: Controller
) -> tuple[Story, CampaignRecord | None]:
    """The story that a journal tells, and the state of its campaign in the end."""
    story = Story()
    for now_s, event in records:
        story.decided(now_s, event, controller.handle(now_s, event), controller.state)
    return story, the_campaign(controller.state)
