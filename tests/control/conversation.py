"""A pilot's side of the conversation: numbered messages go in, orders are read out of replies.

`Pool` is a controller with a clock that keeps its appointments; the invariants are checked after
every event. `Hand` is a pilot that says whatever the test wants, and nothing by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.controller import Controller
from manyhands.control.life_cycles import Row
from manyhands.control.records import PilotRecord, TaskRecord
from manyhands.model.campaign import Campaign, Merging, Mode, Pace, Stage
from manyhands.model.commands import Command, DeleteObject, Reply, ReportIncident, WakeAt
from manyhands.model.coverage import BLOCK_LINE, Coverage, Span
from manyhands.model.events import CampaignSubmitted, Event, MessageReceived, Ticked
from manyhands.model.facts import (
    Fact,
    PartialStored,
    PilotRegistered,
    TaskProgressed,
    WorkRequested,
)
from manyhands.model.failures import FailureCause
from manyhands.model.limits import Limits
from manyhands.model.orders import Order, PartialAccepted, PartialRefused, StartTask
from manyhands.model.stopping import Samples, StopRule
from tests.control.invariants import check

T = TypeVar("T")
Verdict = PartialAccepted | PartialRefused

PERIOD_S = 60.0
EVERY_MINUTE = Pace(report_s=PERIOD_S)
LONG_S = 1e6
MANY = 5000
NOW_AND_THEN_S = 1.0  # between two messages of a test that does not care


def free(stop: int | StopRule = 10_000, campaign: int = 0, **more: object) -> Campaign:
    """A campaign in free mode whose pilots report every minute."""
    rule = Samples(stop) if isinstance(stop, int) else stop
    given: dict[str, Any] = {"pace": EVERY_MINUTE, **more}
    return Campaign(campaign, "free", 7, rule, **given)


def exact(stop: int | StopRule = 100, campaign: int = 0, **more: object) -> Campaign:
    """A campaign in exact mode, ten samples to a block; nobody has to prove anything."""
    rule = Samples(stop * 10) if isinstance(stop, int) else stop
    given: dict[str, Any] = {
        "pace": EVERY_MINUTE,
        "block_samples": 10,
        "classes": False,
        **more,
    }
    return Campaign(campaign, "exact", 7, rule, mode=Mode.EXACT, **given)


def merged(mergers: int = 2, inputs: int = 2) -> Merging:
    """How a campaign merges that merges early."""
    return Merging(mergers, inputs)


def of(kind: type[T], things: Iterable[object]) -> list[T]:
    """Those of one kind."""
    return [one for one in things if isinstance(one, kind)]


def only(kind: type[T], things: Iterable[object]) -> T:
    """The only one of its kind."""
    found = of(kind, things)
    assert len(found) == 1, found
    return found[0]


class Pool:
    """A controller, its clock, and what it said last."""

    def __init__(self, *campaigns: Campaign, limits: Limits | None = None) -> None:
        self.controller = Controller(limits or Limits())
        self.now_s = 0.0
        self.commands: list[Command] = []
        self.history: list[Command] = []
        self.began_s: dict[int, float] = {}
        self._wakes: list[float] = []
        for one in campaigns:
            self.tell(CampaignSubmitted(one))

    def tell(self, event: Event, after_s: float = 0.0) -> list[Command]:
        """Something happens, perhaps later, with all that is due until then."""
        if after_s:
            self.wait(after_s)
        self.commands = self.controller.handle(self.now_s, event)
        self.history += self.commands
        self._wakes += [one.time_s for one in of(WakeAt, self.commands)]
        check(self.controller)
        return self.commands

    def wait(self, seconds: float) -> None:
        """Time passes, with a tick at each time that was asked for."""
        end_s = self.now_s + seconds
        while self._wakes and min(self._wakes) <= end_s:
            self.now_s = max(min(self._wakes), self.now_s)
            self._wakes = [one for one in self._wakes if one > self.now_s]
            self.tell(Ticked())
            assert len(self.history) < MANY, "this goes on for ever"
        self.now_s = end_s
        assert end_s < LONG_S, "this goes on for ever"

    def campaign(self, number: int = 0) -> CampaignRecord:
        """What the master remembers of a campaign."""
        return self.controller.state.campaigns[number]

    def stage(self, number: int = 0) -> Stage:
        """Where a campaign stands."""
        return self.campaign(number).stage

    def task(self, number: int) -> TaskRecord:
        """What the master remembers of a task."""
        return self.controller.state.tasks[number]

    def pilot(self, number: int) -> PilotRecord:
        """What the master remembers of a pilot."""
        return self.controller.state.pilots[number]

    def took(self, row: Row) -> int:
        """How often a row of the message table was taken."""
        return self.controller.trail.rows.get(row.name, 0)

    def deleted(self) -> list[str]:
        """The objects that the last event made useless."""
        return [one.name for one in of(DeleteObject, self.commands)]

    def incidents(self) -> list[FailureCause]:
        """What the last event made somebody's trouble."""
        return [one.cause for one in of(ReportIncident, self.commands)]


