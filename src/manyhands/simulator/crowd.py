"""Many seeds of the swarm on several processes, and what they showed together."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.pool import Pool

from manyhands.control.life_cycles import all_rows
from manyhands.simulator.faults import Fault
from manyhands.simulator.swarm import Failure, SeedResult, run_seed

SEEDS_AT_ONCE = 4
SELDOM = 0.01  # what fewer seeds met than this is said
# Worlds are made and thrown away whole: to search young objects often finds nothing.
COLLECT_AFTER = (50_000, 20, 50)


@dataclass(slots=True)
class Tally:
    """What all seeds so far showed."""

    seeds: int = 0
    campaigns: int = 0
    samples: int = 0
    events: int = 0
    seconds: float = 0.0  # of processors
    failures: list[Failure] = field(default_factory=list)
    met: dict[str, int] = field(default_factory=lambda: dict.fromkeys(everything(), 0))

    def add(self, result: SeedResult) -> None:
        """Count one more seed."""
        self.seeds += 1
        self.campaigns += result.campaigns
        self.samples += result.samples
        self.events += result.events
        self.seconds += result.seconds
        if result.failure is not None:
            self.failures.append(result.failure)
            self.failures.sort(key=_seed)
        for name in (*result.faults, *result.rows):
            self.met[name] = self.met.get(name, 0) + 1

    def seldom(self) -> dict[str, float]:
        """The faults and rows that too few seeds met, with their share of the seeds."""
        shares = {name: count / max(self.seeds, 1) for name, count in self.met.items()}
        return {name: share for name, share in shares.items() if share < SELDOM}


def everything() -> list[str]:
    """The name of every fault and of every row and transition that a world can meet."""
    return [*(fault.value for fault in Fault), *all_rows()]


def run_seeds(first: int, end: int, workers: int) -> Iterator[SeedResult]:
    """The results of seeds first … end - 1, in the order in which they come."""
    seeds = range(first, end)
    if workers == 1:
        _prepare()
        yield from map(run_seed, seeds)
        return
    with _pool(min(workers, len(seeds))) as pool:
        yield from pool.imap_unordered(run_seed, seeds, SEEDS_AT_ONCE)


def _pool(workers: int) -> Pool:
    return multiprocessing.get_context("spawn").Pool(workers, _prepare)


def _prepare() -> None:
    gc.set_threshold(*COLLECT_AFTER)


def _seed(failure: Failure) -> int:
    return failure.seed
