"""All planted bugs, and the seeds of the swarm in which the checker sees each.

`python -m tests.simulator.mutants` looks for the seeds and writes `mutants.txt`: a line per mutant
with a seed below 200 that catches it, the first such seed, and the promise that it breaks there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

from manyhands.simulator.swarm import SeedResult, run_seed
from tests.simulator import (
    mutants_of_counting,
    mutants_of_looks,
    mutants_of_time,
    mutants_of_work,
)
from tests.simulator.broken import Broken, deciders

SEEDS = range(200)  # a planted bug must be seen in one of these
CHEAP_S = 0.3  # worth looking no further
TABLE = Path(__file__).with_name("mutants.txt")
HEAD = """\
# Planted bug | a seed that shows it | the first that does | the promise it breaks in the one shown
# Written by `python -m tests.simulator.mutants`; do not edit.
"""


@dataclass(frozen=True, slots=True)
class Catch:
    """A seed of the swarm in which a planted bug is seen."""

    mutant: str
    seed: int
    first: int
    rule: str

    def line(self) -> str:
        """As it stands in the table."""
        return f"{self.mutant} | {self.seed} | {self.first} | {self.rule}\n"


def mutants() -> dict[str, type[Broken]]:
    """Every planted bug by its name."""
    modules = (mutants_of_counting, mutants_of_looks, mutants_of_time, mutants_of_work)
    return dict(sorted((one.__name__, one) for module in modules for one in _in(module)))


def caught(mutant: type[Broken], seed: int) -> SeedResult:
    """What the swarm sees when it runs a seed with this bug."""
    return run_seed(seed, deciders(mutant))


def table() -> dict[str, Catch]:
    """The seeds that were found."""
    catches = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, seed, first, rule = line.split(" | ")
            catches[name] = Catch(name, int(seed), int(first), rule)
    return catches


def _in(module: ModuleType) -> Iterator[type[Broken]]:
    for one in vars(module).values():
        if isinstance(one, type) and issubclass(one, Broken) and one is not Broken:
            yield one


def _search(name: str) -> Catch | None:
    """The first seed that catches it, and a cheap one."""
    first, best, best_s = -1, None, float("inf")
    for seed in SEEDS:
        result = caught(mutants()[name], seed)
        if result.failure is None or result.seconds >= best_s:
            continue
        first = seed if first < 0 else first
        best, best_s = Catch(name, seed, first, result.failure.rule), result.seconds
        if best_s <= CHEAP_S or seed >= 2 * first + 20:
            break
    return best


def main() -> None:
    """Look for all; say which nothing catches."""
    names = list(mutants())
    found = {}
    with get_context("spawn").Pool(os.cpu_count()) as pool:
        for name, catch in pool.imap_unordered(_named, names):
            found[name] = catch.line() if catch else f"# {name}: nothing catches it\n"
            print(found[name], end="", flush=True)
    TABLE.write_text(HEAD + "".join(found[name] for name in names), encoding="utf-8")


def _named(name: str) -> tuple[str, Catch | None]:
    return name, _search(name)


if __name__ == "__main__":
    main()
