"""Whether campaigns end: while a hand lives when the faults are over, in bounded time.

After the end of the faults a campaign closes within 1.5 × the remaining work by the speed of those
who live, and four leases and four uploads. Added where they apply: what one slow hand may do alone
(a share that was assigned to it, a few blocks), a clock that the stop rule waits for, and ten round
trips of the slowest line. Early binding promises nothing: what a lost pilot owed is nobody's.
"""

from __future__ import annotations

from itertools import chain
from math import exp, inf

from manyhands.control.blocks import SUSPECT_PATIENCE
from manyhands.control.controller import Controller
from manyhands.control.judging import AGAIN_US, COST_FACTOR, UNREAD_MAX
from manyhands.model.campaign import Campaign, Mode, Split, Stage
from manyhands.model.commands import Reply
from manyhands.model.stopping import Budget, Deadline, Precision, Samples, leaves
from manyhands.simulator.clock import SECOND, us
from manyhands.simulator.final_check import prefix_alone
from manyhands.simulator.host import RATE_UNIT
from manyhands.simulator.invariants import Invariants
from manyhands.simulator.scenario import PilotPlan, Scenario
from manyhands.simulator.shadow import require
from manyhands.simulator.world import World

SLACK = 1.5  # by which the remaining work may take longer than it should
LEASES, UPLOADS, ROUND_TRIPS = 4, 4, 10
BLOCKS_ALONE = 4
STEADY_SAMPLES = 300  # of exponential values, for a VOV of 0.1 with some luck
SECONDS_PER_HOUR = 3600
ENDED = (Stage.DONE, Stage.FAILED, Stage.CANCELLED)


def check_liveness(world: World, invariants: Invariants) -> None:
    """Every campaign is closed in time, and merged in the end."""
    # A world with shares that nobody brings is cut short, whatever else is under way in it.
    cut_short = any(
        one.campaign.splitting.kind is Split.EARLY_BINDING for one in world.scenario.campaigns
    )
    for submission in world.scenario.campaigns:
        campaign = submission.campaign
        hands = _hands(world, campaign)
        if campaign.splitting.kind is Split.EARLY_BINDING or not hands:
            continue
        since_s = max(submission.submitted_s, _faults_end_s(world.scenario))
        since_s = max([since_s, *(_last_start_s(world.scenario, plan) for plan in hands)])
        bound_s = since_s + time_allowed_s(world, campaign, hands, invariants, since_s)
        closed_us = invariants.closed_us.get(campaign.campaign)
        closed_s = inf if closed_us is None else closed_us / SECOND
        if closed_s <= bound_s or not cut_short or bound_s < world.scenario.until_s:
            require(closed_s <= bound_s, "it ends in bounded time", closed_s, "after", bound_s)
        stage = invariants.stages.get(campaign.campaign)
        require(stage in ENDED or cut_short, "merging ends", campaign.campaign, stage)


def time_allowed_s(
    world: World,
    campaign: Campaign,
    hands: list[PilotPlan],
    invariants: Invariants,
    since_s: float,
) -> float:
    """How long a campaign may take once these hands work and no faults come."""
    scenario = world.scenario
    speeds = [_speed(plan, since_s) for plan in hands]
    slots = sum(plan.slots for plan in hands)
    stored = invariants.stored_at_end_of_faults or {}
    work_s = sum(
        _work(one.campaign, stored.get(one.campaign.campaign, 0), world)
        / sum(speed * plan.slots for speed, plan in zip(speeds, hands, strict=True))
        for one in scenario.campaigns
    )
    clock_s = 0.0
    # All of them: a hand with one slot may serve another campaign first.
    for rule in chain.from_iterable(leaves(one.campaign.stop) for one in scenario.campaigns):
        if isinstance(rule, Deadline):
            clock_s = max(clock_s, rule.at_s - since_s)
        elif isinstance(rule, Budget):
            work_s += rule.core_hours * SECONDS_PER_HOUR / slots
    spent_s = clock_s + SLACK * work_s + _alone_s(scenario, campaign, min(speeds))
    spent_s += _looks_s(scenario)
    spent_s += sum(_between_chunks_s(scenario, one.campaign, slots) for one in scenario.campaigns)
    return spent_s + _allowance_s(scenario, campaign, _longest_told_s(invariants))


def _work(campaign: Campaign, stored: int, world: World) -> float:
    """How many samples are still to be simulated, as far as the rule tells."""
    wanted = 0.0
    for rule in leaves(campaign.stop):
        if isinstance(rule, Samples):
            wanted = max(wanted, float(rule.count))
        elif isinstance(rule, Precision):
            wanted = max(wanted, _samples_needed(campaign, rule, world))
    return max(wanted - stored * max(campaign.block_samples, 1), 0.0)


