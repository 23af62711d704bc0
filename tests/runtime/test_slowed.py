"""Free mode with real processes, one of which is slow: the count is what the result holds."""

from __future__ import annotations

import pytest

from experiments.slowed import OVERSHOOT_BAR, SAMPLES, run

pytestmark = pytest.mark.slow


def test_what_is_accepted_is_what_the_result_holds_and_hardly_more_than_was_wanted() -> None:
    found = run(seed=1)
    assert found.samples == found.tallied == found.recounted
    assert found.verified
    assert 0 <= found.samples - SAMPLES <= OVERSHOOT_BAR * SAMPLES
    assert found.slow_part < 0.5, "the slowed pilot was not slowed"
