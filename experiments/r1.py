"""The reference scenario and its variants in free mode: efficiency, waste, messages.

Every row of the table is R1 with a few of its fields changed, and the bars that it must reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from experiments.running import Runner, p5, p95
from experiments.tables import Table, at_least, at_most, share, verdict
from manyhands.model.campaign import Ending
from manyhands.simulator.scenarios import R1
from manyhands.simulator.world import World

OVERSHOOT_BAR = 0.005
MESSAGES_BAR = 2.0
LONG = 100  # periods


@dataclass(frozen=True, slots=True)
class Bars:
    """What a row must reach: efficiency at least, thrown away at most."""

    efficiency: float
    efficiency_p5: float | None
    thrown_away: float


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    name: str
    variant: R1
    bars: Bars | None = None


ROWS = (
    Row("R1", R1(), Bars(0.985, 0.975, 0.010)),
    Row("without failures", R1(dying=0.0), Bars(0.99, 0.985, 0.008)),
    Row(
        "drift ±50 %, 10 % lost, 15 % slow",
        R1(drift=0.5, loss=0.1, slow_share=0.15),
        Bars(0.98, 0.97, 0.012),
    ),
    Row("10 pilots", R1(pilots=10), Bars(0.98, None, 0.012)),
    Row("200 pilots", R1(pilots=200), Bars(0.98, None, 0.012)),
    Row("30 periods", R1(periods=30), Bars(0.96, None, 0.03)),
    Row("10 periods", R1(periods=10), Bars(0.88, None, 0.11)),
    Row("no checkpoints", R1(checkpoints=False)),
    Row("published, closed at N", R1(ending=Ending.PUBLISHED_FIRST)),
    Row("published, closed at N, 10 periods", R1(periods=10, ending=Ending.PUBLISHED_FIRST)),
    Row("published, all awaited", R1(ending=Ending.PUBLISHED)),
    Row("published, all awaited, 10 periods", R1(periods=10, ending=Ending.PUBLISHED)),
)


@dataclass(frozen=True, slots=True)
class Shown:
    """The figures of one world; efficiency is 0 if it never closed."""

    seed: int
    efficiency: float
    overshoot: float
    wasted: float
    lost: float
    lost_time_s: float
    messages: float  # per pilot and period


def run(variant: R1, seed: int) -> Shown:
    """One world."""
    outcome = World(variant.scenario(seed)).run()
    found = outcome.campaigns[0].figures
    if found is None:
        return Shown(seed, 0.0, 0.0, 0.0, 0.0, outcome.ended_s, outcome.messages_per_period)
    return Shown(
        seed,
        found.efficiency,
        found.overshoot,
        found.wasted,
        found.lost,
        found.lost_time_s,
        outcome.messages_per_period,
    )


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a row over its seeds."""

    name: str
    seeds: int
    efficiency: float
    efficiency_p5: float
    overshoot_max: float
    thrown_away: float
    wasted: float
    lost: float
    lost_time_s: float
    lost_time_p5_s: float
    lost_time_p95_s: float
    messages: float


def summary(name: str, shown: Sequence[Shown]) -> Summary:
    """Medians, but for the 5th percentile and the greatest overshoot."""
    return Summary(
        name,
        len(shown),
        median(one.efficiency for one in shown),
        p5([one.efficiency for one in shown]),
        max(one.overshoot for one in shown),
        median(one.wasted + one.lost for one in shown),
        median(one.wasted for one in shown),
        median(one.lost for one in shown),
        median(one.lost_time_s for one in shown),
        p5([one.lost_time_s for one in shown]),
        p95([one.lost_time_s for one in shown]),
        median(one.messages for one in shown),
    )


def summaries(runner: Runner) -> list[Summary]:
    """All rows."""
    return [
        summary(row.name, runner.over_seeds(row.name, partial(run, row.variant))) for row in ROWS
    ]


def tables(found: Sequence[Summary]) -> list[Table]:
    """The figures, and then the bars."""
    return [_figures(found), _bars(found)]


def _figures(found: Sequence[Summary]) -> Table:
    head = [
        "scenario",
        "seeds",
        "efficiency median / p5",
        "overshoot max",
        "wasted + lost",
        "wasted",
        "lost",
        "lost time",
        "messages per pilot and period",
    ]
    rows = [
        [
            one.name,
            str(one.seeds),
            f"{one.efficiency:.4f} / {one.efficiency_p5:.4f}",
            share(one.overshoot_max, 3),
            share(one.thrown_away),
            share(one.wasted),
            share(one.lost),
            f"{one.lost_time_s:.1f} s",
            f"{one.messages:.2f}",
        ]
        for one in found
    ]
    return Table("R1 in free mode: medians over the seeds unless it says otherwise", head, rows)


def _bars(found: Sequence[Summary]) -> Table:
    head = ["scenario", "efficiency median", "p5", "overshoot max", "wasted + lost", "messages"]
    rows = []
    for row, one in zip(ROWS, found, strict=True):
        if row.bars is None:
            continue
        least = row.bars.efficiency_p5
        rows.append(
            [
                row.name,
                at_least(one.efficiency, row.bars.efficiency),
                "-" if least is None else at_least(one.efficiency_p5, least),
                at_most(one.overshoot_max, OVERSHOOT_BAR),
                at_most(one.thrown_away, row.bars.thrown_away),
                _messages(row.variant, one.messages),
            ]
        )
    return Table("The bars of R1", head, rows)


def _messages(variant: R1, messages: float) -> str:
    """The bar is for long campaigns: in short ones, beginning and end count for more."""
    if variant.periods < LONG:
        return "-"
    return f"≤ {MESSAGES_BAR:g}: {verdict(messages <= MESSAGES_BAR)}"
