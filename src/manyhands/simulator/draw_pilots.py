"""A random pool: fast and slow hosts, and what befalls each of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from manyhands.model.failures import FailureCause
from manyhands.simulator.draw_campaign import Wish
from manyhands.simulator.host import SpeedProfile, constant, drifting, stepping
from manyhands.simulator.scenario import PilotPlan

SPEED_RANGE = 8.0  # the fastest by the slowest
CRASHES = (FailureCause.APPLICATION_CRASHED, FailureCause.INPUT_MISSING)


@dataclass(frozen=True, slots=True)
class Dangers:
    """How likely each fault is for a pilot of this pool."""

    dies: float
    comes_back: float  # of those that die
    ghost: float  # of those that come back
    exit_seen: float
    silent: float
    walltime: float
    removed: float
    slow: float
    steps: float
    confused: float  # of those that come back
    strange: float


def draw_pilots(
    draws: random.Random,
    count: int,
    period_s: float,
    ideal_s: float,
    faults_end_s: float,
    wish: Wish,
) -> tuple[PilotPlan, ...]:
    """The pool of a seed. The first pilot of each class is spared what ends a life."""
    dangers = _dangers(draws)
    upload_s = (period_s * draws.uniform(0.0, 0.1), period_s * draws.uniform(0.1, 0.6))
    speed = 10 ** draws.uniform(0.0, 3.0) / period_s * 10
    drift = draws.random() < 0.2
    plans = []
    for pilot in range(count):
        numeric_class = "ab"[pilot % 2] if wish.classes > 1 else "a"
        fate: dict[str, Any] = {}
        arrival_s = draws.uniform(0.0, 0.15) * ideal_s if pilot else 0.0
        span_s = (arrival_s, max(faults_end_s, arrival_s))
        if pilot >= wish.classes:
            fate = _fate(draws, dangers, span_s, period_s)
        fate.update(_hindrances(draws, dangers, span_s, period_s))
        own = speed * SPEED_RANGE ** draws.uniform(-0.5, 0.5)
        plans.append(
            PilotPlan(
                pilot,
                arrival_s,
                _profile(draws, own, ideal_s, drift, draws.random() < dangers.steps),
                slots=draws.randint(1, wish.slots_max),
                upload_s=upload_s,
                fails_task_p=draws.choice((0.0, 0.1, 0.5)) if wish.crashes else 0.0,
                crash_causes=CRASHES,
                numeric_class=numeric_class,
                **fate,
            )
        )
    return tuple(plans)


def _dangers(draws: random.Random) -> Dangers:
    def some(share: float, most: float) -> float:
        return draws.uniform(0.0, most) if draws.random() < share else 0.0

    return Dangers(
        dies=some(0.7, 0.6),
        comes_back=some(0.5, 0.8),
        ghost=some(0.5, 1.0),
        exit_seen=some(0.5, 1.0),
        silent=some(0.4, 0.5),
        walltime=some(0.3, 0.5),
        removed=some(0.25, 0.2),
        slow=some(0.3, 0.3),
        steps=some(0.3, 0.5),
        confused=some(0.5, 1.0),
        strange=some(0.15, 0.3),
    )


def _fate(
    draws: random.Random, dangers: Dangers, span_s: tuple[float, float], period_s: float
) -> dict[str, Any]:
    """How a pilot ends, if it does."""
    fate: dict[str, Any] = {}
    if draws.random() < dangers.dies:
        fate["death_s"] = draws.uniform(*span_s)
        if draws.random() < dangers.comes_back:
            fate["restart_s"] = period_s * draws.uniform(0.05, 6.0)
            fate["ghost"] = draws.random() < dangers.ghost
            fate["finds_otherwise"] = draws.random() < dangers.confused
            fate["finds_foreign"] = draws.random() < dangers.confused
        if draws.random() < dangers.exit_seen:
            fate["exit_seen_s"] = period_s * draws.uniform(0.0, 2.0)
    elif draws.random() < dangers.walltime:
        fate["walltime_s"] = draws.uniform(*span_s)
        fate["notice_s"] = period_s * draws.uniform(0.0, 2.0)
    if draws.random() < dangers.removed:
        fate["removed_s"] = draws.uniform(*span_s)
    return fate


def _hindrances(
    draws: random.Random, dangers: Dangers, span_s: tuple[float, float], period_s: float
) -> dict[str, Any]:
    """What a pilot survives."""
    found: dict[str, Any] = {"stranger": draws.random() < dangers.strange}
    if draws.random() < dangers.slow:
        found["slow_factor"] = draws.uniform(2.0, 20.0)
    if draws.random() < dangers.silent:
        start_s = draws.uniform(*span_s)
        end_s = min(start_s + period_s * draws.uniform(0.2, 12.0), span_s[1])
        if start_s < end_s:
            found["silences"] = ((start_s, end_s),)
    return found


def _profile(
    draws: random.Random, speed: float, ideal_s: float, drift: bool, steps: bool
) -> SpeedProfile:
    if steps:
        changes = [(0.0, speed)]
        for part in range(1, draws.randint(2, 4)):
            at_s = ideal_s * (part - draws.random()) / 3 + 1e-3
            if at_s > changes[-1][0] + 1e-3:
                changes.append((at_s, speed * draws.choice((0.3, 0.5, 2.0))))
        return stepping(changes)
    if drift:
        return drifting(speed, 0.3, ideal_s / 20, ideal_s, draws)
    return constant(speed)
