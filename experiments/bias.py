"""Is an answer right on the mean when work ends by the clock and costs depend on values?

A sample that takes long is more likely to be in hand when time is up. Whoever drops it then keeps
too many of the quick ones, and the answer is wrong however many tasks are summed up. So what is in
hand is always finished and counted (Wald 1944). Here the real code of a child computes for
thousands of tasks, each ended by a clock that is advanced by what samples cost.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from experiments.processes import COSTLY, TOLL, command
from experiments.running import NORMAL_95, Runner
from experiments.tables import Table, share, verdict
from manyhands.applications.describing import describe
from manyhands.applications.loading import Application
from manyhands.applications.stream import Stream
from manyhands.pilot.frames import READ_BYTES, Frames
from manyhands.runtime.brief import Brief
from manyhands.runtime.child.child import Child, Told
from manyhands.runtime.child.run import Run, Step
from manyhands.runtime.child.storing import Say, Storing
from manyhands.statistics.returned import mean as mean_tally
from manyhands.statistics.tallies import Tallies

DESCRIBED = describe(TOLL)  # its name and version; what is computed is here
RUNS = 400
TASKS = 20
TRUE_MEAN = 1.0  # of the exponential distribution that is sampled
BIAS_BAR = 0.2  # standard errors of one run
COVERAGE_BAR = 0.93
REAL_ONE_IN = 10  # so many runs on the virtual clock to one with real processes
REAL_DEADLINE, REAL_PILOTS = "4s", 4


@dataclass(frozen=True, slots=True)
class Costs:
    """How long things take; times are those of a clock that only samples move."""

    sample_s: float  # of a sample of value 1
    batch_s: float  # which batches are to take
    flush_s: float  # when a task is ended


ONE_BY_ONE = Costs(sample_s=1.0, batch_s=1.0, flush_s=6.0)
IN_BATCHES = Costs(sample_s=0.1, batch_s=1.0, flush_s=6.0)


@dataclass(slots=True)
class Clock:
    """Time that passes when somebody works."""

    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


class Shelf(Storing):
    """A store in memory: the last that was uploaded of each task."""

    def __init__(self, folder: Path, brief: Brief, say: Say) -> None:
        super().__init__(folder, brief, say)
        self.held: dict[int, Tallies] = {}

    def store(self, order: Told, result: Tallies) -> None:
        """Another upload of a task takes the place of the one before."""
        self.held[order["task"]] = result


class Worker(Child):
    """A child whose clock is moved by what its samples cost, and which stores in memory."""

    def __init__(self, clock: Clock, costs: Costs, seed: int, descriptor: int) -> None:
        def advance(samples: int, stream: Stream) -> dict[str, Any]:
            values = stream.numpy().exponential(TRUE_MEAN, samples)
            clock.now_s += costs.sample_s * float(values.sum())
            return {"value": mean_tally(values)}

        brief = Brief(DESCRIBED, 0, seed, False, 0, None, None, batch_s=costs.batch_s)
        nowhere = Path(os.devnull)
        super().__init__(nowhere, descriptor, -1, brief, Application(DESCRIBED, advance), clock)
        self.shelf = self._storing = Shelf(nowhere, brief, self._say)
        self.flush_s = float("inf")


class InHand(BaseException):
    """The flush came while a batch was in hand."""


class DropsInHand(Worker):
    """The mistake: at the flush, the batch in hand is dropped."""

    def _compute(self, run: Run[Tallies], step: Step) -> int:
        stream = self._stream
        assert stream is not None
        returned = self._application.advance(step.samples, stream)
        if self._clock() > self.flush_s:
            raise InHand
        return run.parts.open_result(step.segment).add(returned, step.samples)


class Pilot:
    """Tells a child what a pilot would tell it, at times of the same clock."""

    def __init__(self, worker: type[Worker], costs: Costs, seed: int) -> None:
        reads, writes = os.pipe()
        os.set_blocking(reads, False)
        self._frames = Frames()
        self._pipe = reads, writes
        self._clock, self._costs = Clock(), costs
        self.child = worker(self._clock, costs, seed, writes)

    def task(self, number: int) -> None:
        """A task that stores a checkpoint half-way, and all it has when its time is up."""
        child, end_s = self.child, self._clock.now_s + self._costs.flush_s
        self._tell("start", number, stream=number, limit=None, leases=[])
        self._compute_until(end_s - self._costs.flush_s / 2)
        self._tell("hold", number)
        self._upload(number)
        self._tell("go", number)
        child.flush_s = end_s
        self._compute_until(end_s)
        child.flush_s = float("inf")
        self._tell("end", number)
        self._upload(number)

    def merged(self) -> Tallies:
        """All that was stored."""
        found = Tallies.free()
        for one in self.child.shelf.held.values():
            found.merge(one)
        return found

    def close(self) -> None:
        """Hear no more."""
        for descriptor in self._pipe:
            os.close(descriptor)

    def _compute_until(self, time_s: float) -> None:
        try:
            while self._clock.now_s < time_s:
                assert self.child.step(), "there is always more to compute"
        except InHand:
            pass

    def _upload(self, number: int) -> None:
        position = [one["position"] for one in self._said() if one["what"] == "advanced"][-1]
        self._tell("heard", number, position=position)
        if position:
            self._tell("upload", number, name="", coverage=[[number, 0, position]])

    def _tell(self, what: str, task: int, **more: Any) -> None:
        self.child.told({"what": what, "task": task, **more})

    def _said(self) -> list[dict[str, Any]]:
        found = []
        with suppress(BlockingIOError):
            while True:
                found += self._frames.feed(os.read(self._pipe[0], READ_BYTES))
        return [json.loads(one) for one in found]


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer of one run of many tasks."""

    value: float
    error: float
    samples: int


