"""Long lives of pilots that are mostly honest: deep states, and every row and transition met.

What `test_any_message.py` says in a few arbitrary messages is said here in hundreds, by pilots that
do as they are told for most of the time. A seed is a life; the invariants hold after each event.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.life_cycles import all_rows
from manyhands.control.records import PilotRecord, PilotState, TaskRecord, TaskState
from manyhands.model.campaign import Campaign, Mode
from manyhands.model.coverage import BLOCK_LINE, Coverage, Span
from manyhands.model.events import (
    CampaignCancelled,
    CampaignSubmitted,
    MasterRestarted,
    MessageReceived,
    ObjectCollected,
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
from tests.control.test_any_message import CAMPAIGNS, History

PILOTS = 4
CRASHED, TORN = FailureCause.APPLICATION_CRASHED, FailureCause.OBJECT_TORN
# What only worlds with more pilots, or with other pilots, come to; the simulator's swarm does.
RARE = 12


class Life:
    """One seed: a history, and pilots that look into the master's memory to know what to say."""

    def __init__(self, seed: int, campaigns: tuple[Campaign, ...] = CAMPAIGNS) -> None:
        self.random = Random(seed)
        self.history = History()
        self.names = 0
        self.history.tell(CampaignSubmitted(campaigns[seed % len(campaigns)]))
        self.lies = self.random.choice((0.0, 0.02, 0.2))

    def live(self, steps: int) -> Counter[str]:
        """So many events; the rows and transitions that were met."""
        halfway = self.random.randrange(steps)
        for step in range(steps):
            self.history.pass_time(self.random.choice((0.1, 0.5, 2.0, 5.0, 20.0, 70.0)))
            self._happen()
            if step == halfway:
                self.history.snapshot()
        return Counter(self.history.controller.trail.rows)

    def _happen(self) -> None:
        draw, tell, state = self.random, self.history.tell, self.history.controller.state
        luck = draw.random()
        if luck < 0.93:
            self._speak(draw.randrange(PILOTS))
        elif luck < 0.94:
            tell(PilotExited(draw.randrange(PILOTS), draw.randrange(3)))
        elif luck < 0.945:
            tell(PilotRemoved(draw.randrange(PILOTS)))
        elif luck < 0.95:
            self.history.pass_time(draw.choice((100.0, 300.0, 5000.0)))
            tell(Ticked())
        elif luck < 0.955:
            tell(MasterRestarted())
        elif luck < 0.957:
            tell(CampaignCancelled(0))
        elif luck < 0.975:
            self._judge(draw.choice([*state.campaigns.values()]))
        else:
            tell(ObjectCollected(draw.choice([*state.partials, "a", f"o{self.names}"])))

    def _judge(self, record: CampaignRecord) -> None:
        """Mostly the answer to the look that is asked for; else anything."""
        draw, judgement = self.random, record.judgement
        look = judgement.look if draw.random() < 0.9 else draw.randint(1, 9)
        if not look:
            return
        if draw.random() < 0.3:
            name = draw.choice([*self.history.controller.state.partials, "a"])
            self.history.tell(PrecisionUnjudged(0, look, name, ""))
            return
        error = draw.choice((None, 1.0, 0.3, 0.2, 0.01))
        samples = judgement.samples or draw.randint(1, 99)
        self.history.tell(PrecisionJudged(0, look, samples, error, None, None, 1000))

    def _speak(self, number: int) -> None:
        draw, history = self.random, self.history
        pilot = history.controller.state.pilots.get(number)
        if pilot is None or draw.random() < 0.02:
            incarnation = 0 if pilot is None else pilot.incarnation + 1
            first = PilotRegistered(draw.randint(1, 2))
            history.tell(MessageReceived(number, incarnation, 1, (first, WorkRequested(2))))
            return
        facts = tuple(fact for fact in self._facts(pilot) if draw.random() > 0.05)
        incarnation, following = pilot.incarnation, pilot.number + 1
        if draw.random() < 0.05:
            following = draw.randint(1, following)
            incarnation = draw.randint(0, incarnation)
        history.tell(MessageReceived(number, incarnation, following, facts, draw.randint(0, 10**6)))

    def _facts(self, pilot: PilotRecord) -> list[Fact]:
        draw, state = self.random, self.history.controller.state
        facts: list[Fact] = []
        for number in [*pilot.tasks, *([draw.randrange(9)] if draw.random() < self.lies else [])]:
            task = state.tasks.get(number)
            if task is not None:
                facts += self._of_task(state.campaigns[task.campaign], task)
        for claim in [*pilot.claims, *([draw.randrange(9)] if draw.random() < self.lies else [])]:
            if draw.random() < 0.3:
                facts.append(self._of_claim(claim))
        if pilot.proving:
            facts.append(ClassProven(0, "x" if draw.random() < 0.95 else "y"))
        facts.append(WorkRequested(draw.randint(1, 2)))
        if draw.random() < 0.01:
            facts.append(PilotLeft())
        return facts

    def _of_claim(self, claim: int) -> Fact:
        draw, known = self.random, self.history.controller.state.claims.get(claim)
        if draw.random() < 0.7:
            return MergeStored(claim, self._name(), "m")
        name = known.inputs[0] if known is not None and draw.random() < 0.9 else None
        return MergeFailed(claim, TORN, name)

    def _of_task(self, record: CampaignRecord, task: TaskRecord) -> list[Fact]:
        draw = self.random
        position = max(task.position + draw.randint(-1, 4), task.accepted)
        busy_us = task.busy_us + draw.randint(0, 10**7)
        facts: list[Fact] = [TaskProgressed(task.task, position, busy_us)]
        if draw.random() < 0.5:
            stored = self._partial(record, task)
            facts[:0] = [] if stored is None else [stored]
        luck = draw.random()
        if (task.state is TaskState.ENDING and luck < 0.5) or luck < 0.03:
            facts.append(TaskEnded(task.task))
        elif luck < 0.08:
            bad = record.blocks.prefix() if record.blocks is not None else None
            facts.append(TaskFailed(task.task, CRASHED, bad))
        elif luck < 0.15 and record.blocks is not None:
            held = record.blocks.holdings[task.task].held.intervals()
            facts.append(LeaseCut(task.task, tuple(held[1:])))
        return facts

    def _name(self) -> str:
        known = [*self.history.controller.state.partials]
        if known and self.random.random() < self.lies:
            return self.random.choice(known)
        self.names += self.random.random() < 0.95
        return f"o{self.names}"

    def _partial(self, record: CampaignRecord, task: TaskRecord) -> PartialStored | None:
        draw, state = self.random, self.history.controller.state
        final = record.campaign.growing or draw.random() < 0.2
        first = task.seal
        if record.blocks is None:
            end = task.accepted + draw.randint(1, 3) if draw.random() < 0.9 else task.accepted
            spans = [Span(task.stream, first, end)] if end > first else []
        else:
            opened = state.partials.get(task.open_name)
            spans = list(opened.coverage.spans) if opened is not None else []
            for low, high in record.blocks.holdings[task.task].held.intervals()[:1]:
                spans.append(Span(BLOCK_LINE, low, draw.randint(low + 1, min(high, low + 3))))
        coverage = Coverage.of(spans)
        if not coverage:
            return None
        count = coverage.size * (1 if record.campaign.mode is Mode.FREE else 10)
        sums: tuple[int, ...] = (count, 2 * count, 5 * count, 14 * count, 41 * count)
        rule = record.campaign.precision
        if rule is not None and rule.where is not None:
            sums = ()  # the merged result is judged
        digest = draw.choice("xxxxy")
        end = first + coverage.size
        return PartialStored(task.task, first, end, self._name(), digest, coverage, final, sums, 9)


@pytest.mark.parametrize("seed", range(2 * len(CAMPAIGNS)))
def test_a_life_keeps_the_invariants(seed: int) -> None:
    Life(seed).live(150)


@pytest.mark.slow
def test_many_lives_meet_every_row_and_transition() -> None:
    met: Counter[str] = Counter()
    for seed in range(1000, 1000 + 4 * len(CAMPAIGNS)):
        met += Life(seed).live(250)
    missing = [name for name in all_rows() if not met[name]]
    assert len(missing) <= RARE, missing
    assert PilotState.LOST.value in "".join(met)
