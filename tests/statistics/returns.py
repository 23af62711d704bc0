"""Returns for the tests: blocks of random samples in every kind of tally."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manyhands.statistics.reference import Reference
from manyhands.statistics.returned import batch, counts, histogram, mean, moments, total
from manyhands.statistics.tallies import Tallies
from manyhands.statistics.watching import Watch

EDGES = [3.0, 4.0, 5.0, 6.5]
WATCH = Watch("score", 2.0**-20)


def block(seed: int, samples: int = 8) -> dict[str, Any]:
    """One return with all kinds of tallies."""
    draw = np.random.default_rng(seed)
    score = draw.normal(5.0, 1.0, samples)
    image = draw.exponential(1.0, (samples, 2, 3)) * (draw.random((samples, 2, 3)) < 0.5)
    powers = [np.sum(score**k) for k in range(1, 5)]
    return {
        "score": mean(score, moments=4),
        "image": mean(image),
        "sums": moments(samples, *powers),
        "batch": batch(samples, np.mean(image, axis=0)),
        "spectrum": histogram(score, EDGES),
        "hits": counts(samples, np.count_nonzero(image, axis=0)),
        "energy": total([np.sum(score), -1e-3 * samples]),
    }


def exact(blocks: Sequence[dict[str, Any]], of: dict[str, Any], samples: int = 8) -> Tallies:
    """Blocks added in exact mode, with the grids of one of them."""
    tallies = Tallies.exact(Reference.of_block(of, samples), WATCH)
    for one in blocks:
        tallies.add(one, samples)
    return tallies


def free(blocks: Sequence[dict[str, Any]], samples: int = 8) -> Tallies:
    """Blocks added in free mode."""
    tallies = Tallies.free(WATCH)
    for one in blocks:
        tallies.add(one, samples)
    return tallies
