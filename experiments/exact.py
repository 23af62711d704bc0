"""The reference scenario in exact mode: the same answer on any hands, and what that costs.

First with a count of samples, then with a precision rule in worlds that have their campaign in
common and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from statistics import median

from experiments.running import Runner, p5
from experiments.tables import Table, share, verdict
from manyhands.control.controller import Controller
from manyhands.model.campaign import Mode, Stage
from manyhands.model.coverage import BLOCK_LINE, Coverage, Span
from manyhands.model.stopping import Precision
from manyhands.simulator import toy
from manyhands.simulator.metrics import Figures
from manyhands.simulator.scenarios import PERIOD_S, R1, SPEED_MEAN
from manyhands.simulator.world import World

LIVING = 0.86  # the part of R1's pool that lives, on the mean over its 100 periods
CAMPAIGNS, SCHEDULES = 8, 5
COMPUTED_TWICE_BAR = 0.015
MESSAGES_BAR = 2.0


@dataclass(frozen=True, slots=True)
class Counted:
    """One world that stops at a count. Shares are of the number of blocks."""

    seed: int
    efficiency: float
    blocks: int
    whole: bool  # accepted are exactly blocks 0 … B-1
    equal: bool  # the answer is that of a single process
    copies: float  # given to idle hands
    refused: float  # offered, and had been accepted from elsewhere
    wasted: float  # computed once more by the living
    lost: float  # computed by the dead, and once more by the living
    messages: float  # per pilot and period


def run_counted(seed: int) -> Counted:
    """One world of R1 in exact mode."""
    scenario = R1(mode=Mode.EXACT).scenario(seed)
    campaign = scenario.campaigns[0].campaign
    world = World(scenario)
    ended = world.run()
    (outcome,) = ended.campaigns
    blocks = campaign.blocks_wanted
    assert blocks is not None
    everything = Coverage((Span(BLOCK_LINE, 0, blocks),))
    copies, refused = _copies(world)
    found = outcome.figures
    return Counted(
        seed,
        0.0 if found is None else found.efficiency,
        blocks,
        outcome.stage is Stage.DONE and outcome.coverage == everything,
        outcome.value == toy.value(campaign.seed, everything),
        copies / blocks,
        refused / blocks,
        0.0 if found is None else found.wasted,
        0.0 if found is None else found.lost,
        ended.messages_per_period,
    )


@dataclass(frozen=True, slots=True)
class Schedule:
    """One world that stops at a precision: which prefix answers, and what was computed in vain."""

    campaign_seed: int
    seed: int
    efficiency: float
    prefix: int
    value: int
    whole: bool  # the answer is a prefix, and its value that of a single process
    beyond: float  # blocks computed beyond the prefix, by the prefix
    wasted: float
    lost: float
    messages: float  # per pilot and period


def run_precise(pilots: int, seeds: tuple[int, int]) -> Schedule:
    """One world of a campaign."""
    campaign_seed, seed = seeds
    samples = SPEED_MEAN * PERIOD_S * 100 * pilots * LIVING
    rule = Precision("tally", relative=1 / sqrt(samples))
    variant = R1(pilots, mode=Mode.EXACT, stop=rule, campaign_seed=campaign_seed)
    world = World(variant.scenario(seed))
    ended = world.run()
    (outcome,) = ended.campaigns
    prefix = outcome.coverage.size
    whole = outcome.coverage == Coverage((Span(BLOCK_LINE, 0, prefix),))
    right = outcome.value == toy.value(campaign_seed, outcome.coverage)
    found = outcome.figures or Figures(float("inf"), 0.0, 1, 1, 0.0, 0.0)
    return Schedule(
        campaign_seed,
        seed,
        found.efficiency,
        prefix,
        outcome.value,
        outcome.stage is Stage.DONE and whole and right,
        _computed_beyond(world, prefix) / max(prefix, 1),
        found.wasted,
        found.lost,
        ended.messages_per_period,
    )


def precise(runner: Runner, pilots: int) -> list[Schedule]:
    """Every campaign in several worlds, all of them different."""
    seeds = [
        (1_000_003 * (campaign + 1), SCHEDULES * campaign + schedule)
        for campaign in range(CAMPAIGNS)
        for schedule in range(SCHEDULES)
    ]
    return runner.each(f"precision, {pilots} pilots", partial(run_precise, pilots), seeds)


def tables(runner: Runner) -> list[Table]:
    """Both."""
    counted = runner.over_seeds("exact", run_counted)
    few, many = precise(runner, 50), precise(runner, 200)
    return [counted_table(counted), precise_table(few, many)]


def counted_table(shown: Sequence[Counted]) -> Table:
    """What exact mode costs, with its bars."""
    count = len(shown)
    efficiency = median(one.efficiency for one in shown)
    low = p5([one.efficiency for one in shown])
    twice = median(one.wasted + one.lost for one in shown)
    messages = median(one.messages for one in shown)
    no_power = sum(one.blocks & (one.blocks - 1) != 0 for one in shown)
    whole, equal = sum(one.whole for one in shown), sum(one.equal for one in shown)
    rows = [
        ["efficiency, median", f"{efficiency:.4f}", "≥ 0.97", verdict(efficiency >= 0.97)],
        ["efficiency, p5", f"{low:.4f}", "≥ 0.95", verdict(low >= 0.95)],
        ["accepted exactly 0 … B-1", f"{whole} of {count}", "all", verdict(whole == count)],
        ["B no power of two", f"{no_power} of {count}", "all", verdict(no_power == count)],
        ["equal to a single process", f"{equal} of {count}", "all", verdict(equal == count)],
        ["computed twice, median", share(twice), "≤ 1.5 %", verdict(twice <= COMPUTED_TWICE_BAR)],
        ["… of it by the dead", share(median(one.lost for one in shown)), "-", "-"],
        ["… of it by the living", share(median(one.wasted for one in shown)), "-", "-"],
        ["computed twice, max", share(max(one.wasted + one.lost for one in shown)), "-", "-"],
        ["copies given, median", share(median(one.copies for one in shown)), "-", "-"],
        ["refused, median", share(median(one.refused for one in shown)), "-", "-"],
        [
            "messages per pilot and period, median",
            f"{messages:.2f}",
            "≤ 2",
            verdict(messages <= MESSAGES_BAR),
        ],
    ]
    caption = f"R1 in exact mode, 10 blocks per period on the mean pilot, {count} seeds"
    return Table(caption, ["figure", "measured", "bar", ""], rows)


def precise_table(few: Sequence[Schedule], many: Sequence[Schedule]) -> Table:
    """What a precision rule costs in exact mode, with its bars."""
    rows = []
    for pilots, shown, beyond_bar, efficiency_bar in (
        (50, few, 0.01, 0.0),
        (200, many, 0.03, 0.95),
    ):
        efficiency = median(one.efficiency for one in shown)
        beyond = median(one.beyond for one in shown)
        same = sum(one == 1 for one in answers(shown).values())
        rows.append(
            [
                str(pilots),
                f"{same} of {len(answers(shown))}: {verdict(same == len(answers(shown)))}",
                f"{sum(one.whole for one in shown)} of {len(shown)}",
                f"{share(beyond)} (≤ {100 * beyond_bar:g} %: {verdict(beyond <= beyond_bar)})",
                share(max(one.beyond for one in shown)),
                share(median(one.wasted for one in shown)),
                share(median(one.lost for one in shown)),
                f"{efficiency:.4f} / {p5([one.efficiency for one in shown]):.4f}"
                + (f" (≥ 0.95: {verdict(efficiency >= 0.95)})" if efficiency_bar else ""),
                f"{median(one.messages for one in shown):.2f}",
            ]
        )
    head = [
        "pilots",
        f"campaigns with one answer in {SCHEDULES} worlds",
        "answers a prefix, equal to a single process",
        "beyond the prefix, median",
        "max",
        "wasted, median",
        "lost, median",
        "efficiency median / p5",
        "messages per pilot and period, median",
    ]
    caption = f"R1 in exact mode until a precision is reached, {CAMPAIGNS} campaigns"
    return Table(caption, head, rows)


def answers(shown: Sequence[Schedule]) -> dict[int, int]:
    """How many different answers each campaign has, in all its worlds."""
    found: dict[int, set[tuple[int, int]]] = {}
    for one in shown:
        found.setdefault(one.campaign_seed, set()).add((one.prefix, one.value))
    return {seed: len(different) for seed, different in found.items()}


def _copies(world: World) -> tuple[int, int]:
    """Blocks that were given as copies, and blocks that were refused."""
    assert isinstance(world.master.controller, Controller)
    blocks = world.master.controller.state.campaigns[0].blocks
    assert blocks is not None
    return blocks.copies_given, blocks.refused


def _computed_beyond(world: World, prefix: int) -> int:
    """Blocks that anybody computed, stored or not, and that are not in the prefix."""
    total = 0
    for shell in world.shells:
        for run in shell.runs.values():
            for first, start, end in run.leases:
                done = min(max(run.position - first, 0), end - start)
                total += max(start + done - max(start, prefix), 0)
    return total
