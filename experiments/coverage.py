"""Does an error bar mean what it says where the run was stopped because the bar was short enough?

Every run is decided by the deciding code itself: in free mode a controller whose one pilot stores
ever larger partials, in exact mode the grid of looks. What is counted is how often the true mean
lies within the interval that the stopped run states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import sqrt
from statistics import NormalDist, median

import numpy as np
from numpy.random import Generator, Philox, SeedSequence

from experiments.laws import Law, bernoulli, correlated, exponential, lognormal, zero_inflated
from experiments.running import NORMAL_95, Runner
from experiments.tables import Table, share, verdict
from manyhands.api.doubts import VOV_DOUBTED
from manyhands.control.block_set import BlockSet
from manyhands.control.controller import Controller
from manyhands.control.looks import Looks
from manyhands.control.stopping import vov_of
from manyhands.model.campaign import Campaign, Mode, Stage
from manyhands.model.commands import Reply
from manyhands.model.coverage import Coverage, Span
from manyhands.model.events import CampaignSubmitted, MessageReceived
from manyhands.model.facts import Fact, PartialStored, PilotRegistered, WorkRequested
from manyhands.model.orders import StartTask
from manyhands.model.stopping import Precision
from manyhands.statistics.returned import mean
from manyhands.statistics.watching import Watch, sums_of

CONFIDENCE = 0.95
UNIT = 2.0**-100
GROWTH = 1.02  # of a run in free mode, from partial to partial
FIRST = 200  # samples in the first partial
BATCHES_MIN = 30
BAR = 0.93
SMALL = 1000  # below so many samples needed, guards and not the rule decide when to stop


@dataclass(frozen=True, slots=True)
class Row:
    """A law, and a precision that is asked for."""

    law: Law
    part: float  # of the mean: half the width of the interval
    batches: bool = False  # a sample of the rule is a batch of the chain
    samples_max: int = 1 << 62  # a run that has not stopped by then has been refused
    barred: bool = True  # whether the bar is promised here

    @property
    def rule(self) -> Precision:
        """The rule as a user gets it."""
        rule = Precision("x", self.part, None, CONFIDENCE, UNIT)
        return replace(rule, samples_min=BATCHES_MIN) if self.batches else rule

    @property
    def needed(self) -> int:
        """The samples that it takes if nothing is left to luck."""
        return self.law.needed(self.part, NORMAL_95)


ROWS = (
    Row(bernoulli(1e-3), 0.20),
    Row(bernoulli(1e-3), 0.10),
    Row(exponential(), 0.20),
    Row(exponential(), 0.05),
    Row(lognormal(1.0), 0.20),
    Row(lognormal(1.0), 0.10),
    Row(lognormal(1.0), 0.05),
    Row(zero_inflated(0.01, 0.5), 0.20),
    Row(zero_inflated(0.01, 0.5), 0.05),
    Row(lognormal(2.0), 0.20, barred=False),
    Row(lognormal(2.0), 0.10, barred=False),
    Row(lognormal(2.0), 0.05, barred=False),
    Row(correlated(0.9, 1), 0.03, barred=False),
    Row(correlated(0.9, 10), 0.03, batches=True, barred=False),
    Row(correlated(0.9, 100), 0.03, batches=True, barred=False),
    Row(correlated(0.9, 400), 0.03, batches=True),
    Row(bernoulli(1e-7), 0.10, samples_max=1_000_000, barred=False),
)


@dataclass(frozen=True, slots=True)
class Stopped:
    """One run: whether its rule was met, on how many samples, and what it states."""

    seed: int
    met: bool
    samples: int
    value: float
    error: float
    vov: float = 0.0

    def holds(self, truth: float) -> bool:
        """Whether the truth lies in the interval."""
        reach = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * self.error
        return abs(self.value - truth) <= reach


def run_free(row: Row, seed: int) -> Stopped:
    """One run in free mode."""
    campaign = Campaign(0, "x", seed, row.rule)
    pool = _Pool(campaign)
    source = row.law.source(_draws(seed, 0))
    samples, sums = 0, [0] * 5
    for more in _growth(row):
        samples += more
        sums = _added(sums, source(more))
        if pool.store(samples, tuple(sums)):
            return _stopped(seed, True, samples, sums)
    return _stopped(seed, False, samples, sums)


def run_exact(row: Row, seed: int) -> Stopped:
    """One run in exact mode: the blocks come in their order, as the looks do not care."""
    block = 4 if row.batches else max(1, min(row.needed, row.samples_max) // 512)
    looks, holes = Looks(block), BlockSet()
    blocks = 0
    while True:
        point = looks.points[looks.next]
        if point * block > row.samples_max:
            return _stopped(seed, False, blocks * block, looks.before or [0] * 5)
        for segment in range(looks.segment_of(blocks), looks.next + 1):
            end = looks.segment_end(segment)
            for one in _parts(row, seed, blocks, end, block):
                looks.add(segment, tuple(_added([0] * 5, one)))
            blocks = end
        if looks.advance(row.rule, blocks, holes):
            return _stopped(seed, True, blocks * block, looks.before)


def _parts(row: Row, seed: int, start: int, end: int, block: int) -> Iterator[np.ndarray]:
    """What blocks hold: chains begin anew in each, other laws may as well be drawn at once."""
    if row.law.name.startswith("chain"):
        for number in range(start, end):
            yield row.law.source(_draws(seed, number))(block)
    else:
        yield row.law.source(_draws(seed, start))((end - start) * block)


class _Pool:
    """A master with one pilot, which has one task."""

    def __init__(self, campaign: Campaign) -> None:
        self._controller = Controller()
        self._now_s = 0.0
        self._number = 0
        self._controller.handle(self._now_s, CampaignSubmitted(campaign))
        reply = self._say(PilotRegistered(1), WorkRequested(1))
        (self._start,) = [one for one in reply.orders if isinstance(one, StartTask)]

    def store(self, samples: int, sums: tuple[int, ...]) -> bool:
        """Store a partial of so many samples; whether that was enough."""
        coverage = Coverage((Span(self._start.stream, 0, samples),))
        name = f"{samples}"
        task = self._start.task
        self._say(PartialStored(task, 0, samples, name, "d", coverage, False, sums, 1000))
        record = self._controller.state.campaigns[0]
        return record.stage in (Stage.CLOSED, Stage.DONE)

    def _say(self, *facts: Fact) -> Reply:
        self._number += 1
        self._now_s += 1.0
        message = MessageReceived(0, 0, self._number, facts, 1000)
        commands = self._controller.handle(self._now_s, message)
        (reply,) = [one for one in commands if isinstance(one, Reply)]
        return reply


def _growth(row: Row) -> Iterator[int]:
    """How many samples each partial has more than the last."""
    samples = 0
    while samples < row.samples_max:
        goal = max(FIRST if not row.batches else 4, round(samples * GROWTH), samples + 1)
        yield goal - samples
        samples = goal


def _added(sums: list[int], values: np.ndarray) -> list[int]:
    """The sums with these values, by the code that a child runs."""
    if not len(values):
        return sums
    more = sums_of(Watch("x", UNIT), mean(values))
    return [one + other for one, other in zip(sums, more, strict=True)]


def _stopped(seed: int, met: bool, samples: int, sums: Sequence[int]) -> Stopped:
    unit = Fraction(UNIT)
    value = Fraction(sums[1]) * unit / samples
    spread = (Fraction(sums[2]) * unit**2 - samples * value**2) / (samples - 1)
    error = sqrt(max(float(spread / samples), 0.0))
    return Stopped(seed, met, samples, float(value), error, vov_of(samples, list(sums)) or 0.0)


def _draws(seed: int, stream: int) -> Generator:
    return Generator(Philox(SeedSequence(seed, spawn_key=(stream,))))


# ---- the table -------------------------------------------------------------------------


def tables(runner: Runner) -> list[Table]:
    """What was asked, what it took, and how often the truth was in the interval."""
    return [_table(runner, Mode.FREE), _table(runner, Mode.EXACT)]


def _table(runner: Runner, mode: Mode) -> Table:
    run = run_free if mode is Mode.FREE else run_exact
    rows = []
    for row in ROWS:
        label = f"{mode.value}, {row.law.name} to {row.part:.0%}"
        rows.append(_line(row, runner.over_seeds(label, partial(run, row))))
    return Table(
        f"Stopped at a nominal 95 % in {mode.value} mode, {runner.seeds} runs per row",
        (
            "law",
            "half width",
            "samples needed",
            "samples taken, median",
            "stopped",
            "truth in the interval",
            "user told of doubt",
            f"bar where 1,000 samples or more are needed: {BAR:.0%}",
        ),
        rows,
    )


def _line(row: Row, runs: Sequence[Stopped]) -> list[str]:
    met = [one for one in runs if one.met]
    taken = f"{median(one.samples for one in met):,.0f}" if met else "-"
    line = [row.law.name, f"{row.part:.0%}", f"{row.needed:,}", taken, share(len(met) / len(runs))]
    if not met:
        return [*line, "-", "-", "refused, as it must be"]
    held = sum(one.holds(row.law.mean) for one in met) / len(met)
    reach = NORMAL_95 * sqrt(held * (1 - held) / len(met))
    promised = row.barred and (row.needed >= SMALL or row.batches)
    said = verdict(held >= BAR) if promised else "-"
    told = share(sum(one.vov > VOV_DOUBTED for one in met) / len(met), 0)
    return [*line, f"{100 * held:.1f} ± {100 * reach:.1f} %", told, said]
