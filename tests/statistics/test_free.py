"""Free mode: the right values and errors, however the samples were cut up and merged."""

from __future__ import annotations

from fractions import Fraction
from math import fsum, inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.statistics.returned import BadReturn, batch, histogram, mean, moments, total
from manyhands.statistics.tallies import MergeRefused, Tallies, TooManySamples
from tests.statistics.returns import block, free

numbers = st.floats(-1e6, 1e6)


@given(st.lists(st.lists(numbers, min_size=1, max_size=5), min_size=1, max_size=6))
def test_value_error_and_vov_are_those_of_all_samples_at_once(parts: list[list[float]]) -> None:
    tallies = Tallies.free()
    for part in parts:
        tallies.add({"x": mean(part, moments=4)}, len(part))
    found = tallies.results()["x"]
    values = np.array([one for part in parts for one in part])
    count, scale = len(values), float(np.max(np.abs(values)))
    assert found.samples == count
    assert found.value == pytest.approx(np.mean(values), abs=1e-12 * scale)
    if count > 1:
        expected = np.std(values, ddof=1) / sqrt(count)
        assert found.error == pytest.approx(expected, rel=1e-9, abs=1e-12 * scale)
        spread = np.sum((values - np.mean(values)) ** 2)
        if spread > max(1e-12 * scale**2, 1e-100):
            fourth = np.sum((values - np.mean(values)) ** 4)
            assert found.vov == pytest.approx(fourth / spread**2 - 1 / count, rel=1e-6, abs=1e-9)


@given(st.permutations(range(6)), st.integers(1, 5))
def test_merging_commutes_and_associates_within_rounding(order: list[int], cut: int) -> None:
    one = free([block(i) for i in range(6)])
    left = free([block(i) for i in order[:cut]])
    right = free([block(i) for i in order[cut:]])
    right.merge(left)
    assert right.samples == one.samples
    assert right.sums() == one.sums()
    _require_close(right, one)


def test_a_trillion_samples_of_a_large_mean_keep_their_error() -> None:
    draw = np.random.default_rng(3)
    parts = [draw.normal(1e6, 1.0, 500) for _ in range(2)]
    a, b = (free_of(part) for part in parts)
    times = [[1, 0], [0, 1]]
    while a.samples < 10**12:
        a.merge(b)
        times[0] = [x + y for x, y in zip(*times, strict=True)]
        a, b, times = b, a, times[::-1]
    counts = times[0]
    powers = [[sum(Fraction(v) ** k for v in part) for part in parts] for k in (1, 2)]
    s1, s2 = (sum(n * power for n, power in zip(counts, row, strict=True)) for row in powers)
    n = a.samples
    assert n == 500 * sum(counts)
    expected = sqrt((s2 - s1 * s1 / n) / n / (n - 1))
    found = a.results()["x"]
    assert found.error == pytest.approx(expected, rel=1e-6)
    assert found.value == pytest.approx(float(s1 / n), rel=1e-12)


def test_moments_are_what_mean_makes_of_the_values() -> None:
    values = np.random.default_rng(5).normal(3.0, 1.0, (50, 4))
    powers = [np.sum(values**k, axis=0) for k in range(1, 5)]
    tallies = Tallies.free()
    tallies.add({"values": mean(values, 4), "sums": moments(50, *powers)}, 50)
    one, other = tallies.results()["values"], tallies.results()["sums"]
    assert one.value == pytest.approx(other.value)
    assert one.error == pytest.approx(other.error)
    assert one.vov == pytest.approx(other.vov)


def test_batches_have_the_published_error() -> None:
    n = [10, 20, 30, 5]
    m = [1.0, 1.2, 0.9, 1.4]
    tallies = Tallies.free()
    for count, value in zip(n, m, strict=True):
        tallies.add({"x": batch(count, value)}, count)
    found = tallies.results()["x"]
    total_n = sum(n)
    a = sum(x * y for x, y in zip(n, m, strict=True))
    b = sum(x * y * y for x, y in zip(n, m, strict=True))
    assert found.value == pytest.approx(a / total_n)
    assert found.error == pytest.approx(sqrt((b - a * a / total_n) / (3 * total_n)))
    assert found.batches == 4


def test_fractions_of_bins_have_the_error_of_zeros_and_ones() -> None:
    values = np.array([0.5, 0.5, 1.5, 5.0])
    tallies = Tallies.free()
    tallies.add({"h": histogram(values, [0, 1, 2]), "m": mean(values < 1)}, 4)
    bins, plain = tallies.results()["h"], tallies.results()["m"]
    assert np.asarray(bins.value).tolist() == [0.5, 0.25]
    assert np.asarray(bins.error)[0] == pytest.approx(plain.error)
    assert bins.outside == (0, 1)
    assert bins.edges is not None
    assert bins.edges.tolist() == [0, 1, 2]


def test_sums_are_added_and_have_no_error() -> None:
    tallies = Tallies.free()
    assert tallies.add({"e": total(2.5)}, 3) == 3
    tallies.add({"e": total(0.5)}, 4)
    found = tallies.results()["e"]
    assert (found.value, found.error, found.relative_error, found.samples) == (3.0, None, None, 7)


