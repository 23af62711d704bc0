"""Many simulated worlds, one after the other or on several processors, and their summary."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from statistics import NormalDist, mean, quantiles, stdev
from typing import Any, TypeVar

Argument = TypeVar("Argument")
Result = TypeVar("Result")

NORMAL_95 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Runner:
    """How an experiment is run: how many seeds, on how many processors, and its log if any.

    Every result is a line of JSON in the log as soon as it is there.
    """

    seeds: int = 40
    workers: int = 1
    log: Path | None = None

    def each(
        self, label: str, call: Callable[[Argument], Result], arguments: Sequence[Argument]
    ) -> list[Result]:
        """Call it for every argument; results are dataclasses, in the order of the arguments."""
        results = []
        for result in self._results(call, arguments):
            results.append(result)
            self._note(label, result)
        print(f"{label}: {len(results)} worlds", file=sys.stderr, flush=True)
        return results

    def over_seeds(self, label: str, call: Callable[[int], Result]) -> list[Result]:
        """Call it for every seed."""
        return self.each(label, call, range(self.seeds))

    def _results(
        self, call: Callable[[Argument], Result], arguments: Iterable[Argument]
    ) -> Iterator[Result]:
        if self.workers == 1:
            yield from map(call, arguments)
            return
        with ProcessPoolExecutor(self.workers) as pool:
            yield from pool.map(call, arguments)

    def _note(self, label: str, result: Any) -> None:
        if self.log is not None:
            with self.log.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"label": label, **asdict(result)}, default=str) + "\n")


def p5(values: Sequence[float]) -> float:
    """The 5th percentile, between the two values next to it."""
    return _twentieth(values, 1)


def p95(values: Sequence[float]) -> float:
    """The 95th percentile, likewise."""
    return _twentieth(values, 19)


def _twentieth(values: Sequence[float], number: int) -> float:
    return (
        values[0] if len(values) == 1 else quantiles(values, n=20, method="inclusive")[number - 1]
    )


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean and how far its 95 % confidence interval reaches to each side."""

    value: float
    reach: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ± {self.reach:.2f}"


def mean_of(values: Sequence[float]) -> Mean:
    """The mean of many seeds (normal interval: there are dozens of them)."""
    spread = stdev(values) if len(values) > 1 else 0.0
    return Mean(mean(values), NORMAL_95 * spread / sqrt(len(values)))
