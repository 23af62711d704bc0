"""The thesis's third chapter: nobody splits, against equal shares on pilots or bound to them.

Four questions. (a) How much longer do equal shares take, and how uneven must hosts be for the
thesis's factor of 2? (b) Does everybody work to the end? (c) Do shares complete that are bound to
one pilot? (d) How far does the published algorithm overshoot?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import exp, log
from statistics import median

from experiments.grid import SAMPLES, SIZES, SPREADS, Clusters, Grid, LogUniform, Speeds, calm
from experiments.running import Mean, Runner, mean_of
from experiments.tables import Table, share, verdict
from experiments.watching import Curve, busy_part, throughput, watched
from manyhands.model.campaign import Ending, Split
from manyhands.simulator.metrics import Figures, Outcome
from manyhands.simulator.scenario import Scenario
from manyhands.simulator.world import World

LAST = 0.7  # the last 30 % of a run begin here
RISE = 0.1  # and what comes before is looked at from here on
LAST_THIRD = 2 / 3
LONGER = 4  # times the samples of the thesis
LONGER_SEEDS = 20  # at most: what they show varies little
THESIS_RATIO = 2.0
SHOWN_SEED = 1


@dataclass(frozen=True, slots=True)
class Splits:
    """The same pilots, three ways: equal shares, the published algorithm, and ours."""

    pilots: int
    seed: int
    ideal_s: float
    static_s: float
    published_s: float
    ours_s: float
    published_overshoot: float
    ours_overshoot: float
    static_tasks: int  # at work in the last third, at most
    static_busy: float  # in the last 30 %, by before
    published_busy: float  # likewise, up to the stop
    ours_busy: float
    static_steady: float  # throughput in the last 30 %, by before
    published_steady: float  # likewise, up to the stop
    ours_steady: float
    static_messages: float  # per pilot and period
    published_messages: float
    ours_messages: float


@dataclass(frozen=True, slots=True)
class Ratio:
    """Makespans of one size and one spread: equal shares by nobody's."""

    pilots: int
    spread: str
    published: Mean
    ours: Mean
    static_s: float
    published_s: float
    ours_s: float
    ideal_s: float


@dataclass(frozen=True, slots=True)
class Bound:
    """One world of equal shares that are bound to a pilot, and of shares that are not."""

    pilots: int
    seed: int
    bound_done: bool
    bound_stored: float
    static_done: bool


@dataclass(slots=True)
class Shown:
    """All that the chapter's experiments show."""

    ratios: list[Ratio]
    clusters: dict[int, list[Splits]]  # Grid'5000 speeds, by size
    calm: dict[int, list[Splits]]  # likewise, where every pilot comes early and none fails
    longer: dict[int, list[Splits]]  # likewise, with more samples
    bound: dict[int, list[Bound]]


def run_splits(grid: Grid, seed: int) -> Splits:
    """Three worlds with the same pilots."""
    static = replace(grid, split=Split.STATIC, ending=Ending.FORECAST).scenario(seed)
    old = replace(grid, split=Split.DYNAMIC, ending=Ending.PUBLISHED).scenario(seed)
    new = replace(grid, split=Split.DYNAMIC, ending=Ending.FORECAST).scenario(seed)
    (static_out, static_seen), (old_out, old_seen), (new_out, new_seen) = map(
        watched, (static, old, new)
    )
    shares, published, ours = map(_figures, (static_out, old_out, new_out))
    end_s, stop_s = ours.closed_s, old_seen.stop_s or published.closed_s
    return Splits(
        grid.pilots,
        seed,
        ours.ideal_s,
        shares.closed_s,
        published.closed_s,
        end_s,
        published.overshoot,
        ours.overshoot,
        static_seen.tasks_max(LAST_THIRD * shares.closed_s),
        _busy_to_the_end(static, static_seen, shares.closed_s),
        _busy_to_the_end(old, old_seen, stop_s),
        _busy_to_the_end(new, new_seen, end_s),
        _steady(static, static_seen, shares.closed_s),
        _steady(old, old_seen, stop_s),
        _steady(new, new_seen, end_s),
        static_out.messages_per_period,
        old_out.messages_per_period,
        new_out.messages_per_period,
    )


def run_bound(pilots: int, seed: int) -> Bound:
    """Two worlds with the same pilots, all of which come."""
    bound = World(Grid(pilots, split=Split.EARLY_BINDING, never=0.0).scenario(seed)).run()
    static = World(Grid(pilots, split=Split.STATIC, never=0.0).scenario(seed)).run()
    wanted = Grid(pilots).scenario(seed).campaigns[0].campaign.samples_wanted
    assert wanted is not None
    stored = bound.campaigns[0].samples / wanted
    return Bound(pilots, seed, bound.completed, stored, static.completed)


