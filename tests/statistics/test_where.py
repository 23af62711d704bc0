"""Statements about cells are about the worst of the cells they speak of."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
import pytest

from manyhands.statistics.where import (
    BadWhere,
    Where,
    above,
    all_cells,
    cell,
    default,
    fraction,
    mask,
)

VALUE = np.array([[10.0, 8.0, 4.0], [0.0, -2.0, 6.0]])
ERROR = np.array([[1.0, 1.6, 0.2], [0.0, 0.1, 0.3]])  # relative: 0.1 0.2 0.05 inf 0.05 0.05


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
    assert where.relative_error(VALUE, ERROR) == pytest.approx(expected)


def test_the_highest_is_the_mean_of_the_ten_highest_cells() -> None:
    value = np.array([100.0, *[50.0] * 9, 30.0, 20.0])  # top10: 55
    error = np.array([*[1.0] * 10, 15.0, 19.0])
    assert above(0.5).relative_error(value, error) == 0.5
    assert above(0.5, of="max").relative_error(value, error) == 0.01
    assert above(0.55).relative_error(value, error) == 0.02


def test_an_image_of_zeros_is_never_precise() -> None:
    assert above(0.5).relative_error(np.zeros((4, 4)), np.zeros((4, 4))) == inf


def test_a_single_number_is_its_own_cell() -> None:
    assert default(()).relative_error(4.0, 1.0) == 0.25
    assert cell().relative_error(4.0, 1.0) == 0.25
    assert default((3, 3)) == above(0.5, of="top10")


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: cell(5, 5).relative_error(VALUE, ERROR), "no cell (5, 5) in a tally (2, 3)"),
        (lambda: cell(1).relative_error(VALUE, ERROR), "no cell (1,)"),
        (lambda: mask([True]).relative_error(VALUE, ERROR), "does not fit a tally (2, 3)"),
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
