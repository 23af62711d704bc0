"""A scenario that makes no sense is refused whole, before anything happens."""

from __future__ import annotations

from dataclasses import replace

import pytest

from manyhands.model.campaign import Mode
from manyhands.simulator.clock import SECOND, us
from manyhands.simulator.host import constant
from manyhands.simulator.metrics import ideal_time_us
from manyhands.simulator.scenario import MasterPlan, Network, PilotPlan, StorePlan
from manyhands.simulator.scenarios import r1

PLAN = PilotPlan(3, 10.0, constant(1.0))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"arrival_s": -1.0}, "arrival_s"),
        ({"death_s": 5.0}, "death_s"),
        ({"restart_s": 5.0}, "restart_s"),
        ({"ghost": True}, "ghost"),
        ({"slots": 0}, "slots"),
        ({"silences": ((5.0, 9.0), (8.0, 12.0))}, "silences"),
        ({"upload_s": (5.0, 1.0)}, "upload_s"),
        ({"fails_task_p": 1.5}, "fails_task_p"),
        ({"crash_causes": ()}, "crash_causes"),
        ({"slow_factor": 0.0}, "slow_factor"),
    ],
)
def test_a_pilot_that_makes_no_sense_is_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        replace(PLAN, **change)  # type: ignore[arg-type]


def test_a_world_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="loss_p"):
        Network(loss_p=0.6, duplicate_p=0.6)
    with pytest.raises(ValueError, match="torn_p"):
        StorePlan(torn_p=-0.1)
    with pytest.raises(ValueError, match="outages"):
        MasterPlan(outages=((5.0, 5.0),))
    with pytest.raises(ValueError, match="cut_at_event"):
        MasterPlan(cut_at_event=0)
    scenario = r1(1, pilots=2, periods=3)
    with pytest.raises(ValueError, match="pilots"):
        replace(scenario, pilots=(PLAN, PLAN))
    with pytest.raises(ValueError, match="campaigns"):
        replace(scenario, campaigns=())


@pytest.mark.parametrize("mode", list(Mode))
def test_the_reference_needs_as_long_as_it_says_whoever_dies(mode: Mode) -> None:
    scenario = r1(5, pilots=20, periods=30, mode=mode)
    campaign = scenario.campaigns[0].campaign
    assert campaign.samples_wanted is not None
    assert sum(plan.death_s is not None for plan in scenario.pilots) == 5
    assert sum(plan.slow_factor > 1 for plan in scenario.pilots) == 1
    ideal_us = ideal_time_us(scenario.pilots, 0, campaign.samples_wanted)
    assert ideal_us is not None
    assert abs(ideal_us - us(30 * 60)) < SECOND / 100


def test_the_same_seed_gives_the_same_reference() -> None:
    assert r1(3, pilots=5, periods=10) == r1(3, pilots=5, periods=10)
    assert r1(3, pilots=5, periods=10) != r1(4, pilots=5, periods=10)


def test_worlds_may_have_their_campaign_in_common() -> None:
    first, second = (r1(seed, pilots=5, periods=10, campaign_seed=9) for seed in (3, 4))
    assert [one.campaigns[0].campaign.seed for one in (first, second)] == [9, 9]
    assert first.pilots != second.pilots
    assert first.pilots == r1(3, pilots=5, periods=10).pilots