def measure(runner: Runner) -> Shown:
    """Run everything."""
    shown = Shown([], {}, {}, {}, {})
    few = replace(runner, seeds=min(runner.seeds, LONGER_SEEDS))
    for pilots in SIZES:
        for speeds in SPREADS:
            label = f"{pilots} pilots, speeds {speeds}"
            found = runner.over_seeds(label, partial(run_splits, Grid(pilots, speeds)))
            shown.ratios.append(ratio(str(speeds), found))
            if isinstance(speeds, Clusters):
                shown.clusters[pilots] = found
        early, longer = calm(pilots), calm(pilots, LONGER * SAMPLES)
        shown.calm[pilots] = runner.over_seeds(f"{pilots} calm", partial(run_splits, early))
        shown.longer[pilots] = few.over_seeds(f"{pilots} longer", partial(run_splits, longer))
        shown.bound[pilots] = runner.over_seeds(f"{pilots} bound", partial(run_bound, pilots))
    return shown


def ratio(spread: str, found: Sequence[Splits]) -> Ratio:
    """The mean over the seeds of how much longer equal shares take, on the same pilots."""
    return Ratio(
        found[0].pilots,
        spread,
        mean_of([one.static_s / one.published_s for one in found]),
        mean_of([one.static_s / one.ours_s for one in found]),
        mean_of([one.static_s for one in found]).value,
        mean_of([one.published_s for one in found]).value,
        mean_of([one.ours_s for one in found]).value,
        mean_of([one.ideal_s for one in found]).value,
    )


def curves(seed: int = SHOWN_SEED, speeds: Speeds | None = None) -> dict[str, Curve]:
    """One world of 75 pilots, three ways."""
    speeds = speeds or Clusters()
    return {
        "equal shares": _curve(Grid(75, speeds, Split.STATIC).scenario(seed)),
        "no shares, published ending": _curve(
            Grid(75, speeds, ending=Ending.PUBLISHED).scenario(seed)
        ),
        "no shares, our ending": _curve(Grid(75, speeds).scenario(seed)),
    }


def tables(shown: Shown) -> list[Table]:
    """The answers."""
    return [
        _ratio_table(shown.ratios),
        _twice_table(shown.ratios),
        _busy_table(shown),
        _steady_table(shown),
        _bound_table(shown),
        _overshoot_table(shown),
        _messages_table(shown),
    ]


def _figures(outcome: Outcome) -> Figures:
    found = outcome.campaigns[0].figures
    assert found is not None, "a campaign that was to complete did not"
    return found


def _curve(scenario: Scenario) -> Curve:
    return watched(scenario)[1]


def _busy_to_the_end(scenario: Scenario, curve: Curve, end_s: float) -> float:
    """How busy pilots are in the last 30 %, by how busy they were before."""
    before = busy_part(scenario, curve, RISE * end_s, LAST * end_s)
    return busy_part(scenario, curve, LAST * end_s, end_s) / before


def _steady(scenario: Scenario, curve: Curve, end_s: float) -> float:
    """Samples per second in the last 30 %, by those before it and after the last arrival."""
    last_s = max(plan.arrival_s for plan in scenario.pilots)
    from_s = min(max(last_s, RISE * end_s), end_s / 2)
    return throughput(curve, LAST * end_s, end_s) / throughput(curve, from_s, LAST * end_s)


def spread_for(ratio: float, line: Sequence[tuple[float, float]]) -> str:
    """Which spread of speeds gives a ratio, between the two on the line that enclose it."""
    if line[0][1] >= ratio:
        return f"less than ×{line[0][0]:g}"
    for (small, low), (large, high) in pairwise(line):
        if low < ratio <= high:
            part = (ratio - low) / (high - low)
            return f"×{exp(log(small) + part * log(large / small)):.1f}"
    return f"more than ×{line[-1][0]:g}"


def _ratio_table(ratios: Sequence[Ratio]) -> Table:
    rows = [
        [
            str(one.pilots),
            one.spread,
            str(one.published),
            str(one.ours),
            f"{one.static_s:.0f} s",
            f"{one.published_s:.0f} s",
            f"{one.ours_s:.0f} s",
            f"{one.ideal_s:.0f} s",
        ]
        for one in ratios
    ]
    head = [
        "pilots",
        "speeds",
        "equal shares ÷ published",
        "equal shares ÷ ours",
        "equal shares",
        "published",
        "ours",
        "ideal",
    ]
    return Table(
        "(a) Makespans, and their ratios with 95 % confidence intervals (means)", head, rows
    )