def _samples_needed(campaign: Campaign, rule: Precision, world: World) -> float:
    if campaign.mode is Mode.EXACT:
        return float(prefix_alone(world.physics.toys[campaign.campaign]) * campaign.block_samples)
    # The toy's values are exponential: 1 / relative² samples, half as many more for luck.
    return max(1.5 / (rule.relative or 1.0) ** 2, rule.samples_min, STEADY_SAMPLES)


def _alone_s(scenario: Scenario, campaign: Campaign, slowest: float) -> float:
    """What the slowest hand may do alone."""
    splitting = campaign.splitting
    if splitting.kind is Split.STATIC:
        return 2 * (campaign.samples_wanted or 0) / splitting.tasks / slowest
    if splitting.kind is Split.CHUNKS:
        return 2 * splitting.samples / slowest
    blocks = BLOCKS_ALONE
    if scenario.poisoned or scenario.broken_s or any(one.fails_task_p for one in scenario.pilots):
        blocks += SUSPECT_PATIENCE  # computed before a block is tried again that failed here
    if scenario.poisoned:
        tries = 2 * scenario.limits.hosts_per_block_max * len(scenario.poisoned)
        # Without checkpoints each try takes with it all that its task had computed before.
        spares = campaign.pace.checkpoints or campaign.mode is Mode.FREE
        lost = 0 if spares else campaign.blocks_wanted or 0
        blocks += tries * (1 + lost)
    return blocks * campaign.block_samples / slowest


def _between_chunks_s(scenario: Scenario, campaign: Campaign, slots: int) -> float:
    """How long slots wait for the next chunk, each time that the last one is stored."""
    if campaign.splitting.kind is not Split.CHUNKS:
        return 0.0
    chunks = (campaign.samples_wanted or 0) / campaign.splitting.samples / slots
    return chunks * (_upload_s(scenario) + 2 * _way_s(scenario))


def _looks_s(scenario: Scenario) -> float:
    """How long looks at merged results keep a campaign from its end: twice what one may."""
    rules = chain.from_iterable(leaves(one.campaign.stop) for one in scenario.campaigns)
    judged = any(isinstance(one, Precision) and one.where is not None for one in rules)
    one_s = (COST_FACTOR + 2) * scenario.store.judge_s[1] + UNREAD_MAX * AGAIN_US / SECOND
    return 2 * one_s if judged else 0.0


def _faults_end_s(scenario: Scenario) -> float:
    """When nothing goes wrong any more; an application that is broken by then is mended later."""
    return max(scenario.faults_end_s, scenario.broken_s[1] if scenario.broken_s else 0.0)


def _upload_s(scenario: Scenario) -> float:
    return max(plan.upload_s[1] for plan in scenario.pilots)


def _way_s(scenario: Scenario) -> float:
    """How long a message takes that is slow."""
    slow = max(plan.slow_factor for plan in scenario.pilots)
    network = scenario.network
    return network.latency_median_s * exp(2 * network.latency_sigma) * slow


def _allowance_s(scenario: Scenario, campaign: Campaign, told_s: float) -> float:
    """Four leases and four uploads, and the way there and back."""
    limits = scenario.limits
    period_s = max(told_s, campaign.pace.report_s or 0.0)
    longest_s = max(limits.silence_periods, limits.lease_periods_max) * period_s
    lease_s = max(limits.silence_s_min, longest_s, campaign.pace.checkpoint_s or 0.0)
    ways_s = ROUND_TRIPS * 2 * _way_s(scenario)
    return LEASES * lease_s + UPLOADS * _upload_s(scenario) + ways_s


def _longest_told_s(invariants: Invariants) -> float:
    """The longest report period that a pilot was ever told: its lease of silence is three such."""
    return max(
        (
            one.report_in_s
            for several in invariants.commands
            for one in several
            if type(one) is Reply
        ),
        default=0.0,
    )


def _hands(world: World, campaign: Campaign) -> list[PilotPlan]:
    """Who may work for a campaign when the faults are over."""
    controller = world.master.controller
    assert isinstance(controller, Controller)
    record = controller.state.campaigns.get(campaign.campaign)
    if record is None:
        return []
    toy = world.physics.toys[campaign.campaign]
    faults_end_s = world.scenario.faults_end_s
    return [
        plan
        for plan in world.scenario.pilots
        if any(end == inf for _, end in plan.lives(faults_end_s))
        and (plan.removed_s is None or plan.removed_s >= faults_end_s)
        and (
            not record.numeric_class or record.numeric_class == toy.class_digest(plan.numeric_class)
        )
    ]


def _last_start_s(scenario: Scenario, plan: PilotPlan) -> float:
    return plan.lives(scenario.faults_end_s)[-1][0]


def _speed(plan: PilotPlan, since_s: float) -> float:
    """The lowest speed of a slot from a time on, in samples/s."""
    profile, since_us = plan.profile, us(since_s)
    later = [
        rate
        for rate, start_us in zip(profile.rates, profile.starts_us, strict=True)
        if start_us >= since_us
    ]
    now = profile.work_at(since_us + 1) - profile.work_at(since_us)
    return min([now, *later]) / RATE_UNIT
