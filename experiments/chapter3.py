"""The thesis's third chapter: nobody splits, against equal shares on pilots or bound to them.

Four questions. (a) How much longer do equal shares take, and how uneven must hosts be for the
thesis's factor of 2? (b) Does everybody work to the end? (c) Do shares complete that are bound to
one pilot? (d) How far does the published algorithm overshoot?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from experiments.grid import SIZES, SPREADS, Clusters, Grid, Speeds
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
    ours_throughput: float


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
    calm: dict[int, list[Splits]]  # likewise, where every pilot comes and none fails
    bound: dict[int, list[Bound]]


def run_splits(grid: Grid, seed: int) -> Splits:
    """Three worlds with the same pilots."""
    pilots, speeds, failing, never = grid.pilots, grid.speeds, grid.failing, grid.never
    static = Grid(pilots, speeds, Split.STATIC, Ending.FORECAST, failing, never).scenario(seed)
    old = Grid(pilots, speeds, Split.DYNAMIC, Ending.PUBLISHED, failing, never).scenario(seed)
    new = Grid(pilots, speeds, Split.DYNAMIC, Ending.FORECAST, failing, never).scenario(seed)
    (static_out, static_seen), (old_out, old_seen), (new_out, new_seen) = map(
        watched, (static, old, new)
    )
    shares, published, ours = map(_figures, (static_out, old_out, new_out))
    end_s = ours.closed_s
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
        _busy_to_the_end(old, old_seen, old_seen.stop_s or published.closed_s),
        _busy_to_the_end(new, new_seen, end_s),
        throughput(new_seen, LAST * end_s, end_s) / throughput(new_seen, end_s / 2, LAST * end_s),
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
    shown = Shown([], {}, {}, {})
    for pilots in SIZES:
        for speeds in SPREADS:
            label = f"{pilots} pilots, speeds {speeds}"
            found = runner.over_seeds(label, partial(run_splits, Grid(pilots, speeds)))
            shown.ratios.append(ratio(str(speeds), found))
            if isinstance(speeds, Clusters):
                shown.clusters[pilots] = found
        calm = Grid(pilots, failing=0.0, never=0.0)
        shown.calm[pilots] = runner.over_seeds(f"{pilots} calm", partial(run_splits, calm))
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
    """The four answers."""
    return [
        _ratio_table(shown.ratios),
        _busy_table(shown),
        _bound_table(shown),
        _overshoot_table(shown),
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
    return Table("(a) Makespans, and their ratios with 95 % confidence intervals", head, rows)


def _busy_table(shown: Shown) -> Table:
    rows = []
    for pilots, found in shown.clusters.items():
        published = median(one.published_busy for one in found)
        ours = median(one.ours_busy for one in found)
        calm = median(one.ours_throughput for one in shown.calm[pilots])
        rows.append(
            [
                str(pilots),
                f"{published:.3f}: {verdict(abs(published - 1) <= 0.05)}",
                f"{ours:.3f}: {verdict(abs(ours - 1) <= 0.05)}",
                f"{median(one.static_busy for one in found):.3f}",
                # Where pilots still come in the second half, there is nothing to compare with.
                f"{calm:.3f}" if pilots == SIZES[0] else "-",
                f"{median(one.static_tasks for one in found):g}",
                str(max(one.static_tasks for one in found)),
            ]
        )
    head = [
        "pilots",
        "published: last 30 % by before (1 ± 0.05)",
        "ours: likewise (1 ± 0.05)",
        "equal shares: likewise",
        "ours, samples/s, no failures",
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
        calm = shown.calm[pilots]
        rows.append(
            [
                str(pilots),
                share(pilots * 300 / 0.128 / 450_000, 0),
                share(mean_of([one.published_overshoot for one in calm]).value, 1),
                share(mean_of([one.published_overshoot for one in found]).value, 1),
                share(max(one.published_overshoot for one in found), 1),
                share(mean_of([one.ours_overshoot for one in found]).value),
                share(max(one.ours_overshoot for one in found)),
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
    ]
    return Table("(d) Overshoot with reports every 300 s, Grid'5000 speeds", head, rows)