def _twice_table(ratios: Sequence[Ratio]) -> Table:
    spreads = {str(speeds): speeds for speeds in SPREADS}
    rows = []
    for pilots in SIZES:
        lines: tuple[list[tuple[float, float]], ...] = ([], [])
        for one in ratios:
            speeds = spreads[one.spread]
            if one.pilots == pilots and isinstance(speeds, LogUniform):
                lines[0].append((speeds.ratio, one.published.value))
                lines[1].append((speeds.ratio, one.ours.value))
        rows.append([str(pilots), *(spread_for(THESIS_RATIO, line) for line in lines)])
    head = ["pilots", "equal shares ÷ published = 2", "equal shares ÷ ours = 2"]
    return Table("The spread of speeds (fastest ÷ slowest) that gives the thesis's 2", head, rows)


def _steady_table(shown: Shown) -> Table:
    rows = []
    for samples, worlds in ((SAMPLES, shown.calm), (LONGER * SAMPLES, shown.longer)):
        for pilots, found in worlds.items():
            published = median(one.published_steady for one in found)
            ours = median(one.ours_steady for one in found)
            rows.append(
                [
                    f"{samples:,}",
                    str(pilots),
                    str(len(found)),
                    f"{published:.3f}: {verdict(abs(published - 1) <= 0.05)}",
                    f"{ours:.3f}: {verdict(abs(ours - 1) <= 0.05)}",
                    f"{median(one.static_steady for one in found):.3f}",
                ]
            )
    head = [
        "samples",
        "pilots",
        "seeds",
        "published, up to the stop (1 ± 0.05)",
        "ours, up to the close (1 ± 0.05)",
        "equal shares",
    ]
    caption = (
        "Samples/s in the last 30 % of a run ÷ before, medians; Grid'5000 speeds, all pilots come "
        "in the first 300 s and none fails"
    )
    return Table(caption, head, rows)


def _messages_table(shown: Shown) -> Table:
    rows = [
        [
            str(pilots),
            f"{median(one.static_messages for one in found):.2f}",
            f"{median(one.published_messages for one in found):.2f}",
            f"{median(one.ours_messages for one in found):.2f}",
        ]
        for pilots, found in shown.clusters.items()
    ]
    head = ["pilots", "equal shares", "published", "ours"]
    caption = "(e) Messages per pilot and period of 300 s, medians, Grid'5000 speeds"
    return Table(caption, head, rows)


def _busy_table(shown: Shown) -> Table:
    rows = []
    for pilots, found in shown.clusters.items():
        published = median(one.published_busy for one in found)
        ours = median(one.ours_busy for one in found)
        rows.append(
            [
                str(pilots),
                f"{published:.3f}: {verdict(abs(published - 1) <= 0.05)}",
                f"{ours:.3f}: {verdict(abs(ours - 1) <= 0.05)}",
                f"{median(one.static_busy for one in found):.3f}",
                f"{median(one.static_tasks for one in found):g}",
                str(max(one.static_tasks for one in found)),
            ]
        )
    head = [
        "pilots",
        "published: last 30 % by before (1 ± 0.05)",
        "ours: likewise (1 ± 0.05)",
        "equal shares: likewise",
        "equal shares: tasks in the last third, median",
        "max",
    ]
    caption = "(b) How busy the living pilots are in the last 30 % of a run, Grid'5000 speeds"
    return Table(caption, head, rows)


def _bound_table(shown: Shown) -> Table:
    rows = []
    for pilots, found in shown.bound.items():
        count = len(found)
        bound, static = (
            sum(one.bound_done for one in found),
            sum(one.static_done for one in found),
        )
        rows.append(
            [
                str(pilots),
                f"{bound} of {count}: {verdict(bound == 0)}",
                share(median(one.bound_stored for one in found), 1),
                f"{static} of {count}: {verdict(static == count)}",
            ]
        )
    head = ["pilots", "bound shares: complete", "stored, median", "equal shares: complete"]
    return Table("(c) Shares bound to one pilot, 25 % of which fail", head, rows)


def _overshoot_table(shown: Shown) -> Table:
    rows = []
    for pilots, found in shown.clusters.items():
        early = shown.calm[pilots]
        rows.append(
            [
                str(pilots),
                share(pilots * 300 / 0.128 / 450_000, 0),
                share(mean_of([one.published_overshoot for one in early]).value, 1),
                share(mean_of([one.published_overshoot for one in found]).value, 1),
                share(max(one.published_overshoot for one in found), 1),
                share(mean_of([one.ours_overshoot for one in found]).value),
                share(max(one.ours_overshoot for one in found)),
                share(mean_of([one.ours_overshoot for one in early]).value),
            ]
        )
    head = [
        "pilots",
        "closed form, all alive",
        "published, all alive: mean",
        "published: mean",
        "max",
        "ours: mean",
        "max",
        "ours, all alive: mean",
    ]
    return Table("(d) Overshoot with reports every 300 s, Grid'5000 speeds", head, rows)
