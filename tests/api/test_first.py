"""Every call of `advance` is told which sample of its stream comes first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manyhands as mh
from manyhands.applications.stream import Stream
from manyhands.statistics.returned import Moments, moments

SAMPLES = 1_000_000


def numbered(samples: int, stream: Stream) -> dict[str, Moments]:
    """The numbers of the samples themselves; small batches, so that there are many."""
    numbers = np.arange(stream.first, stream.first + samples, dtype=np.float64)
    return {"number": moments(samples, numbers.sum(), np.square(numbers).sum())}


@pytest.mark.slow
def test_the_samples_of_a_stream_are_numbered_without_a_gap(tmp_path: Path) -> None:
    result = mh.run(numbered, SAMPLES, pilots=1, out=tmp_path / "run")
    # It may stop a little late, but holds 0 … n - 1: their mean says so.
    assert result.samples >= SAMPLES
    assert result["number"].value == pytest.approx((result.samples - 1) / 2, rel=1e-12)
    assert result["number"].samples == result.samples
