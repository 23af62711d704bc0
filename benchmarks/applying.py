"""How fast the built-in applications are, and what a stream costs.

The bars are ratios within one run: π against drawing its random numbers alone, the slab against
drawing two numbers a particle. Processor time on one core; the best of some runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from manyhands.applications.pi import pi
from manyhands.applications.slab import slab
from manyhands.applications.stream import Stream

SAMPLES = 400_000
RUNS = 5


def seconds(work: Callable[[], object]) -> float:
    """The processor time of the fastest of some runs."""
    best = float("inf")
    for _ in range(RUNS):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def main() -> dict[str, float]:
    """Samples per second, ratios to bare random numbers, and microseconds per stream."""
    stream = Stream(1, 0)
    buffer = np.empty(1 << 14)
    chunks = 2 * SAMPLES / len(buffer)
    drawing_s = seconds(lambda: stream.numpy().random(out=buffer)) * chunks
    pi_s = seconds(lambda: pi(SAMPLES, stream))
    slab_s = seconds(lambda: slab(SAMPLES, stream))
    made_s = seconds(lambda: [Stream(1, number).numpy() for number in range(1000)])
    figures = {
        "pi_samples_per_s": SAMPLES / pi_s,
        "pi_per_drawing": pi_s / drawing_s,
        "slab_samples_per_s": SAMPLES / slab_s,
        "slab_per_drawing": slab_s / drawing_s,
        "stream_us": made_s / 1000 * 1e6,
    }
    return {name: float(f"{figure:.3g}") for name, figure in figures.items()}


if __name__ == "__main__":
    print(main())
