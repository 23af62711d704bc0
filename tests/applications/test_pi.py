"""π: right within its error, its sums exact, and no matter how the samples are divided."""

from __future__ import annotations

from math import pi as exact

from manyhands.applications.pi import CHUNK_SAMPLES, pi
from manyhands.applications.stream import Stream


def sums(samples: int, stream: Stream) -> list[float]:
    tally = pi(samples, stream)["pi"]
    assert tally.samples == samples
    return [float(one) for one in tally.numbers]


def test_it_is_pi() -> None:
    samples = 1_000_000
    s1, s2, s3, s4 = sums(samples, Stream(1, 0))
    error = (exact * (4 - exact) / samples) ** 0.5
    assert abs(s1 / samples - exact) < 4 * error
    assert (s2, s3, s4) == (4 * s1, 16 * s1, 64 * s1)


def test_a_call_may_be_divided() -> None:
    samples = 2 * CHUNK_SAMPLES + 17
    stream = Stream(3, 1, batch=0)
    parts = [sums(part, stream) for part in (5, CHUNK_SAMPLES + 1, CHUNK_SAMPLES + 11)]
    together = [sum(column) for column in zip(*parts, strict=True)]
    assert together == sums(samples, Stream(3, 1, batch=0))
