"""What the shells of one world share: the clock, the luck, the latencies and the counters."""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache
from math import exp, inf
from statistics import NormalDist

from manyhands.model.campaign import Campaign
from manyhands.simulator.clock import SECOND, Alarms, us
from manyhands.simulator.faults import Fault
from manyhands.simulator.scenario import Network, Scenario
from manyhands.simulator.toy import Toy

LATENCY_BITS = 12  # latencies come from a table of so many equally likely ones


class Physics:
    """Nothing here decides anything; `strikes` is the only place where luck makes a fault."""

    __slots__ = (
        "_trouble_p",
        "alarms",
        "broken",
        "campaigns",
        "classes",
        "faults_end_us",
        "faults_met",
        "latencies_us",
        "network",
        "poisoned",
        "random",
        "store_plan",
        "toys",
    )

    def __init__(self, scenario: Scenario) -> None:
        self.alarms = Alarms()
        self.random = random.Random(scenario.seed)
        self.network = scenario.network
        self._trouble_p = scenario.network.loss_p + scenario.network.duplicate_p
        self.store_plan = scenario.store
        self.classes: dict[int, str] = {}  # of the first pilot that proved one, by campaign
        self.latencies_us = latency_table(scenario.network)
        self.broken = False  # the application fails wherever it runs
        self.faults_met: Counter[str] = Counter()
        ends = scenario.faults_end_s
        self.faults_end_us = us(ends) if ends < inf else 1 << 62
        self.campaigns: dict[int, Campaign] = {
            one.campaign.campaign: one.campaign for one in scenario.campaigns
        }
        self.toys = {number: Toy(campaign) for number, campaign in self.campaigns.items()}
        self.poisoned: dict[int, tuple[int, ...]] = {}
        for campaign, block in sorted(scenario.poisoned):
            self.poisoned[campaign] = (*self.poisoned.get(campaign, ()), block)

    @property
    def faulty(self) -> bool:
        """Whether anything new may still go wrong."""
        return self.alarms.now_us < self.faults_end_us

    def met(self, fault: Fault) -> None:
        """Count a fault that happened."""
        self.faults_met[fault] += 1

    def strikes(self, probability: float, fault: Fault) -> bool:
        """Whether a fault happens now; it is counted if so."""
        if probability <= 0.0 or self.alarms.now_us >= self.faults_end_us:
            return False
        if self.random.random() >= probability:
            return False
        self.faults_met[fault] += 1
        return True

    def message_us(self, factor: float) -> tuple[int, ...]:
        """How long each copy of a message is on its way to the master; none if it is lost."""
        return self._delivery_us(factor, Fault.MESSAGE_LOST, Fault.MESSAGE_DUPLICATED)

    def reply_us(self, factor: float) -> tuple[int, ...]:
        """How long each copy of a reply is on its way to the pilot; none if it is lost."""
        return self._delivery_us(factor, Fault.REPLY_LOST, Fault.REPLY_DUPLICATED)

    def _delivery_us(self, factor: float, lost: Fault, twice: Fault) -> tuple[int, ...]:
        draws = self.random
        draw = draws.random()  # one draw for both faults and for which of them
        delay_us = int(self.latencies_us[draws.getrandbits(LATENCY_BITS)] * factor)
        if draw >= self._trouble_p or self.alarms.now_us >= self.faults_end_us:
            return (delay_us,)
        network = self.network
        if draw < network.loss_p:
            self.faults_met[lost] += 1
            return ()
        self.faults_met[twice] += 1
        extra_us = us(network.reorder_extra_s * self.random.random())
        return (delay_us, 2 * delay_us + extra_us)

    def repeat_delay_us(self) -> int:
        """How much later the news of a stored partial comes again."""
        return us(self.store_plan.twice_s * self.random.random())

    def between_us(self, bounds_s: tuple[float, float]) -> int:
        """A uniform time."""
        least_s, most_s = bounds_s
        return int((least_s + (most_s - least_s) * self.random.random()) * SECOND)


@lru_cache(maxsize=64)
def _quantiles(median_s: float, sigma: float) -> tuple[int, ...]:
    size = 1 << LATENCY_BITS
    normal = NormalDist()
    steps = (normal.inv_cdf((i + 0.5) / size) for i in range(size))
    return tuple(max(1, round(SECOND * median_s * exp(sigma * x))) for x in steps)


def latency_table(network: Network) -> tuple[int, ...]:
    """The quantiles of the latencies' lognormal distribution, in microseconds."""
    return _quantiles(network.latency_median_s, network.latency_sigma)
