"""Scenarios that have a name, as functions of a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from math import log
from typing import Any

from manyhands.model.campaign import Campaign, Ending, Mode, Pace
from manyhands.model.stopping import Samples, StopRule
from manyhands.simulator.clock import us
from manyhands.simulator.host import SAMPLE_WORK, SpeedProfile, constant, drifting
from manyhands.simulator.metrics import pool_work
from manyhands.simulator.scenario import Network, PilotPlan, Scenario, Submission

PERIOD_S = 60.0
SPEED_MEAN = 100.0  # samples/s of the mean pilot
SPEED_RANGE = 8.0  # the fastest by the slowest
CORRELATION_S = 30.0
ARRIVALS = 0.05  # the part of the ideal time in which pilots arrive
BLOCKS_PER_PERIOD = 10  # of the mean pilot, in exact mode
SLOW_FACTOR = 20.0
UNTIL = 4.0  # a world is given up after so many ideal times, and UNTIL_EXTRA_S
UNTIL_EXTRA_S = 3600.0


@dataclass(frozen=True, slots=True)
class R1:
    """The reference: an uneven pool that dies and mumbles, and a campaign of so many periods.

    Speeds are log-uniform over a factor of 8 and drift; pilots arrive in the first twentieth of the
    ideal time, and a part of them dies without a word at uniform times after its arrival. N is the
    integral of the true speeds of all pilots, each from its arrival to its death, up to the ideal
    time: so the ideal time is so many periods exactly, whoever dies. A `stop` rule takes N's place.
    With a `campaign_seed`, all worlds compute the same campaign, each on its own pool.
    """

    pilots: int = 50
    periods: float = 100
    drift: float = 0.2
    loss: float = 0.03
    slow_share: float = 0.05
    dying: float = 0.25
    mode: Mode = Mode.FREE
    checkpoints: bool = True
    ending: Ending = Ending.FORECAST
    stop: StopRule | None = None
    campaign_seed: int | None = None

    def scenario(self, seed: int) -> Scenario:
        """One draw of it."""
        draws = random.Random(seed)
        ideal_s = self.periods * PERIOD_S
        plans = _pilots(draws, self.pilots, ideal_s, self.drift, self.dying)
        plans = _slowed(plans, draws, self.slow_share)
        samples = max(1, pool_work(plans, 0, us(ideal_s)) // SAMPLE_WORK)
        block_samples = round(SPEED_MEAN * PERIOD_S / BLOCKS_PER_PERIOD)
        drawn = draws.getrandbits(63)
        campaign = Campaign(
            campaign=0,
            name=f"r1-{seed}",
            seed=drawn if self.campaign_seed is None else self.campaign_seed,
            stop=Samples(samples) if self.stop is None else self.stop,
            mode=self.mode,
            block_samples=block_samples if self.mode is Mode.EXACT else 0,
            ending=self.ending,
            pace=Pace(PERIOD_S, PERIOD_S, self.checkpoints),
        )
        return Scenario(
            seed=draws.getrandbits(63),
            campaigns=(Submission(campaign),),
            pilots=plans,
            until_s=UNTIL * ideal_s + UNTIL_EXTRA_S,
            network=Network(0.5, 1.0, self.loss),
        )


def r1(
    seed: int,
    pilots: int = 50,
    periods: float = 100,
    **variant: Any,
) -> Scenario:
    """The reference scenario; `variant` holds fields of R1."""
    return R1(pilots, periods, **variant).scenario(seed)


def _pilots(
    draws: random.Random, count: int, ideal_s: float, drift: float, dying: float
) -> tuple[PilotPlan, ...]:
    plans = []
    doomed = set(draws.sample(range(count), min(round(dying * count), count - 1)))
    for pilot in range(count):
        arrival_s = draws.uniform(0.0, ARRIVALS * ideal_s)
        death_s = draws.uniform(arrival_s, ideal_s) if pilot in doomed else None
        plans.append(PilotPlan(pilot, arrival_s, _profile(draws, drift, ideal_s), death_s=death_s))
    return tuple(plans)


def _profile(draws: random.Random, drift: float, ideal_s: float) -> SpeedProfile:
    # The mean of 8^u, u uniform in 0 … 1, is 7 / ln 8.
    speed = SPEED_MEAN * log(SPEED_RANGE) / (SPEED_RANGE - 1) * SPEED_RANGE ** draws.random()
    if not drift:
        return constant(speed)
    return drifting(speed, drift, CORRELATION_S, 1.5 * ideal_s, draws)


def _slowed(
    plans: tuple[PilotPlan, ...], draws: random.Random, share: float
) -> tuple[PilotPlan, ...]:
    """A part of the pilots takes its time to report."""
    slow = set(draws.sample(range(len(plans)), round(share * len(plans))))
    return tuple(
        replace(plan, slow_factor=SLOW_FACTOR) if plan.pilot in slow else plan for plan in plans
    )
