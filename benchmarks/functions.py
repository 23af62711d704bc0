"""What the comparison with hand-written processes computes, as both sides call it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from numpy.random import Generator


def pi(samples: int, generator: Generator) -> tuple[int, int]:
    """Points in a circle: how many lie in it, as a sum and a sum of squares."""
    hits = 0
    for begin in range(0, samples, 1 << 13):
        x, y = generator.random((2, min(1 << 13, samples - begin)))
        hits += int((x * x + y * y < 1.0).sum())
    return 4 * hits, 16 * hits


def walk(samples: int, generator: Generator) -> tuple[int, int]:
    """Walks of 30 steps, each drawn and summed up in Python: a function that is slow per sample."""
    total = squares = 0
    for _ in range(samples):
        steps = generator.integers(-1, 2, 30)
        end = int(steps.sum()) if steps[0] else int(abs(steps).sum())
        total += end
        squares += end * end
    return total, squares


def advance(samples: int, stream: Any, name: str) -> dict[str, Any]:
    """One of them as an application."""
    from manyhands.statistics.returned import moments

    total, squares = FUNCTIONS[name](samples, stream.numpy())
    return {name: moments(samples, total, squares)}


_called = False


def noting(samples: int, stream: Any, path: str) -> dict[str, Any]:
    """π, which leaves the time at which each process was first asked for it."""
    global _called
    if not _called:
        _called = True
        with Path(path).open("a") as file:
            file.write(f"{time.time()}\n")
    return advance(samples, stream, "pi")


FUNCTIONS = {"pi": pi, "walk": walk}
