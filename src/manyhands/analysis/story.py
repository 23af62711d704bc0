"""Who did what, and when: made from facts and decisions, live or from a journal, the same way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.controller import Controller
from manyhands.control.state import State
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
from manyhands.model.orders import PartialAccepted, PartialRefused, StartTask

POINTS_MAX = 4000  # of a curve; beyond, every other one is forgotten


@dataclass(slots=True)
class Engagement:
    """One task, as its pilot told of it."""

    task: int
    pilot: int
    incarnation: int
    begun_s: float
    seen_s: float  # when it was last heard of
    position: int = 0
    busy_us: int = 0
    accepted: int = 0  # positions
    stored: int = 0  # partials
    ended: str = ""  # how; empty while it goes on


@dataclass(slots=True)
class Life:
    """One incarnation of a pilot."""

    pilot: int
    incarnation: int
    born_s: float
    seen_s: float
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """How far the campaign was at a time: positions said by the living, and accepted ones."""

    time_s: float
    simulated: int
    stored: int


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
    refused: dict[str, int] = field(default_factory=dict)  # by why, how many partials
    restarts: list[float] = field(default_factory=list)
    messages: int = 0
    _gap_s: float = 0.0  # between points

    def decided(self, now_s: float, event: Event, commands: list[Command], state: State) -> None:
        """Take note of a fact and of what followed from it."""
        self.begun_s = self.begun_s or now_s
        self.ended_s = now_s
        if isinstance(event, MessageReceived):
            self._message(now_s, event)
        elif isinstance(event, PilotExited):
            self._gone(event.pilot, event.incarnation, "its process ended")
        elif isinstance(event, PilotRemoved):
            for pilot, incarnation in self.lives:
                if pilot == event.pilot:
                    self._gone(pilot, incarnation, f"removed: {event.cause.value}")
        elif isinstance(event, MasterRestarted):
            self.restarts.append(now_s)
        for command in commands:
            self._command(now_s, command)
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
            return
        if isinstance(fact, PilotLeft):
            self._gone(life.pilot, life.incarnation, fact.cause.value)
        elif isinstance(fact, TaskProgressed | TaskEnded | TaskFailed):
            task = self.tasks.get(fact.task)
            if task is None or task.ended:
                return
            task.seen_s = now_s
            if isinstance(fact, TaskProgressed):
                task.position, task.busy_us = fact.position, fact.busy_us
            elif isinstance(fact, TaskFailed):
                task.ended = f"failed: {fact.cause.value}"
            else:
                task.ended = "ended"
        elif isinstance(fact, PartialStored):
            task = self.tasks.get(fact.task)
            if task is not None:
                task.seen_s = max(task.seen_s, now_s)

    def _command(self, now_s: float, command: Command) -> None:
        if isinstance(command, AnnounceStage):
            self.stages.append((now_s, command.stage.value, command.reason))
        elif isinstance(command, ReportIncident):
            found = command.cause.value, command.pilot, command.task, command.detail
            self.incidents.append(Incident(now_s, *found))
        elif isinstance(command, Reply):
            for order in command.orders:
                if isinstance(order, StartTask):
                    key = order.task, command.pilot, command.incarnation
                    self.tasks.setdefault(order.task, Engagement(*key, now_s, now_s))
                elif isinstance(order, PartialAccepted):
                    task = self.tasks.get(order.task)
                    if task is not None:
                        task.stored += 1
                elif isinstance(order, PartialRefused):
                    cause = order.cause.value
                    self.refused[cause] = self.refused.get(cause, 0) + 1

    def _gone(self, pilot: int, incarnation: int, how: str) -> None:
        life = self.lives.get((pilot, incarnation))
        if life is not None and not life.ended:
            life.ended = how
        for task in self.tasks.values():
            if (task.pilot, task.incarnation) == (pilot, incarnation) and not task.ended:
                task.ended = "lost"

    def _count(self, now_s: float, state: State) -> None:
        if self.points and now_s - self.points[-1].time_s < self._gap_s:
            return
        record = the_campaign(state)
        if record is None:
            return
        self.points.append(
            Point(now_s, record.count.reported + record.count.settled, record.stored)
        )
        if len(self.points) > POINTS_MAX:
            del self.points[1:-1:2]
            elapsed_s = self.points[-1].time_s - self.points[0].time_s
            self._gap_s = 2.0 * elapsed_s / POINTS_MAX


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