def answer(worker: type[Worker], costs: Costs, seed: int) -> Answered:
    """One run."""
    pilot = Pilot(worker, costs, seed)
    try:
        for number in range(TASKS):
            pilot.task(number)
        merged = pilot.merged()
    finally:
        pilot.close()
    found = merged.results()["value"]
    assert isinstance(found.value, float)
    assert isinstance(found.error, float)
    return Answered(found.value, found.error, merged.samples)


@dataclass(frozen=True, slots=True)
class Bias:
    """How far answers are off on the mean, in standard errors of one answer."""

    runs: int
    samples: float  # of a run, on the mean
    bias: float
    uncertainty: float  # one standard error of the bias
    covered: float  # how often the 95 % interval holds the truth


def bias_of(found: Sequence[Answered]) -> Bias:
    """From the answers of many runs."""
    values = [one.value for one in found]
    covered = mean(abs(one.value - TRUE_MEAN) <= NORMAL_95 * one.error for one in found)
    off = (mean(values) - TRUE_MEAN) / stdev(values)
    samples = mean(one.samples for one in found)
    return Bias(len(found), samples, off, 1 / sqrt(len(found)), covered)


def measured(worker: type[Worker], costs: Costs, runs: int = RUNS) -> Bias:
    """Many runs with seeds of their own."""
    return bias_of([answer(worker, costs, seed) for seed in range(runs)])


def row(what: str, found: Bias, bars: bool = True) -> list[str]:
    """One line of the table."""
    good = abs(found.bias) <= BIAS_BAR and found.covered >= COVERAGE_BAR
    return [
        what,
        str(found.runs),
        f"{found.samples:.0f}",
        f"{found.bias:+.2f} ± {found.uncertainty:.2f}",
        share(found.covered, 1),
        verdict(good) if bars else "the mistake" if not good else "**not seen**",
    ]


def table(rows: Sequence[Sequence[str]]) -> Table:
    """All of it."""
    head = ["", "runs", "samples in a run", "bias, standard errors", "covered by 95 %", ""]
    return Table("Tasks ended by the clock, cost in proportion to value", head, rows)


def tables(runner: Runner) -> list[Table]:
    """The real code of a child on a virtual clock, the same with the mistake, real processes."""
    rows = [
        row("one by one", _many(runner, Worker, ONE_BY_ONE)),
        row("in batches", _many(runner, Worker, IN_BATCHES)),
        row("one by one, the last dropped", _many(runner, DropsInHand, ONE_BY_ONE), False),
        row("in batches, the last dropped", _many(runner, DropsInHand, IN_BATCHES), False),
    ]
    real = Runner(max(runner.seeds // REAL_ONE_IN, 2), runner.workers, runner.log)
    found = bias_of(real.over_seeds("real", real_answer))
    rows.append([*row("real processes, a deadline", found)[:-1], "too few to judge"])
    return [table(rows)]


def _many(runner: Runner, worker: type[Worker], costs: Costs) -> Bias:
    return bias_of(runner.over_seeds(worker.__name__, partial(answer, worker, costs)))


def real_answer(seed: int) -> Answered:
    """One real run that ends by the clock; each sample takes as long as its value says."""
    with tempfile.TemporaryDirectory(prefix="bias-") as folder:
        words = ["--deadline", REAL_DEADLINE, "--pilots", str(REAL_PILOTS), "--seed", str(seed)]
        said = command("run", COSTLY, *words, "--json", "--out", str(Path(folder) / "run"))
    assert said.status == 0, said
    found = said.result["tallies"]["value"]
    return Answered(found["value"], found["error"], found["samples"])
