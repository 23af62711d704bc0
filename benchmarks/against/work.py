"""What every engine is given to do: darts at a square, in chunks, by workers of which some are bad.

A worker is whichever process calls `throw`. The first of them to come may be a slow one, which does
everything several times; all of them leave their number in a folder, so that they can be killed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.random import Generator, Philox, SeedSequence

BATCH = 20_000  # samples drawn at once: their numbers stay in the cache
WORKERS = 2

Done: TypeAlias = tuple[int, int, int]  # the number of a chunk, its samples, its hits
All: TypeAlias = list[Done]


@dataclass(frozen=True, slots=True)
class Load:
    """What is to be done, and how bad the workers are."""

    samples: int
    chunks: int
    folder: str  # where workers leave their numbers
    slowness: int = 1  # how many times the first worker does everything
    seed: int = 1

    def sizes(self) -> Iterator[tuple[int, int]]:
        """Every chunk's number and samples."""
        for number in range(self.chunks):
            first = self.samples * number // self.chunks
            yield number, self.samples * (number + 1) // self.chunks - first

    def to_json(self) -> str:
        """For the command line of an engine."""
        return json.dumps(asdict(self))


def throw_chunk(load: Load, number: int, samples: int) -> Done:
    """One chunk, with a stream of its own: what an engine runs somewhere."""
    draws = Generator(Philox(SeedSequence(load.seed, spawn_key=(number,))))
    hits = 0
    for begin in range(0, samples, BATCH):
        hits += throw(min(BATCH, samples - begin), draws, load.folder, load.slowness)
    return number, samples, hits


def throw(samples: int, draws: Generator, folder: str, slowness: int) -> int:
    """How many of so many darts hit the disc; a slow worker throws as many for nothing."""
    for _ in range(_times(folder, slowness) - 1):
        _hits(samples, _idle())
    return _hits(samples, draws)


def _hits(samples: int, draws: Generator) -> int:
    x, y = draws.random((2, samples))
    return int(np.count_nonzero(x * x + y * y < 1))


@lru_cache
def _times(folder: str, slowness: int) -> int:
    """How often this worker does everything; asked for the first time, it leaves its number."""
    (Path(folder) / f"worker-{os.getpid()}").touch()
    if slowness == 1:
        return 1
    try:
        os.close(os.open(Path(folder) / "slow", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return 1
    return slowness


@lru_cache
def _idle() -> Generator:
    return Generator(Philox(0))
