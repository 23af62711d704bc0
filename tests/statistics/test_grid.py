"""The grid is integer arithmetic: rounded once, added exactly, and never wrapped in silence."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.statistics.grid import GridSums, OutOfGrid, exponent_of

numbers = st.floats(allow_nan=False, allow_infinity=False)
exponents = st.integers(-1074, 1024)
whole = st.integers(-(2**127) + 1, 2**127 - 1)


@pytest.mark.parametrize("compiled", [False, True])
@settings(deadline=None)  # the first call compiles
@given(st.lists(numbers, min_size=1, max_size=4), exponents)
def test_a_number_is_rounded_once_half_to_even(
    compiled: bool, values: list[float], exponent: int
) -> None:
    expected = [round(Fraction(one) / Fraction(2) ** (exponent - 76)) for one in values]
    if max(map(abs, expected)) >= 2**127:
        with pytest.raises(OutOfGrid):
            GridSums.of(np.array(values), exponent, compiled)
    else:
        sums = GridSums.of(np.array(values), exponent, compiled)
        assert [sums.integer(i) for i in range(len(values))] == expected


@pytest.mark.parametrize("compiled", [False, True])
@settings(deadline=None)  # the first call compiles
@given(st.lists(st.tuples(whole, whole), min_size=1, max_size=4))
def test_adding_is_exact_or_refused_without_a_trace(
    compiled: bool, pairs: list[tuple[int, int]]
) -> None:
    sums, more = (_grid([pair[k] for pair in pairs]) for k in range(2))
    before = sums.copy()
    expected = [a + b for a, b in pairs]
    if any(not -(2**127) <= one < 2**127 for one in expected):
        with pytest.raises(OutOfGrid):
            sums.add(more, compiled)
        expected = [a for a, _ in pairs]
        assert np.array_equal(sums.high, before.high)
    else:
        sums.add(more, compiled)
    assert [sums.integer(i) for i in range(len(pairs))] == expected
    assert [more.integer(i) for i in range(len(pairs))] == [b for _, b in pairs]


def test_compiled_and_plain_give_the_same_bits() -> None:
    pytest.importorskip("numba")
    draw = np.random.default_rng(7)
    values = draw.normal(0, 1, 20_000) * 10.0 ** draw.integers(-60, 14, 20_000)
    plain, compiled = (GridSums.of(values, 0, one) for one in (False, True))
    for _ in range(3):
        assert np.array_equal(plain.high, compiled.high)
        assert np.array_equal(plain.low, compiled.low)
        plain.add(plain.copy(), compiled=False)
        compiled.add(compiled.copy(), compiled=True)


@pytest.mark.parametrize("wrong", [nan, inf, -inf, 2.0**51, -(2.0**51)])
@pytest.mark.parametrize("compiled", [False, True])
def test_what_is_beyond_the_grid_is_refused(wrong: float, compiled: bool) -> None:
    with pytest.raises(OutOfGrid):
        GridSums.of(np.array([0.5, wrong]), 0, compiled)


@given(st.floats(0, exclude_min=True, allow_infinity=False))
def test_an_exponent_is_the_smallest_that_holds(largest: float) -> None:
    exponent = exponent_of(largest)
    assert Fraction(2) ** (exponent - 1) < Fraction(largest) <= Fraction(2) ** exponent


def test_nothing_has_the_exponent_of_one() -> None:
    assert exponent_of(0.0) == 0


def _grid(integers: list[int]) -> GridSums:
    high = np.array([one >> 64 for one in integers], np.int64)
    low = np.array([one & (2**64 - 1) for one in integers], np.uint64)
    return GridSums(0, high, low)