class Hand:
    """A pilot that speaks when the test says so."""

    def __init__(self, pool: Pool, pilot: int = 0, slots: int = 1, incarnation: int = 0) -> None:
        self.pool = pool
        self.pilot = pilot
        self.slots = slots
        self.incarnation = incarnation
        self.number = 0
        self.report_in_s = 0.0

    def say(
        self,
        *facts: Fact,
        after_s: float = NOW_AND_THEN_S,
        number: int | None = None,
        round_trip_us: int = 0,
    ) -> tuple[Order, ...]:
        """One message, and the orders in its reply."""
        self.number = self.number + 1 if number is None else number
        message = MessageReceived(self.pilot, self.incarnation, self.number, facts, round_trip_us)
        reply = only(Reply, self.pool.tell(message, after_s))
        assert self.number < MANY, "this goes on for ever"
        assert (reply.pilot, reply.incarnation) == (self.pilot, self.incarnation)
        assert reply.number == self.number
        self.report_in_s = reply.report_in_s
        for order in of(StartTask, reply.orders):
            self.pool.began_s.setdefault(order.task, self.pool.now_s)
        return reply.orders

    def join(self, after_s: float = NOW_AND_THEN_S) -> tuple[Order, ...]:
        """The first message: who it is, and that all its slots want work."""
        return self.say(PilotRegistered(self.slots), WorkRequested(self.slots), after_s=after_s)

    def begin(self, after_s: float = NOW_AND_THEN_S) -> StartTask:
        """Join, and be given one task."""
        return only(StartTask, self.join(after_s))

    def ask(self, after_s: float = NOW_AND_THEN_S) -> tuple[Order, ...]:
        """A slot is idle."""
        return self.say(WorkRequested(1), after_s=after_s)

    def report(
        self, start: StartTask, position: int, after_s: float = PERIOD_S
    ) -> tuple[Order, ...]:
        """How far a task is; its slot has been busy all the time."""
        return self.say(self.progress(start, position, after_s), after_s=after_s)

    def progress(self, start: StartTask, position: int, after_s: float = 0.0) -> TaskProgressed:
        """The fact that a task is so far, after working ever since it was started."""
        worked_s = self.pool.now_s + after_s - self.pool.began_s[start.task]
        return TaskProgressed(start.task, position, round(1e6 * worked_s))

    def offer(self, fact: PartialStored, after_s: float = NOW_AND_THEN_S) -> Verdict:
        """Say that something is stored, and hear what becomes of it."""
        orders = self.say(fact, after_s=after_s)
        verdict = [one for one in orders if isinstance(one, (PartialAccepted, PartialRefused))]
        assert [one.name for one in verdict] == [fact.name], orders
        return verdict[0]


def stored(
    start: StartTask,
    first: int,
    end: int,
    digest: str = "d",
    name: str = "",
    **more: Any,
) -> PartialStored:
    """A partial of a task in free mode; its name says what it is, unless another is given."""
    coverage = Coverage((Span(start.stream, first, end),))
    name = name or f"{start.task}/{first}-{end}/{digest}"
    rest = {"final": False, "sums": (), "upload_us": 1_000_000, **more}
    return PartialStored(start.task, first, end, name, digest, coverage, **rest)


def blocks(
    start: StartTask,
    first: int,
    *spans: tuple[int, int],
    digest: str = "d",
    final: bool = False,
    sums: tuple[int, ...] = (),
) -> PartialStored:
    """A partial of a task in exact mode, from position `first`, with these blocks."""
    coverage = Coverage(tuple(Span(BLOCK_LINE, low, high) for low, high in spans))
    name = f"{start.task}/{spans}/{digest}"
    end = first + coverage.size
    return PartialStored(start.task, first, end, name, digest, coverage, final, sums, 1_000_000)
