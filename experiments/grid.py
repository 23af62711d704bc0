"""The grid of the thesis's third chapter, as a scenario: pilots that come late, fail, and differ.

Camarasu-Pop 2013, chapter 3: 450,000 samples of 0.128 s on a mean host, in 25, 50 or 75 pilots;
half of them are there after 900 s and a tenth never comes. A quarter of those that come fail while
they compute: the pilot dies, which is seen after half a minute, and it never comes back; so neither
way of splitting is favoured. Nothing is stored before a task's end, and pilots report every 300 s.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from math import exp, log

from manyhands.model.campaign import Campaign, Ending, Pace, Split, Splitting
from manyhands.model.stopping import Samples
from manyhands.simulator.host import constant
from manyhands.simulator.scenario import PilotPlan, Scenario, Submission

SAMPLES = 450_000
SAMPLE_S = 0.128  # on a mean host
SIZES = (25, 50, 75)
REPORT_S = 300.0
ARRIVED_HALF_S = 900.0
NEVER = 0.10
FAILING = 0.25
EXIT_SEEN_S = 30.0
EXTRA_S = 3600.0

# Hosts and Gflop/s of the clusters of Grid'5000, as SimGrid publishes them (g5k.xml).
GRID5000 = (
    (51, 5.2297), (93, 8.8925), (10, 13.357), (12, 23.681), (72, 23.492), (34, 21.175),
    (26, 8.9618), (46, 22.270), (56, 4.7233), (79, 5.6693), (144, 16.673), (92, 20.678),
    (310, 4.7153), (30, 4.7144), (64, 21.496), (33, 12.910), (25, 30.130), (40, 27.391),
    (56, 7.7318), (50, 8.9388), (45, 23.530), (80, 9.5674), (52, 5.1143),
)  # fmt: skip

Speeds = Callable[[random.Random], float]  # of one host, by the mean host's


@dataclass(frozen=True, slots=True)
class LogUniform:
    """Speeds over a range, the fastest by the slowest, every factor as likely as every other."""

    ratio: float

    def __call__(self, draws: random.Random) -> float:
        """One host."""
        if self.ratio == 1.0:
            return 1.0
        return log(self.ratio) / (self.ratio - 1) * exp(log(self.ratio) * draws.random())

    def __str__(self) -> str:
        return f"×{self.ratio:g}"


@dataclass(frozen=True, slots=True)
class Clusters:
    """Hosts of the clusters of Grid'5000."""

    def __call__(self, draws: random.Random) -> float:
        """One host."""
        hosts = [count for count, _ in GRID5000]
        mean = sum(count * speed for count, speed in GRID5000) / sum(hosts)
        return draws.choices([speed for _, speed in GRID5000], hosts)[0] / mean

    def __str__(self) -> str:
        return "Grid'5000"


SPREADS: tuple[LogUniform | Clusters, ...] = (
    *(LogUniform(ratio) for ratio in (2.0, 4.0, 8.0, 16.0, 32.0)),
    Clusters(),
)


@dataclass(frozen=True, slots=True)
class Grid:
    """One experiment: how many pilots, how uneven, how they fail, and how the work is split.

    Two of them that differ in their splitting only have the same pilots in the same seed.
    """

    pilots: int = 75
    speeds: Speeds = field(default_factory=Clusters)
    split: Split = Split.DYNAMIC
    ending: Ending = Ending.FORECAST
    failing: float = FAILING
    never: float = NEVER
    arrived_half_s: float = ARRIVED_HALF_S
    samples: int = SAMPLES

    def scenario(self, seed: int) -> Scenario:
        """One draw of it."""
        draws = random.Random(seed)
        plans = tuple(self._plan(number, draws) for number in range(self._coming()))
        doomed = set(draws.sample(range(len(plans)), round(self.failing * len(plans))))
        shares = [draws.random() for _ in plans]
        plans = tuple(
            self._failing(plan, part) if plan.pilot in doomed else plan
            for plan, part in zip(plans, shares, strict=True)
        )
        tasks = 0 if self.split is Split.DYNAMIC else self.pilots
        campaign = Campaign(
            campaign=0,
            name=f"{self.split.value}-{self.pilots}",
            seed=draws.getrandbits(63),
            stop=Samples(self.samples),
            splitting=Splitting(self.split, tasks),
            ending=self.ending,
            pace=Pace(REPORT_S, checkpoints=False),
        )
        return Scenario(
            seed=draws.getrandbits(63),
            campaigns=(Submission(campaign),),
            pilots=plans,
            until_s=self._until_s(plans),
        )

    def _coming(self) -> int:
        return self.pilots - round(self.never * self.pilots)

    def _plan(self, number: int, draws: random.Random) -> PilotPlan:
        # Uniform, so that there is an end of coming: half of all when half of all that are asked
        # for have come.
        last_s = 2 * self.arrived_half_s * self._coming() / self.pilots
        speed = self.speeds(draws) / SAMPLE_S
        return PilotPlan(number, draws.uniform(0.0, last_s), constant(speed))

    def _failing(self, plan: PilotPlan, part: float) -> PilotPlan:
        """It dies somewhere in the time that an equal share would take it."""
        death_s = plan.arrival_s + part * self._share_s(plan)
        return PilotPlan(
            plan.pilot, plan.arrival_s, plan.profile, death_s=death_s, exit_seen_s=EXIT_SEEN_S
        )

    def _until_s(self, plans: tuple[PilotPlan, ...]) -> float:
        slowest_s = max(self._share_s(plan) for plan in plans)
        if self.split is Split.EARLY_BINDING:
            return 2 * self.arrived_half_s + slowest_s + EXTRA_S
        return 20 * (2 * self.arrived_half_s + slowest_s) + EXTRA_S

    def _share_s(self, plan: PilotPlan) -> float:
        return share_s(plan, self.pilots, self.samples)


def calm(pilots: int, samples: int = SAMPLES) -> Grid:
    """All pilots come, in the first report period, and none fails."""
    return Grid(pilots, failing=0.0, never=0.0, arrived_half_s=REPORT_S / 2, samples=samples)


def share_s(plan: PilotPlan, tasks: int, samples: int = SAMPLES) -> float:
    """How long an equal share takes a pilot."""
    return samples / tasks / (plan.profile.rates[0] / 1e6)
