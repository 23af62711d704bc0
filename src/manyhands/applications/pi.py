"""π from points in a square: the application that everybody knows the answer of."""

from __future__ import annotations

import numpy as np

from manyhands.applications.declaring import application
from manyhands.applications.stream import Stream
from manyhands.statistics.returned import Moments, moments

CHUNK_SAMPLES = 1 << 13  # 128 kB of random numbers: they stay in the cache
BLOCK_SAMPLES = 1_000_000  # 10 ms


@application(block_samples=BLOCK_SAMPLES)
def pi(samples: int, stream: Stream) -> dict[str, Moments]:
    """π, as four times the fraction of random points in a square that lie in its circle.

    A point takes two random numbers, one after the other: so what a stream gives does not depend
    on how its samples are divided over calls. A sample is 4 or 0: the sums of its powers are exact.
    """
    draw = stream.numpy().random
    numbers = np.empty(2 * min(samples, CHUNK_SAMPLES))
    hits = 0
    for begin in range(0, samples, CHUNK_SAMPLES):
        drawn = numbers[: 2 * min(CHUNK_SAMPLES, samples - begin)]
        draw(out=drawn)
        np.multiply(drawn, drawn, out=drawn)
        hits += int(np.count_nonzero(drawn[0::2] + drawn[1::2] < 1.0))
    return {"pi": moments(samples, 4 * hits, 16 * hits, 64 * hits, 256 * hits)}
