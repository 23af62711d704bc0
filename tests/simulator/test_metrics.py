"""The five figures, on a case small enough to do by hand."""

from __future__ import annotations

from math import inf

import pytest

from manyhands.model.campaign import Campaign
from manyhands.model.stopping import Samples
from manyhands.simulator.clock import us
from manyhands.simulator.host import SAMPLE_WORK, constant, stepping
from manyhands.simulator.metrics import Simulated, figures, ideal_time_us, pool_work
from manyhands.simulator.scenario import PilotPlan, Scenario, Submission

STEADY = PilotPlan(0, 10.0, constant(10.0))
DYING = PilotPlan(1, 0.0, constant(5.0), slots=2, death_s=30.0)
SLOWING = PilotPlan(2, 20.0, stepping([(0, 8.0), (40.0, 2.0)]))


def scenario(*pilots: PilotPlan, submitted_s: float = 0.0) -> Scenario:
    campaign = Campaign(0, "tiny", 1, Samples(700))
    return Scenario(1, (Submission(campaign, submitted_s),), pilots, until_s=1000.0)


def test_a_pool_works_from_arrival_to_death() -> None:
    # By 50 s: 40 s of 10, 30 s of 2 slots of 5, and 20 s of 8 with 10 s of 2.
    assert pool_work([STEADY, DYING, SLOWING], 0, us(50)) == (400 + 300 + 180) * SAMPLE_WORK


def test_the_ideal_time_is_when_the_pool_could_have_done_it() -> None:
    # 200 + 300 + 80 by 30 s, then 18/s: 700 are done 120/18 s later.
    ideal_us = ideal_time_us([STEADY, DYING, SLOWING], 0, 700)
    assert ideal_us == us(30) + 6_666_667


def test_a_pool_that_dies_has_no_ideal_time() -> None:
    assert ideal_time_us([DYING], 0, 300) == us(30)
    assert ideal_time_us([DYING], 0, 301) is None


def test_figures_follow_their_definitions() -> None:
    at = Simulated(us(50.0), living=463, dead=300, dead_accepted=286)
    found = figures(scenario(STEADY, DYING, submitted_s=10.0), 10.0, 700, 714, at)
    # From 10 s on: 20 s of 20, then 10/s: 700 at 60 s, which is 50 s after the submission.
    assert found.ideal_s == pytest.approx(50.0)
    assert found.closed_s == pytest.approx(40.0)
    assert found.efficiency == pytest.approx(1.25)
    assert found.lost_time_s == pytest.approx(-10.0)
    assert found.overshoot == pytest.approx(0.02)
    assert found.wasted == pytest.approx(35 / 700)
    assert found.lost == pytest.approx(14 / 700)


def test_what_was_accepted_stands_for_a_count_that_nobody_wanted() -> None:
    found = figures(scenario(STEADY), 0.0, None, 200, Simulated(us(40.0)))
    assert found.wanted == 200
    assert found.overshoot == 0.0
    assert found.ideal_s == pytest.approx(30.0)


def test_a_restarted_pilot_lives_twice() -> None:
    plan = PilotPlan(0, 5.0, constant(1.0), death_s=20.0, restart_s=7.0, walltime_s=90.0)
    assert plan.lives() == [(5.0, 20.0), (27.0, 90.0)]
    assert plan.lives(faults_end_s=50.0) == [(5.0, 20.0), (27.0, inf)]
    assert plan.lives(faults_end_s=15.0) == [(5.0, inf)]
