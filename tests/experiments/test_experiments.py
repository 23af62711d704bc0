"""The promised figures, on a few seeds: a core that loses one fails here."""

from __future__ import annotations

from functools import partial
from math import isclose

import pytest

from experiments import exact, r1
from experiments.chapter3 import run_bound, run_splits
from experiments.grid import SAMPLE_S, SPREADS, Grid, calm, share_s
from experiments.running import Runner, mean_of, p5
from experiments.tables import Table, put_on_page
from experiments.watching import watched
from manyhands.model.campaign import Ending
from manyhands.simulator.scenarios import R1

SEEDS = 4


def summary(variant: R1, seeds: int = SEEDS) -> r1.Summary:
    return r1.summary("", Runner(seeds).over_seeds("", partial(r1.run, variant)))


@pytest.mark.slow
def test_free_mode_wastes_next_to_nothing() -> None:
    found = summary(R1())
    assert found.efficiency >= 0.985
    assert found.overshoot_max <= 0.005
    assert found.thrown_away <= 0.010
    assert found.messages <= 2.0


def test_a_short_campaign_ends_together_too() -> None:
    found = summary(R1(periods=10))
    assert found.efficiency >= 0.88
    assert found.thrown_away <= 0.11


def test_checkpoints_are_what_deaths_are_survived_by() -> None:
    with_them, without = (
        summary(R1(pilots=20, periods=30, checkpoints=checkpoints), 2)
        for checkpoints in (True, False)
    )
    assert with_them.efficiency > without.efficiency + 0.05
    assert with_them.lost < without.lost


def test_the_published_ending_throws_more_away() -> None:
    ours, published = (
        summary(R1(pilots=20, periods=10, ending=ending), 2)
        for ending in (Ending.FORECAST, Ending.PUBLISHED)
    )
    assert ours.overshoot_max <= 0.005 < published.overshoot_max


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_exact_mode_gives_the_answer_of_one_process(seed: int) -> None:
    found = exact.run_counted(seed)
    assert found.efficiency >= 0.95
    assert found.whole
    assert found.equal
    assert found.blocks & (found.blocks - 1) != 0
    assert found.wasted + found.lost <= 0.015


@pytest.mark.slow
def test_a_precision_is_reached_by_the_same_prefix_in_every_world() -> None:
    found = [exact.run_precise(20, (7, seed)) for seed in range(3)]
    assert set(exact.answers(found).values()) == {1}
    assert all(one.whole for one in found)
    assert min(one.efficiency for one in found) >= 0.95
    assert max(one.beyond for one in found) <= 0.02


@pytest.mark.slow
@pytest.mark.parametrize("pilots", [25, 75])
def test_equal_shares_take_longer_and_leave_pilots_idle(pilots: int) -> None:
    found = [run_splits(Grid(pilots), seed) for seed in range(3)]
    assert mean_of([one.static_s / one.ours_s for one in found]).value > 1.4
    assert mean_of([one.static_s / one.published_s for one in found]).value > 1.2
    for one in found:
        assert 0.95 <= one.ours_busy <= 1.05
        assert 0.95 <= one.published_busy <= 1.05
        assert one.static_busy < 0.8
        # Nothing is stored before a task ends, so the last to arrive brings all that a task has.
        # That is up to four times the mean share: the fastest host that came first.
        assert one.ours_overshoot < 4.0 / pilots


def test_shares_bound_to_one_pilot_never_complete() -> None:
    found = [run_bound(25, seed) for seed in range(5)]
    assert not any(one.bound_done for one in found)
    assert all(one.static_done for one in found)
    assert all(0.6 < one.bound_stored < 0.9 for one in found)


def test_the_published_algorithm_overshoots_by_what_pilots_compute_in_a_period() -> None:
    early = run_splits(calm(50), 1)
    assert 0.2 < early.published_overshoot < 0.32
    assert early.ours_overshoot < 0.02
    assert run_splits(Grid(50), 1).published_overshoot > 0.10


@pytest.mark.parametrize("speeds", SPREADS, ids=str)
def test_a_mean_host_is_as_fast_as_it_should_be(speeds: Grid) -> None:
    grid = Grid(1000, speeds=speeds)  # type: ignore[arg-type]
    plans = grid.scenario(3).pilots
    mean = mean_of([450.0 * SAMPLE_S / share_s(plan, 1000) for plan in plans])
    assert abs(mean.value - 1) < 2 * mean.reach
    assert len(plans) == 900
    assert sum(plan.death_s is not None for plan in plans) == 225
    assert 800 < sorted(plan.arrival_s for plan in plans)[500] < 1000


def test_a_curve_is_what_the_pilots_computed() -> None:
    outcome, curve = watched(Grid(25, failing=0.0, never=0.0).scenario(1))
    found = outcome.campaigns[0].figures
    assert found is not None
    assert isclose(curve.samples_at(found.closed_s), found.accepted, rel_tol=0.05)
    assert curve.tasks_max(2000.0) == 25


def test_percentiles_and_means_are_those_of_the_books() -> None:
    values = [float(number) for number in range(101)]
    assert p5(values) == 5.0
    assert mean_of(values).value == 50.0
    assert isclose(mean_of(values).reach, 1.96 * 29.3 / 101**0.5, rel_tol=0.01)


def test_tables_find_their_place_on_the_page() -> None:
    page = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n"
    text = Table("T", ["h"], [["1"], ["2"]]).markdown()
    assert text == "**T**\n\n| h |\n| --- |\n| 1 |\n| 2 |\n"
    assert put_on_page(page, "x", "new") == page.replace("old", "new")
    with pytest.raises(ValueError, match="no section"):
        put_on_page(page, "y", "new")
