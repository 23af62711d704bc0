"""`python by_hand.py NAME SAMPLES BATCH PROCESSES`: what people write who have no manyhands.

Each process has a generator of its own and takes the next batch until all are taken; sums are sent
in the end. Nothing is stored, and nothing survives anything. It prints the answer, then the seconds
from starting the processes to having it, and those that the slower process was at work.
"""

from __future__ import annotations

import sys
import time
from math import sqrt
from multiprocessing import Pipe, Process, Value
from multiprocessing.connection import Connection
from typing import Any

from functions import FUNCTIONS  # type: ignore[import-not-found]  # it stands beside this script
from numpy.random import Generator, Philox, SeedSequence


def work(name: str, number: int, left: Any, batch: int, line: Connection) -> None:
    """One process."""
    generator = Generator(Philox(SeedSequence(1, spawn_key=(number,))))
    function = FUNCTIONS[name]
    begun_s = time.perf_counter()
    total = squares = 0
    while True:
        with left:
            samples = min(batch, left.value)
            left.value -= samples
        if not samples:
            break
        more, more_squares = function(samples, generator)
        total += more
        squares += more_squares
    line.send((total, squares, time.perf_counter() - begun_s))


def main(name: str, samples: int, batch: int, processes: int) -> None:
    """Start them, add up what they send."""
    begun_s = time.perf_counter()
    left, lines = Value("q", samples), []
    for number in range(processes):
        ours, theirs = Pipe()
        Process(target=work, args=(name, number, left, batch, theirs)).start()
        lines.append(ours)
    found = [line.recv() for line in lines]
    mean = sum(one[0] for one in found) / samples
    spread = sum(one[1] for one in found) / samples - mean * mean
    seconds = max(one[2] for one in found)
    answer = f"{name} = {mean} ± {sqrt(spread / samples)}"
    print(f"{answer} after {time.perf_counter() - begun_s} s at work {seconds} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
