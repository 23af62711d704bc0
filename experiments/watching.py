"""A world that is looked at every so often: how much its pilots have computed, and could have."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from manyhands.control.controller import Controller
from manyhands.simulator.clock import SECOND, us
from manyhands.simulator.host import SAMPLE_WORK
from manyhands.simulator.metrics import Outcome, pool_work
from manyhands.simulator.scenario import Scenario
from manyhands.simulator.world import World

EVERY_S = 10.0


@dataclass(slots=True)
class Curve:
    """What was seen: at each time, samples computed by everybody and by the living, and tasks."""

    times_s: list[float] = field(default_factory=list)
    samples: list[int] = field(default_factory=list)
    living: list[int] = field(default_factory=list)
    tasks: list[int] = field(default_factory=list)  # at work
    stop_s: float | None = None  # when tasks were first told to stop

    def samples_at(self, time_s: float) -> float:
        """Samples computed by a time, interpolated."""
        after = min(max(bisect_left(self.times_s, time_s), 1), len(self.times_s) - 1)
        start_s, end_s = self.times_s[after - 1], self.times_s[after]
        start, end = self.samples[after - 1], self.samples[after]
        return start + (end - start) * (time_s - start_s) / (end_s - start_s)

    def tasks_max(self, from_s: float) -> int:
        """The most tasks at work from a time on."""
        return max(self.tasks[min(bisect_left(self.times_s, from_s), len(self.tasks) - 1) :])


def watched(scenario: Scenario) -> tuple[Outcome, Curve]:
    """Run a world and look at it."""
    world, curve = World(scenario), Curve()

    def look(_: None) -> None:
        now_us = world.alarms.now_us
        curve.times_s.append(now_us / SECOND)
        samples = living = tasks = 0
        for shell in world.shells:
            shell.observe()
            computed = sum(run.samples() for run in shell.runs.values())
            samples += computed
            if shell.alive:
                living += computed
                tasks += sum(run.working for run in shell.working)
        curve.samples.append(samples)
        curve.living.append(living)
        curve.tasks.append(tasks)
        if curve.stop_s is None and _stopping(world):
            curve.stop_s = now_us / SECOND
        world.alarms.push(now_us + us(EVERY_S), look)

    world.alarms.push(0, look)
    return world.run(), curve


def throughput(curve: Curve, from_s: float, until_s: float) -> float:
    """Samples per second between two times."""
    return (curve.samples_at(until_s) - curve.samples_at(from_s)) / (until_s - from_s)


def busy_part(scenario: Scenario, curve: Curve, from_s: float, until_s: float) -> float:
    """The part of what the living pilots could have computed that they did."""
    possible = pool_work(scenario.pilots, us(from_s), us(until_s)) / SAMPLE_WORK
    return (curve.samples_at(until_s) - curve.samples_at(from_s)) / possible


def _stopping(world: World) -> bool:
    assert isinstance(world.master.controller, Controller)
    record = world.master.controller.state.campaigns.get(0)
    return record is not None and record.stopping
