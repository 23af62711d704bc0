"""A random scenario from a number: every fault, rule and policy in some mixture.

Pilots are log-uniform in 1 … 200, lengths log-uniform in 3 … 100 report periods, and their product
is at most 4,000, so that a seed costs little. What each seed tries is drawn anew: a fault is off in
most seeds and strong in some, since many weak ones at once hide each other. One pilot is spared all
that ends a life, so that a campaign can always be done; some day nothing new goes wrong any more.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from math import exp, log

from manyhands.model.campaign import Campaign, Mode, Split, Stage
from manyhands.model.limits import Limits
from manyhands.simulator.clock import SECOND, us
from manyhands.simulator.draw_campaign import Wish, draw_campaign, judged_at_times
from manyhands.simulator.draw_pilots import draw_pilots
from manyhands.simulator.host import SAMPLE_WORK
from manyhands.simulator.metrics import pool_work
from manyhands.simulator.scenario import (
    MasterPlan,
    Network,
    PilotPlan,
    Scenario,
    StorePlan,
    Submission,
)

PILOTS_MAX = 200
PERIODS_MIN, PERIODS_MAX = 3, 100
PILOT_PERIODS_MAX = 4000


@dataclass(frozen=True, slots=True)
class Size:
    """How big a seed's world is, and in which times it lives."""

    pilots: int
    periods: float
    period_s: float

    @property
    def ideal_s(self) -> float:
        """How long the pool needs for all campaigns if all goes well."""
        return self.periods * self.period_s


def draw(seed: int) -> Scenario:
    """The scenario of a seed: the same for ever, as long as this code is."""
    draws = random.Random(seed)
    size = _size(draws)
    faults_end_s = size.ideal_s * draws.uniform(0.4, 1.4)
    wish = _wish(draws, size)
    pilots = draw_pilots(draws, size.pilots, size.period_s, size.ideal_s, faults_end_s, wish)
    campaigns = _campaigns(draws, size, wish, pilots, faults_end_s)
    spare = min(one.profile.rates[-1] for one in pilots if one.removed_s is None)
    work = pool_work(pilots, 0, us(size.ideal_s))
    alone_s = work / spare / SECOND  # if only the slowest pilot were left
    scenario = Scenario(
        seed=draws.getrandbits(63),
        campaigns=campaigns,
        pilots=pilots,
        until_s=_until_s(size, campaigns, faults_end_s, alone_s),
        network=_network(draws, size),
        store=_store(draws, size),
        master=_master(draws, size, faults_end_s),
        limits=_limits(draws, size, wish),
        faults_end_s=faults_end_s,
        poisoned=_poisoned(draws, [one.campaign for one in campaigns], wish),
        broken_s=_broken_s(draws, size, faults_end_s),
        linger_s=draws.choice((0.0, 0.0, size.period_s)),
    )
    back_s = size.period_s * draws.uniform(0.0, 2.0) if draws.random() < 0.3 else 0.0
    limits = replace(scenario.limits, failures_in_a_row_max=draws.choice((4, 10, 30)))
    master = replace(scenario.master, clock_back_s=back_s)
    store = replace(
        scenario.store,
        rotten_p=draws.choice((0.0, 0.3)),
        misnamed_p=draws.choice((0.0, 0.0, 0.0, 0.2)),
    )
    campaigns = tuple(
        replace(one, campaign=judged_at_times(draws, one.campaign)) for one in campaigns
    )
    store = replace(
        store,
        misjudged_p=draws.choice((0.0, 0.4)),
        judge_s=(0.0, size.period_s * draws.uniform(0.0, 0.3)),
    )
    return replace(scenario, limits=limits, master=master, store=store, campaigns=campaigns)


def log_uniform(draws: random.Random, least: float, most: float) -> float:
    """A number whose logarithm is uniform."""
    return exp(draws.uniform(log(least), log(most)))


def _size(draws: random.Random) -> Size:
    pilots = min(int(log_uniform(draws, 1, PILOTS_MAX + 1)), PILOTS_MAX)
    longest = min(PERIODS_MAX, PILOT_PERIODS_MAX / pilots)
    periods = log_uniform(draws, PERIODS_MIN, longest)
    return Size(pilots, periods, log_uniform(draws, 5.0, 120.0))


def _wish(draws: random.Random, size: Size) -> Wish:
    """What the campaigns of this seed should be like."""
    exact = draws.random() < 0.4
    classes = exact and size.pilots >= 3 and draws.random() < 0.2
    return Wish(
        mode=Mode.EXACT if exact else Mode.FREE,
        periods=size.periods,
        period_s=size.period_s,
        pilots=size.pilots,
        classes=2 if classes else 1,
        crashes=draws.random() < 0.3,
        poisoned=exact and draws.random() < 0.2,
        slots_max=draws.choice((1, 1, 1, 2, 4)) if size.pilots * size.periods < 1000 else 1,
    )


