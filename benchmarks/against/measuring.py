"""One engine, one case, one number of chunks: how long it takes, and what came back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from numpy.random import Generator, Philox

from benchmarks.against.work import BATCH, WORKERS, Load, throw

ENGINES = ("manyhands", "hand", "executor", "joblib", "dask", "ray")
CHUNKS = (1, 4, 16, 64, 256)  # per worker
SLOWNESS = 8
KILLED_AT = (0.3, 0.6)  # of the ideal time
ROUND = 1_000_000


@dataclass(frozen=True, slots=True)
class Case:
    """How bad the workers are."""

    said: str
    slowness: int
    kills: bool
    patience: float  # how many times the ideal time an engine may take

    def ideal_s(self, samples: int, rate: float) -> float:
        """The time of workers that are never idle and lose nothing."""
        share = (WORKERS - 1 + 1 / self.slowness) / WORKERS
        return samples / (rate * share)


CASES = {
    "even": Case("two equal workers", 1, False, 4.0),
    "slow": Case("one of two workers is 8 times slower", SLOWNESS, False, 12.0),
    "killed": Case("a worker is killed after 30 % and after 60 % of the time", 1, True, 4.0),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run came to; `seconds` is None if it did not end in time, or failed."""

    engine: str
    case: str
    chunks: int  # per worker; 0: nobody chose
    repeat: int
    seconds: float | None
    ideal_s: float
    lost: int
    twice: int
    said: str = ""

    @property
    def ratio(self) -> float | None:
        """Makespan ÷ ideal."""
        return None if self.seconds is None else self.seconds / self.ideal_s

    def to_plain(self) -> dict[str, Any]:
        """For the tracked file."""
        return asdict(self)

    def __str__(self) -> str:
        ratio = self.said if self.ratio is None else f"{self.ratio:.3f} of the ideal time"
        return f"{self.case:>6} {self.engine:>9} {self.chunks:>3}: {ratio}, lost {self.lost:,}"


def rate_now(seconds: float = 2.0) -> float:
    """Samples per second of as many bare processes as there are workers, at the same time."""
    with ProcessPoolExecutor(WORKERS) as pool:
        list(pool.map(_rate, [0.1] * WORKERS))  # they have started
        return sum(pool.map(_rate, [seconds] * WORKERS))


def samples_for(seconds: float) -> int:
    """How many samples take so long, in round numbers."""
    return max(round(rate_now() * seconds / ROUND), 1) * ROUND


def _rate(seconds: float) -> float:
    draws, count = Generator(Philox(1)), 0
    with tempfile.TemporaryDirectory() as folder:
        begun_s = time.perf_counter()
        while time.perf_counter() - begun_s < seconds:
            throw(BATCH, draws, folder, 1)
            count += BATCH
        return count / (time.perf_counter() - begun_s)


def measure(engine: str, case: str, chunks: int, samples: int, repeat: int) -> Measured:
    """Run it in a process of its own, and count what it brings."""
    bad = CASES[case]
    ideal_s = bad.ideal_s(samples, rate_now())
    say = partial(Measured, engine, case, chunks, repeat)
    with tempfile.TemporaryDirectory() as folder:
        load = Load(samples, max(chunks, 1) * WORKERS, folder, bad.slowness)
        command = [sys.executable, "-m", "benchmarks.against.engine", engine]
        process = subprocess.Popen(
            [*command, json.dumps(asdict(load))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        if bad.kills:
            threading.Thread(target=_kill, args=(Path(folder), ideal_s), daemon=True).start()
        try:
            out, err = process.communicate(timeout=bad.patience * ideal_s + 30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return say(None, ideal_s, samples, 0, "does not end")
    if process.returncode:
        return say(None, ideal_s, samples, 0, f"fails: {_last(err)}")
    found = json.loads(out.splitlines()[-1])
    lost, twice = _counted(found["done"], samples)
    return say(found["seconds"], ideal_s, lost, twice)


def _kill(folder: Path, ideal_s: float) -> None:
    """End workers: those that left their numbers, the first that lives."""
    begun_s = None
    killed: set[str] = set()
    for part in KILLED_AT:
        while begun_s is None or time.perf_counter() - begun_s < part * ideal_s:
            if begun_s is None and any(folder.glob("worker-*")):
                begun_s = time.perf_counter()
            time.sleep(0.01)
            if not folder.exists():
                return
        for left in sorted(folder.glob("worker-*")):
            if left.name not in killed:
                killed.add(left.name)
                try:
                    os.kill(int(left.name.partition("-")[2]), signal.SIGKILL)
                except ProcessLookupError:
                    continue
                break


def _counted(done: list[tuple[int, int, int]], samples: int) -> tuple[int, int]:
    """How many samples are missing, and how many are there again."""
    times = Counter(number for number, _, _ in done)
    sizes = {number: size for number, size, _ in done}
    twice = sum(sizes[number] * (count - 1) for number, count in times.items())
    return max(samples - sum(sizes.values()), 0), twice


def _last(text: str) -> str:
    """What an error's last line says."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:120] if lines else "without a word"
