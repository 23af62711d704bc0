"""The output of a simulated world: what became of its campaigns, and the five figures.

The figures have one definition each. t₀: the campaign is submitted; T: how long after it closes.
The ideal is the time after t₀ at which all pilots, at their true speeds from arrival to death, have
computed as many samples as are wanted: efficiency = ideal / T, lost time = T - ideal,
overshoot = (accepted - N) / N; wasted = samples simulated up to T, by tasks that live then, and not
accepted, by N; lost = the same for tasks that do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from manyhands.model.campaign import Stage
from manyhands.model.coverage import EMPTY, Coverage
from manyhands.simulator.clock import SECOND, us
from manyhands.simulator.host import SAMPLE_WORK
from manyhands.simulator.scenario import PilotPlan, Scenario

Journaled = tuple[float, object]


@dataclass(frozen=True, slots=True)
class Figures:
    """The five figures of one campaign, and the two times that they come from."""

    closed_s: float  # T
    ideal_s: float  # infinite if the pilots could never have done it
    wanted: int
    accepted: int
    wasted: float
    lost: float

    @property
    def efficiency(self) -> float:
        """How much of its time would have been enough."""
        return self.ideal_s / self.closed_s

    @property
    def lost_time_s(self) -> float:
        """How much later it closed than it could have."""
        return self.closed_s - self.ideal_s

    @property
    def overshoot(self) -> float:
        """How much more was accepted than was wanted."""
        return (self.accepted - self.wanted) / self.wanted


@dataclass(frozen=True, slots=True)
class CampaignOutcome:
    """What became of one campaign. `makespan_s`: from its submission to its end, if it ended."""

    campaign: int
    stage: Stage
    reason: str
    figures: Figures | None
    makespan_s: float | None
    samples: int = 0  # that the answer holds
    value: int = 0
    coverage: Coverage = EMPTY


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a world."""

    seed: int
    campaigns: tuple[CampaignOutcome, ...]
    ended_s: float
    messages: int  # that pilots sent, repeats included
    messages_heard: int
    replies: int
    pilot_periods: float  # how long pilots lived, in their report periods; 0 if those vary
    events: dict[str, int] = field(default_factory=dict)  # of the journal, by type
    facts: dict[str, int] = field(default_factory=dict)
    orders: dict[str, int] = field(default_factory=dict)
    incidents: dict[str, int] = field(default_factory=dict)
    faults_met: dict[str, int] = field(default_factory=dict)

    @property
    def messages_per_period(self) -> float:
        """Of one pilot, in one of its report periods; 0 if those vary."""
        return self.messages / self.pilot_periods if self.pilot_periods else 0.0

    @property
    def completed(self) -> bool:
        """Whether every campaign is done."""
        return all(one.stage is Stage.DONE for one in self.campaigns)


@dataclass(frozen=True, slots=True)
class Simulated:
    """How many samples a campaign's tasks, living or not, had simulated when it closed."""

    closed_us: int
    living: int = 0
    dead: int = 0
    dead_accepted: int = 0


def figures(
    scenario: Scenario, submitted_s: float, wanted: int | None, accepted: int, at: Simulated
) -> Figures:
    """The five figures; what was accepted stands for N where there is none."""
    target = wanted or accepted
    begun_us = us(submitted_s)
    ideal_us = ideal_time_us(scenario.pilots, begun_us, target, scenario.faults_end_s)
    return Figures(
        closed_s=(at.closed_us - begun_us) / SECOND,
        ideal_s=inf if ideal_us is None else (ideal_us - begun_us) / SECOND,
        wanted=target,
        accepted=accepted,
        # In terms of the answer, so that what was accepted and then dropped is wasted too.
        wasted=(at.living - (accepted - at.dead_accepted)) / target,
        lost=(at.dead - at.dead_accepted) / target,
    )


def pool_work(
    pilots: Sequence[PilotPlan], from_us: int, until_us: int, faults_end_s: float = inf
) -> int:
    """What all pilots could do between two times, in units of work."""
    total = 0
    for plan in pilots:
        for start_s, end_s in plan.lives(faults_end_s):
            start_us = max(us(start_s), from_us)
            end_us = until_us if end_s == inf else min(us(end_s), until_us)
            if start_us < end_us:
                work = plan.profile.work_at(end_us) - plan.profile.work_at(start_us)
                total += plan.slots * work
    return total


def ideal_time_us(
    pilots: Sequence[PilotPlan], from_us: int, samples: int, faults_end_s: float = inf
) -> int | None:
    """The first microsecond by which the pilots could have done the samples; None if never."""
    wanted = samples * SAMPLE_WORK
    step = SECOND
    while pool_work(pilots, from_us, from_us + step, faults_end_s) < wanted:
        step *= 2
        if step > 1 << 60:
            return None
    least, most = from_us, from_us + step
    while least < most:
        middle = (least + most) // 2
        if pool_work(pilots, from_us, middle, faults_end_s) < wanted:
            least = middle + 1
        else:
            most = middle
    return most
