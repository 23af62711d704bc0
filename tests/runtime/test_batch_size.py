"""The size of a batch, found from what batches cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from manyhands.runtime.child.run import BatchSize

START_S = 70e-6  # what any batch costs
BATCHES = 1000


def settled(cost_s: Callable[[int], float], disturbed: range = range(0)) -> int:
    """The usual size of many batches, of which some take three times as long."""
    size, used = BatchSize(1.0), Counter[int]()
    for number in range(BATCHES):
        slowed = 3.0 if number in disturbed else 1.0
        used[size.samples] += 1
        size.measured(size.samples, slowed * cost_s(size.samples))
    return used.most_common(1)[0][0]


def even(samples: int) -> float:
    return START_S + 1e-8 * samples


def test_what_a_batch_costs_besides_its_samples_vanishes() -> None:
    samples = settled(even)
    assert 0.02 * even(samples) > START_S
    assert even(samples) < 0.1  # and no longer than it takes for that


def test_a_disturbance_does_not_keep_batches_small() -> None:
    for first in range(0, 100, 3):
        samples = settled(even, range(first, first + 3))
        assert 0.04 * even(samples) > START_S, first


def test_arrays_that_fit_into_the_cache_stay_there() -> None:
    fit = 1 << 17
    samples = settled(lambda one: START_S + (1e-8 if one <= fit else 3e-8) * one)
    assert samples == fit


def test_a_slow_function_is_called_for_a_second_at_most() -> None:
    assert settled(lambda samples: 0.2 + 0.1 * samples) == 4  # 0.6 s; twice as many take 1 s
    assert settled(lambda samples: 5.0 * samples) == 1


def test_what_was_found_while_others_disturbed_is_found_out_again() -> None:
    size = BatchSize(1.0)
    for _ in range(200):
        size.measured(size.samples, 1000 * even(size.samples))
    few = size.samples
    for _ in range(100_000):
        size.measured(size.samples, even(size.samples))
    assert 0.02 * even(size.samples) > START_S
    assert size.samples > few
