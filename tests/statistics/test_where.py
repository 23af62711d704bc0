"""Statements about cells are about the worst of the cells they speak of."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import pytest
from numpy.typing import ArrayLike

from manyhands.model.where import BadWhere, Where
from manyhands.statistics.results import relative
from manyhands.statistics.where import (
    above,
    all_cells,
    cell,
    default,
    fraction,
    mask,
    precise,
    worst,
)

VALUE = np.array([[10.0, 8.0, 4.0], [0.0, -2.0, 6.0]])
ERROR = np.array([[1.0, 1.6, 0.2], [0.0, 0.1, 0.3]])  # relative: 0.1 0.2 0.05 inf 0.05 0.05


def worst_of(where: Where, value: ArrayLike = VALUE, error: ArrayLike = ERROR) -> float:
    """The largest relative error in the cells that a statement speaks of."""
    found = relative(np.asarray(value, np.float64), np.asarray(error, np.float64))
    return worst(found[precise(where, np.asarray(value, np.float64), found)])


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (cell(0, 1), 0.2),
        (cell(1, 0), inf),
        (all_cells(), inf),
        (above(0.5, of="max"), 0.2),
        (above(0.9, of="max"), 0.1),
        (above(0.95), 0.2),
        (above(0.0, of="max"), 0.2),
        (fraction(0.5), 0.05),
        (fraction(4 / 6), 0.1),
        (fraction(5 / 6), 0.2),
        (fraction(1.0), inf),
        (mask(VALUE > 9), 0.1),
        (mask([[True, False, True], [False, False, False]]), 0.1),
    ],
)
def test_a_statement_is_its_worst_cell(where: Where, expected: float) -> None:
    assert worst_of(where) == pytest.approx(expected)


def test_the_highest_is_the_mean_of_the_ten_highest_cells() -> None:
    value = np.array([100.0, *[50.0] * 9, 30.0, 20.0])  # top10: 55
    error = np.array([*[1.0] * 10, 15.0, 19.0])
    assert worst_of(above(0.5), value, error) == 0.5
    assert worst_of(above(0.5, of="max"), value, error) == 0.01
    assert worst_of(above(0.55), value, error) == 0.02


def test_an_image_of_zeros_is_never_precise() -> None:
    assert worst_of(above(0.5), np.zeros((4, 4)), np.zeros((4, 4))) == inf


def test_a_single_number_is_its_own_cell() -> None:
    assert worst_of(default(()), 4.0, 1.0) == 0.25
    assert worst_of(cell(), 4.0, 1.0) == 0.25
    assert default((3, 3)) == above(0.5, of="top10")


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: worst_of(cell(5, 5)), "no cell (5, 5) in a tally (2, 3)"),
        (lambda: worst_of(cell(1)), "no cell (1,)"),
        (lambda: worst_of(mask([True])), "does not fit a tally (2, 3)"),
        (lambda: mask([False]), "one of them true"),
        (lambda: mask([1.0]), "truth values"),
        (lambda: fraction(0.0), "above 0"),
        (lambda: above(1.0), "below 1"),
        (lambda: above(0.5, of="top3"), '"top10" or "max"'),
    ],
)
def test_cells_that_are_not_there_are_refused(act: Callable[[], object], said: str) -> None:
    with pytest.raises(BadWhere) as refused:
        act()
    assert said in str(refused.value)