def _campaigns(
    draws: random.Random,
    size: Size,
    wish: Wish,
    pilots: tuple[PilotPlan, ...],
    faults_end_s: float,
) -> tuple[Submission, ...]:
    count = 2 if draws.random() < 0.15 else 1
    work = pool_work(pilots, 0, us(size.ideal_s))
    submissions = []
    for number in range(count):
        samples = max(work // count // SAMPLE_WORK, 1)
        campaign = draw_campaign(draws, number, samples, wish)
        submitted_s = draws.choice((0.0, draws.uniform(0, 0.3) * size.ideal_s))
        submission = Submission(campaign, submitted_s)
        if draws.random() < 0.1:
            submission = _cancelled(draws, size, submission, faults_end_s)
        submissions.append(submission)
        wish = replace(wish, mode=draws.choice((Mode.EXACT, Mode.FREE)))
    return tuple(submissions)


def _cancelled(
    draws: random.Random, size: Size, submission: Submission, faults_end_s: float
) -> Submission:
    """At any time, or when the end has come: that is when most happens."""
    stage = draws.choice((None, Stage.DRAINING, Stage.CLOSED))
    if stage is not None:
        return replace(submission, cancelled_in=stage)
    at_s = min(size.ideal_s * draws.uniform(0.0, 1.2), faults_end_s - 1e-3)
    return replace(submission, cancelled_s=max(at_s, submission.submitted_s))


def _broken_s(draws: random.Random, size: Size, faults_end_s: float) -> tuple[float, float] | None:
    if draws.random() >= 0.13:
        return None
    start_s = min(size.ideal_s * draws.uniform(0.85, 1.1), 0.99 * faults_end_s)
    return start_s, start_s + size.period_s * draws.uniform(0.1, 5.0)


def _until_s(
    size: Size, campaigns: tuple[Submission, ...], faults_end_s: float, alone_s: float
) -> float:
    if any(one.campaign.splitting.kind is Split.EARLY_BINDING for one in campaigns):
        return 1.5 * size.ideal_s  # a share whose pilot died is never done
    return 10 * (faults_end_s + size.ideal_s) + 3 * alone_s + 100 * size.period_s


def _network(draws: random.Random, size: Size) -> Network:
    bad = draws.random() < 0.5
    return Network(
        latency_median_s=size.period_s * log_uniform(draws, 0.0005, 0.02),
        latency_sigma=draws.uniform(0.1, 1.0),
        loss_p=draws.choice((0.0, 0.03, 0.2)) if bad else 0.0,
        duplicate_p=draws.choice((0.0, 0.03, 0.2)) if bad else 0.0,
        reorder_extra_s=draws.uniform(0.0, 2.0) * size.period_s,
    )


def _store(draws: random.Random, size: Size) -> StorePlan:
    def some(share: float, most: float) -> float:
        return draws.uniform(0.0, most) if draws.random() < share else 0.0

    full = draws.random() < 0.04
    return StorePlan(
        fail_p=some(0.2, 0.3),
        torn_p=some(0.2, 0.2),
        twice_p=some(0.2, 0.3),
        twice_s=size.period_s * draws.uniform(0.5, 5.0),
        fetch_fail_p=some(0.3, 0.4),
        delete_s=(0.0, size.period_s * draws.uniform(0.0, 0.5)),
        objects_max=max(size.pilots // 2, 1) if full else None,
    )


def _master(draws: random.Random, size: Size, faults_end_s: float) -> MasterPlan:
    outages: list[tuple[float, float]] = []
    start_s = 0.0
    while draws.random() < 0.25:
        start_s += draws.uniform(0.05, 0.5) * faults_end_s
        end_s = start_s + size.period_s * log_uniform(draws, 0.1, 8.0)
        if end_s >= faults_end_s:
            break
        outages.append((start_s, end_s))
        start_s = end_s
    collects = draws.random() < 0.25
    return MasterPlan(
        outages=tuple(outages),
        snapshot_every=draws.choice((500, 1500, 4000)),
        collect_every_s=size.period_s * draws.uniform(0.3, 3.0) if collects else None,
        collect_age_s=size.period_s * log_uniform(draws, 0.001, 3.0),
        collect_late_s=size.period_s * draws.uniform(0.0, 1.0) * draws.choice((0, 1)),
        cut_at_event=draws.randint(5, 400) if draws.random() < 0.15 else None,
        cut_outage_s=size.period_s * draws.uniform(0.1, 2.0),
    )


def _limits(draws: random.Random, size: Size, wish: Wish) -> Limits:
    return Limits(
        silence_s_min=size.period_s * draws.uniform(1.0, 4.0),
        overdue_s_max=min(10.0, size.period_s / 4),
        reports_per_campaign=max(round(size.periods), 12),
        period_s_min=size.period_s / 3,
        lease_periods_max=draws.choice((1, 2, 4)),
        spans_per_order_max=draws.choice((1, 4, 64)),
        claim_s_min=size.period_s,
        hosts_per_block_max=draws.choice((1, 2, 3)),
    )


def _poisoned(
    draws: random.Random, campaigns: list[Campaign], wish: Wish
) -> tuple[tuple[int, int], ...]:
    if not wish.poisoned:
        return ()
    found: list[tuple[int, int]] = []
    for campaign in campaigns:
        if campaign.mode is Mode.EXACT:
            blocks = campaign.blocks_wanted or 50
            # Block 0 is not among them: no pilot could prove its class then.
            chosen = draws.sample(range(min(1, blocks - 1), blocks), min(2, max(blocks - 1, 1)))
            found.extend((campaign.campaign, block) for block in chosen)
    return tuple(found)
