"""Whole worlds: a campaign completes, with and without faults, and its answer is the right one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from manyhands.model.campaign import Campaign, Merging, Mode, Pace, Stage
from manyhands.model.commands import Command
from manyhands.model.coverage import BLOCK_LINE, Coverage, Span
from manyhands.model.events import Event, MasterRestarted
from manyhands.model.orders import StartTask
from manyhands.model.stopping import AnyOf, Precision, Samples
from manyhands.simulator import toy
from manyhands.simulator.deciders import Master
from manyhands.simulator.faults import Fault
from manyhands.simulator.host import constant, stepping
from manyhands.simulator.metrics import Outcome
from manyhands.simulator.scenario import (
    MasterPlan,
    Network,
    PilotPlan,
    Scenario,
    StorePlan,
    Submission,
)
from manyhands.simulator.scenarios import r1
from manyhands.simulator.store import StoredObject
from manyhands.simulator.world import World

MODES = pytest.mark.parametrize("mode", list(Mode))
N = 100_000


def campaign(mode: Mode, merging: Merging | None = None) -> Campaign:
    block_samples = 110 if mode is Mode.EXACT else 0  # 100,000 is not a multiple of it
    return Campaign(
        0,
        "small",
        7,
        Samples(N),
        mode,
        block_samples,
        pace=Pace(30.0, 30.0),
        merging=merging or Merging(),
    )


def calm(mode: Mode, merging: Merging | None = None) -> Scenario:
    """Four pilots, 100 samples/s in all, and nothing goes wrong."""
    pilots = tuple(PilotPlan(i, float(i), constant(10.0 * i + 10)) for i in range(4))
    return Scenario(1, (Submission(campaign(mode, merging)),), pilots, until_s=20_000.0)


def stormy(mode: Mode, seed: int) -> Scenario:
    """The same with a few more pilots, and everything goes wrong."""
    more = (
        PilotPlan(4, 0.0, constant(30.0), slots=2, death_s=300.0),
        PilotPlan(5, 5.0, constant(30.0), death_s=200.0, restart_s=60.0),
        PilotPlan(6, 5.0, constant(30.0), death_s=150.0, restart_s=60.0, ghost=True),
        PilotPlan(7, 5.0, constant(30.0), silences=((100.0, 400.0),), slow_factor=20.0),
        PilotPlan(8, 5.0, constant(30.0), walltime_s=350.0),
        PilotPlan(9, 5.0, constant(30.0), removed_s=250.0, fails_task_p=0.5),
        PilotPlan(10, 60.0, stepping([(0.0, 50.0), (100.0, 1.0)]), numeric_class="b"),
        PilotPlan(11, 5.0, constant(30.0), death_s=250.0, exit_seen_s=1.0),
    )
    return replace(
        calm(mode, Merging(2, 4)),
        seed=seed,
        pilots=calm(mode).pilots + more,
        network=Network(0.5, 1.0, 0.05, 0.05, 30.0),
        store=StorePlan(0.05, 0.05, 0.05, 200.0, 0.05),
        master=MasterPlan(((180.0, 230.0),), 40, 60.0, 45.0, cut_at_event=100),
        faults_end_s=600.0,
    )


def assert_right(scenario: Scenario, outcome: Outcome) -> None:
    wanted = scenario.campaigns[0].campaign
    (found,) = outcome.campaigns
    assert found.stage is Stage.DONE, found
    assert found.value == toy.value(wanted.seed, found.coverage)
    assert found.samples >= N
    if wanted.mode is Mode.EXACT:
        assert wanted.blocks_wanted is not None
        assert found.coverage == Coverage((Span(BLOCK_LINE, 0, wanted.blocks_wanted),))


@MODES
@pytest.mark.parametrize("merging", [Merging(), Merging(2, 4)])
def test_a_campaign_completes_where_nothing_goes_wrong(mode: Mode, merging: Merging) -> None:
    scenario = calm(mode, merging)
    outcome = World(scenario).run()
    assert_right(scenario, outcome)
    assert set(outcome.faults_met) <= {Fault.STALE_DELIVERY}  # a repeat may overtake
    found = outcome.campaigns[0].figures
    assert found is not None
    assert found.ideal_s == pytest.approx(1002.0, abs=0.1)
    assert found.efficiency > 0.85
    assert 0 <= found.overshoot < 0.01


@MODES
@pytest.mark.parametrize("seed", range(4))
def test_a_campaign_completes_where_everything_goes_wrong(mode: Mode, seed: int) -> None:
    scenario = stormy(mode, seed)
    outcome = World(scenario).run()
    assert_right(scenario, outcome)
    expected = {
        Fault.MESSAGE_LOST,
        Fault.MESSAGE_DUPLICATED,
        Fault.REPLY_LOST,
        Fault.REPLY_DUPLICATED,
        Fault.MASTER_AWAY,
        Fault.MASTER_OUTAGE,
        Fault.MASTER_CUT,
        Fault.SILENT_DEATH,
        Fault.EXIT_SEEN,
        Fault.PILOT_REMOVED,
        Fault.SILENCE,
        Fault.SILENCE_OVER,
        Fault.NEW_INCARNATION,
        Fault.GHOST_DELIVERY,
        Fault.WALLTIME,
        Fault.SPEED_STEP,
        Fault.SLOW_REPORTER,
    }
    assert expected <= outcome.faults_met.keys()


@MODES
def test_two_runs_of_a_scenario_are_equal(mode: Mode) -> None:
    first, second = World(stormy(mode, 5)), World(stormy(mode, 5))
    assert first.run() == second.run()
    assert repr(first.master.journal) == repr(second.master.journal)


def test_another_seed_is_another_world() -> None:
    first, second = World(stormy(Mode.FREE, 5)), World(stormy(Mode.FREE, 6))
    assert first.run() != second.run()


def test_time_is_in_microseconds_and_never_goes_back() -> None:
    world = World(stormy(Mode.FREE, 3))
    world.run()
    times = [now_s for now_s, _ in world.master.journal]
    assert times == sorted(times)
    assert all(round(now_s, 6) == now_s for now_s in times)


def test_a_restart_is_told_and_what_was_cut_is_decided_again() -> None:
    scenario = replace(calm(Mode.FREE), master=MasterPlan(snapshot_every=7, cut_at_event=25))
    world = World(scenario)
    assert_right(scenario, world.run())
    events = [event for _, event in world.master.journal]
    assert isinstance(events[25], MasterRestarted)
    assert world.physics.faults_met[Fault.MASTER_CUT] == 1


def test_faults_end_when_they_are_to_end() -> None:
    scenario = replace(stormy(Mode.FREE, 1), faults_end_s=0.0)
    outcome = World(scenario).run()
    assert_right(scenario, outcome)
    allowed = {
        Fault.SPEED_STEP,
        Fault.SLOW_REPORTER,
        Fault.STALE_DELIVERY,
        Fault.OBJECT_COLLECTED,
    }
    assert set(outcome.faults_met) <= allowed


def test_a_poisoned_block_fails_wherever_it_is_computed() -> None:
    scenario = replace(calm(Mode.EXACT), poisoned=((0, 50),))
    world = World(scenario)
    outcome = world.run()
    assert outcome.campaigns[0].stage is Stage.FAILED
    assert outcome.faults_met[Fault.BLOCK_POISONED] >= 3
    assert "block 50" in outcome.campaigns[0].reason


@MODES
def test_a_precision_rule_is_met_by_the_answer_itself(mode: Mode) -> None:
    rule = Precision("dose", relative=0.01)
    scenario = calm(mode)
    wanted = replace(campaign(mode), stop=AnyOf((Samples(50 * N), rule)))
    scenario = replace(scenario, campaigns=(Submission(wanted),))
    (found,) = World(scenario).run().campaigns
    assert found.stage is Stage.DONE
    samples, s1, s2, *_ = toy.Toy(wanted).sums(found.coverage)
    mean, square = s1 * rule.unit / samples, s2 * rule.unit**2 / samples
    assert ((square - mean**2) / samples) ** 0.5 <= 0.01 * mean


class Watcher:
    """Notes everything that it is told."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.objects: dict[str, StoredObject] = {}
        self.tasks: list[int] = []
        self.worlds: list[World] = []

    def event(
        self, now_s: float, event: Event, commands: list[Command], controller: Master
    ) -> None:
        self.events.append(event)

    def stored(self, name: str, thing: StoredObject) -> None:
        assert name not in self.objects
        self.objects[name] = thing

    def deleted(self, name: str) -> None:
        del self.objects[name]

    def started(self, pilot: int, order: StartTask) -> None:
        self.tasks.append(order.task)

    def ended(self, world: World) -> None:
        self.worlds.append(world)


def test_an_observer_is_told_of_everything() -> None:
    watcher = Watcher()
    world = World(stormy(Mode.FREE, 2), watcher)
    world.run()
    assert watcher.events == [event for _, event in world.master.journal]
    assert watcher.objects == world.store.objects
    assert len(set(watcher.tasks)) == len(watcher.tasks) > 12
    assert watcher.worlds == [world]


@pytest.mark.parametrize(
    ("make", "least"), [(lambda: r1(1, 10, 20), 0.9), (lambda: r1(1, 10, 20, mode=Mode.EXACT), 0.8)]
)
def test_the_reference_is_efficient(make: Callable[[], Scenario], least: float) -> None:
    outcome = World(make()).run()
    found = outcome.campaigns[0].figures
    assert found is not None
    assert found.efficiency > least
    assert found.overshoot < 0.005
    assert 0 <= found.wasted + found.lost < 0.2
