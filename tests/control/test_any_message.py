"""Whatever pilots say, in whatever order: nothing is counted twice, and nothing is raised.

Values are valid at birth, and otherwise arbitrary: from a small set of numbers and names, so that
they often meet. The other half of the steps is sensible, so that deep states are reached.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from manyhands.control.controller import Controller
from manyhands.control.replay import encoded
from manyhands.control.snapshot import digest, restore, save
from manyhands.model.campaign import Campaign, Ending, Merging, Mode, Pace, Split, Splitting
from manyhands.model.commands import Command, Reply, WakeAt
from manyhands.model.coverage import BLOCK_LINE, Coverage, Span
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
from manyhands.model.stopping import Budget, Deadline, Precision, Samples, all_of, any_of
from manyhands.model.where import AllCells
from tests.control.invariants import check

PHASES = [Phase.explicit, Phase.reuse, Phase.generate]  # to shrink such lives takes too long
PILOTS = 3
NAMES = tuple("abcdefgh")
DIGESTS = ("x", "y")

numbers = st.integers(0, 5)
names = st.sampled_from(NAMES)
causes = st.sampled_from(list(FailureCause))
spans = st.lists(st.tuples(st.integers(0, 11), st.integers(1, 4)), min_size=1, max_size=2)
wild = st.integers(0, 200) | st.sampled_from([1 << 40, 1 << 62])
precise = Precision("t", relative=0.1, samples_min=2, nonzero_min=1, unit=1.0)
judged = Precision("t", relative=0.1, samples_min=2, nonzero_min=1, where=AllCells())
CHUNKS = Splitting(Split.CHUNKS, samples=3)
STATIC = Splitting(Split.STATIC, tasks=3)
EARLY = Splitting(Split.EARLY_BINDING, tasks=3)
MERGING = Merging(2, 2)
QUICK = Pace(report_s=10.0)

CAMPAIGNS = (
    Campaign(0, "free", 1, Samples(12), merging=MERGING),
    Campaign(0, "free, often", 1, Samples(12), merging=MERGING, pace=QUICK),
    Campaign(0, "growing", 1, Samples(12), growing=True, merging=MERGING),
    Campaign(0, "chunks", 1, Samples(12), splitting=CHUNKS),
    Campaign(0, "static", 1, Samples(12), splitting=STATIC, merging=MERGING),
    Campaign(0, "early", 1, Samples(12), splitting=EARLY),
    Campaign(0, "published", 1, Samples(12), ending=Ending.PUBLISHED, merging=MERGING),
    Campaign(0, "first", 1, Samples(12), ending=Ending.PUBLISHED_FIRST, splitting=STATIC),
    Campaign(0, "precise", 1, precise, merging=MERGING),
    Campaign(0, "any", 1, any_of(precise, Deadline(900.0), Budget(0.001))),
    Campaign(0, "all", 1, all_of(precise, Samples(6), any_of(Deadline(9.0), Budget(1.0)))),
    Campaign(0, "exact", 1, Samples(95), Mode.EXACT, 10, classes=False, merging=MERGING),
    Campaign(0, "classes", 1, Samples(40), Mode.EXACT, 10, pace=QUICK, skip_poisoned=1),
    Campaign(0, "exact, precise", 1, precise, Mode.EXACT, 10, classes=False, merging=MERGING),
    Campaign(0, "judged", 1, judged, merging=MERGING),
    Campaign(0, "exact, judged", 1, judged, Mode.EXACT, 10, classes=False, merging=MERGING),
    Campaign(0, "both", 1, any_of(precise, Samples(900)), Mode.EXACT, 10, classes=False),
)
LIMITS = Limits(hosts_per_block_max=2, failures_in_a_row_max=4, names_remembered_max=50)


@dataclass
class History:
    """A controller, what was told to it, and what it said."""

    controller: Controller = field(default_factory=lambda: Controller(LIMITS))
    now_s: float = 0.0
    numbers: dict[int, int] = field(default_factory=dict)
    incarnations: dict[int, int] = field(default_factory=dict)
    twin: Controller | None = None
    wake_s: float = 1e18

    def tell(self, event: Event) -> None:
        """The event happens to the controller and to its twin, which must do the same."""
        commands = self.controller.handle(self.now_s, event)
        check(self.controller)
        replies = [one for one in commands if isinstance(one, Reply)]
        assert len(replies) == isinstance(event, MessageReceived)
        for one in commands:
            if isinstance(one, WakeAt):
                self.wake_s = min(self.wake_s, one.time_s)
        if self.twin is not None:
            self._compare(commands, self.twin.handle(self.now_s, event))

    def _compare(self, commands: list[Command], again: list[Command]) -> None:
        assert encoded(commands) == encoded(again)
        assert self.twin is not None
        assert digest(self.twin) == digest(self.controller)

    def snapshot(self) -> None:
        """From here on the twin is the controller as a snapshot restores it."""
        data = save(self.controller)
        self.twin = restore(data, Controller)
        assert save(self.twin) == data

    def pass_time(self, seconds: float) -> None:
        """With a tick where one was asked for, if that is soon enough."""
        self.now_s += seconds
        if self.wake_s <= self.now_s:
            self.now_s, self.wake_s = max(self.wake_s, 0.0), 1e18
            self.tell(Ticked())


@st.composite
def any_partials(draw: st.DrawFn, history: History) -> PartialStored:
    """Half of them as an honest pilot would, as far as one can know from outside."""
    state = history.controller.state
    task = draw(st.sampled_from([*state.tasks][-4:] or [0]) | numbers)
    record = state.tasks.get(task)
    name, what = draw(names | st.uuids().map(str)), draw(st.sampled_from(DIGESTS))
    final, sums = (
        draw(st.booleans()),
        draw(st.sampled_from([(), (1,), (3, 6, 14), (2, 9, 41, 5, 7)])),
    )
    if record is not None and draw(st.booleans()):
        blocks = state.campaigns[record.campaign].blocks
        count = draw(st.integers(1, 5))
        if blocks is None:
            start, end = record.seal, max(record.seal, record.accepted) + count
            coverage = Coverage((Span(record.stream, start, end),))
            return PartialStored(task, start, end, name, what, coverage, final, sums, 5)
        holding = blocks.holdings[task]
        opened = state.partials.get(record.open_name)
        before = list(opened.coverage.spans) if opened is not None else []
        held = [
            Span(BLOCK_LINE, low, min(low + count, high)) for low, high in holding.held.intervals()
        ]
        fresh = Coverage.of(held[: draw(st.integers(1, 2))])
        if fresh and draw(st.booleans()) and opened is not None:
            start = record.accepted
            return PartialStored(task, start, start + fresh.size, name, what, fresh, True, sums, 5)
        coverage = Coverage.of([*before, *(fresh.spans)])
        if coverage:
            end = record.seal + coverage.size
            return PartialStored(task, record.seal, end, name, what, coverage, final, sums, 5)
    line = draw(st.integers(-1, 3))
    coverage = Coverage(())
    for low, size in draw(spans):
        coverage = coverage | (Coverage((Span(line, low, low + size),)) - coverage)
    start = draw(st.integers(0, 6))
    return PartialStored(task, start, start + coverage.size, name, what, coverage, final, sums, 9)


@st.composite
def any_facts(draw: st.DrawFn, history: History) -> Fact:
    """One fact of any kind; the common ones are more frequent."""
    state = history.controller.state
    task = draw(st.sampled_from([*state.tasks][-4:] or [0]) | numbers)
    claim = draw(st.sampled_from([*state.claims][-3:] or [0]) | numbers)
    known = draw(st.sampled_from([*state.partials][-4:] or ["a"]) | names)
    kind = draw(st.integers(0, 16))
    match kind:
        case 0 | 1 | 2 | 3:
            return WorkRequested(draw(st.integers(1, 5)))
        case 4 | 5 | 6:
            return TaskProgressed(task, draw(wild), draw(wild))
        case 7:
            return TaskEnded(task)
        case 8:
            return TaskFailed(task, draw(causes), draw(st.none() | st.integers(0, 12)))
        case 9:
            cut = draw(spans)
            return LeaseCut(task, tuple((low, low + size) for low, size in cut))
        case 10:
            return MergeStored(claim, draw(st.just(known) | st.uuids().map(str)), "m")
        case 11:
            return MergeFailed(claim, draw(causes), draw(st.none() | st.just(known)))
        case 12:
            return ClassProven(draw(st.sampled_from([0, 1])), draw(st.sampled_from(DIGESTS)))
        case 13:
            rare = draw(st.integers(0, 3)) == 0
            return PilotLeft() if rare else PilotRegistered(draw(st.integers(1, 3)))
        case _:
            return draw(any_partials(history))


@st.composite
def any_messages(draw: st.DrawFn, history: History) -> MessageReceived:
    """Mostly the next one of a pilot; sometimes an old number, or another incarnation."""
    pilot = draw(st.integers(0, PILOTS - 1))
    facts = tuple(draw(st.lists(any_facts(history), max_size=4)))
    way = draw(st.integers(0, 9))
    incarnation = history.incarnations.get(pilot, -1)
    if way == 0 or incarnation < 0:
        incarnation += draw(st.integers(1, 2))
        if draw(st.integers(0, 4)):
            facts = (PilotRegistered(draw(st.integers(1, 3))), *facts)
            history.incarnations[pilot] = incarnation
            history.numbers[pilot] = 0
    elif way == 1:
        incarnation = draw(st.integers(0, incarnation))
        number = draw(st.integers(1, 6))
        return MessageReceived(pilot, incarnation, number, facts, draw(wild))
    number = history.numbers[pilot] = history.numbers.get(pilot, 0) + draw(st.integers(1, 2))
    trip_us = draw(st.integers(0, 10**6) | wild)
    return MessageReceived(pilot, incarnation, number, facts, trip_us)


@st.composite
def any_events(draw: st.DrawFn, history: History) -> Event:
    """Nearly always a message."""
    match draw(st.integers(0, 29)):
        case 0:
            return Ticked()
        case 1:
            return MasterRestarted()
        case 2:
            return PilotExited(draw(st.integers(0, PILOTS)), draw(st.integers(0, 2)))
        case 3:
            rare = draw(st.integers(0, 3)) == 0
            return PilotRemoved(draw(st.integers(0, PILOTS))) if rare else Ticked()
        case 4:
            return ObjectCollected(draw(names))
        case 5:
            deleting = [*history.controller.state.deleting]
            return ObjectDeleted(draw(st.sampled_from(deleting or ["a"])))
        case 6:
            rare = draw(st.integers(0, 9)) == 0
            return CampaignCancelled(draw(st.integers(0, 2))) if rare else Ticked()
        case _:
            return draw(any_messages(history))


def _live(data: st.DataObject, campaigns: list[Campaign], steps: int) -> None:
    history = History()
    for one in campaigns:
        history.tell(CampaignSubmitted(one))
    halfway = data.draw(st.integers(0, steps))
    for step in range(steps):
        history.pass_time(data.draw(st.sampled_from([0.0, 0.1, 1.0, 10.0, 60.0, 200.0, -5.0])))
        history.tell(data.draw(any_events(history)))
        if step == halfway:
            history.snapshot()


@settings(max_examples=60, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(st.data(), st.sampled_from(CAMPAIGNS))
def test_no_message_breaks_a_campaign(data: st.DataObject, campaign: Campaign) -> None:
    _live(data, [campaign], steps=25)


@settings(max_examples=15, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(st.data(), st.sampled_from(CAMPAIGNS), st.sampled_from(CAMPAIGNS))
def test_no_message_breaks_two_campaigns(
    data: st.DataObject, first: Campaign, second: Campaign
) -> None:
    _live(data, [first, replace(second, campaign=1)], steps=25)
