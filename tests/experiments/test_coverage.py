"""The study of stop rules measures what it says it does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from experiments.coverage import ROWS, Row, Stopped, run_exact, run_free
from experiments.laws import correlated, exponential, lognormal

Run = Callable[[Row, int], Stopped]
RUNS = 300


def held(run: Run, row: Row) -> float:
    """In which part of the runs the truth was in the interval."""
    found = [run(row, seed) for seed in range(RUNS)]
    assert all(one.met for one in found)
    return sum(one.holds(row.law.mean) for one in found) / RUNS


LAWS = {row.law.name: row.law for row in ROWS[:-1]}  # the last is too rare to be measured


@pytest.mark.parametrize("name", LAWS)
def test_a_law_has_the_mean_and_the_spread_that_it_says(name: str) -> None:
    law, samples = LAWS[name], 2000
    source = law.source(np.random.default_rng(1))
    means = [float(np.sum(source(samples))) / samples for _ in range(100)]
    spread = float(np.std(means, ddof=1)) * np.sqrt(samples) / law.mean
    assert abs(np.mean(means) / law.mean - 1) < 5 * law.spread / np.sqrt(100 * samples)
    if name != lognormal(2.0).name:  # whose spread is that of its rarest values
        assert 0.7 < spread / law.spread < 1.4


@pytest.mark.slow
@pytest.mark.parametrize("run", [run_free, run_exact])
def test_where_nothing_is_skewed_the_interval_holds_the_truth(run: Run) -> None:
    assert held(run, Row(exponential(), 0.05)) > 0.91


@pytest.mark.slow
@pytest.mark.parametrize("run", [run_free, run_exact])
def test_a_chain_taken_for_independent_samples_does_not(run: Run) -> None:
    assert held(run, Row(correlated(0.9, 1), 0.03)) < 0.6


@pytest.mark.parametrize("run", [run_free, run_exact])
def test_what_is_too_rare_is_never_precise(run: Run) -> None:
    assert not run(ROWS[-1], 1).met