def test_one_sample_says_nothing_of_its_error() -> None:
    assert free_of(np.array([2.0])).results()["x"].error == inf


def test_an_empty_cell_is_never_precise() -> None:
    tallies = Tallies.free()
    tallies.add({"x": mean([[0.0, 1.0], [0.0, 3.0]])}, 2)
    found = tallies.results()["x"].relative_error
    assert np.asarray(found).tolist() == [inf, 0.5]


def test_a_short_return_is_counted_as_what_it_holds() -> None:
    tallies = Tallies.free()
    assert tallies.add({"x": mean([1.0, 2.0])}, 5) == 2
    assert tallies.samples == 2


@pytest.mark.parametrize(
    ("later", "said"),
    [
        ({"y": mean([1.0])}, "x before and y now"),
        ({"x": mean([1.0]), "y": mean([1.0])}, "x before and x, y now"),
        ({"x": mean([[1.0, 2.0]])}, "'x' is a mean of shape () with 2 moments before and a mean"),
        ({"x": mean([1.0], 4)}, "with 4 moments now"),
        ({"x": batch(1, 1.0)}, "a batch of shape ()"),
        ({"x": mean([1e200])}, "'x' has values whose powers are too large"),
        ({"x": 1.0}, "'x' is a float"),
    ],
)
def test_a_failed_add_leaves_no_trace(later: dict[str, object], said: str) -> None:
    tallies = free_of(np.array([1.0, 2.0]))
    before = tallies.to_bytes()
    with pytest.raises(BadReturn) as refused:
        tallies.add(later, 1)
    assert said in str(refused.value)
    assert tallies.to_bytes() == before


def test_other_edges_are_another_tally() -> None:
    tallies = Tallies.free()
    tallies.add({"h": histogram([0.5], [0, 1, 2])}, 1)
    with pytest.raises(BadReturn, match="edges 0 … 2 before, with other inner edges now"):
        tallies.add({"h": histogram([0.5], [0, 1.5, 2])}, 1)


def test_a_merge_leaves_the_other_as_it_was_and_apart() -> None:
    one, other = free([block(1)]), free([block(2)])
    before = other.to_bytes()
    one.merge(other)
    empty = Tallies.free(one.watch)
    empty.merge(other)
    empty.merge(other)
    copied = other.copy()
    copied.add(block(3), 8)
    assert other.to_bytes() == before
    assert empty.samples == copied.samples == 16


def test_merging_with_itself_doubles() -> None:
    one = free([block(1), block(2)])
    twice = one.copy()
    twice.merge(twice)
    assert twice.samples == 2 * one.samples
    assert twice.results()["score"].value == pytest.approx(one.results()["score"].value)


def test_nothing_merged_changes_nothing() -> None:
    one = free([block(1)])
    before = one.digest()
    one.merge(free([]))
    assert one.digest() == before


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"y": mean([1.0])}, "x in one and y in the other"),
        ({"x": mean([[1.0]])}, "of shape () with 2 moments in one and a mean of shape (1,)"),
    ],
)
def test_different_tallies_are_not_merged(other: dict[str, object], said: str) -> None:
    one, more = free_of(np.array([1.0])), Tallies.free()
    more.add(other, 1)
    with pytest.raises(MergeRefused) as refused:
        one.merge(more)
    assert said in str(refused.value)


def test_more_samples_than_can_be_counted_are_refused() -> None:
    one = Tallies.free()
    one.add({"x": moments(2**62, 1.0, 1.0)}, 2**62)
    before = one.to_bytes()
    with pytest.raises(TooManySamples):
        one.merge(one.copy())
    assert one.to_bytes() == before


def test_many_cells_and_samples_are_what_few_are() -> None:
    values = np.random.default_rng(2).normal(1.0, 1.0, (70, 20_001))
    tallies = Tallies.free()
    tallies.add({"x": mean(values[:30])}, 30)
    tallies.add({"x": mean(values[30:])}, 40)
    found = tallies.results()["x"]
    assert np.allclose(found.value, np.mean(values, axis=0), rtol=0, atol=1e-13)
    expected = np.std(values, axis=0, ddof=1) / sqrt(70)
    assert np.allclose(np.asarray(found.error), expected, rtol=1e-12)


def test_many_large_values_are_added_up_to_their_last_digit() -> None:
    values = 1e8 + np.random.default_rng(6).random((50_000, 2))
    tallies = Tallies.free()
    tallies.add({"x": mean(values)}, 50_000)
    expected = [fsum(values[:, i]) / 50_000 for i in range(2)]
    assert np.asarray(tallies.results()["x"].value).tolist() == expected


def free_of(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Tallies:
    """One tally of some values."""
    tallies = Tallies.free()
    tallies.add({"x": mean(values)}, len(values))
    return tallies


def _require_close(one: Tallies, other: Tallies) -> None:
    for name, found in one.results().items():
        expected = other.results()[name]
        assert np.allclose(found.value, expected.value, rtol=1e-12, atol=1e-14)
        if found.error is not None and expected.error is not None:
            assert np.allclose(found.error, expected.error, rtol=1e-12, atol=1e-14)
        if found.vov is not None and expected.vov is not None:
            assert np.allclose(found.vov, expected.vov, rtol=1e-11, atol=1e-14)
