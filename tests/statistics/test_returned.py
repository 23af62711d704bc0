"""What a user may return, and the one clear line that is said of anything else."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from manyhands.statistics.audit import checked
from manyhands.statistics.returned import (
    BadReturn,
    batch,
    counts,
    histogram,
    mean,
    moments,
    total,
)

GOOD = mean([1.0, 2.0])


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "advance() returned None, but must return a dict of tallies"),
        ({}, "a dict that is empty"),
        (np.zeros(3), "an array of shape (3,)"),
        ([GOOD], "advance() returned a list"),
        ({"dose": np.zeros(2)}, "tally 'dose' is an array of shape (2,): wrap it in mh.mean(...)"),
        ({"dose": 1.5}, "tally 'dose' is a float: wrap it"),
        ({"a/b": GOOD}, "'a/b' is no name for a tally"),
        ({"": GOOD}, "'' is no name"),
        ({"a\nb": GOOD}, "is no name"),
        ({"x" * 101: GOOD}, "is no name"),
        ({3: GOOD}, "'3' is no name"),
        ({"a": GOOD, "b": mean([1.0])}, "'b' holds 1 samples but 'a' holds 2"),
        ({"a": mean([1.0, 2.0, 3.0])}, "'a' holds 3 samples, but 2 were ordered"),
        ({"a": mean([])}, "'a' holds no samples"),
        ({"a": mean([nan, 1.0])}, "tally 'a' has 1 of 2 numbers that are NaN or infinite"),
        ({"a": moments(2, [inf, nan], [1.0, 1.0])}, "'a' has 2 of 4 numbers"),
        ({"a": total([1.0, -inf])}, "'a' has 1 of 2"),
        ({"a": moments(2, [3.0], [1.0])}, "tally 'a' has 1 of 1 cells where s1² > n·s2"),
        ({"a": moments(2, 0.0, -1.0)}, "'a' has 1 of 1 cells"),
    ],
)
def test_a_bad_return_is_refused_in_one_line(returned: object, said: str) -> None:
    with pytest.raises(BadReturn) as refused:
        checked(returned, 2)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: mean(3.0), "one value per sample"),
        (lambda: mean([1.0], moments=3), "2 or 4 moments, not 3"),
        (lambda: mean([[1.0], [1.0, 2.0]]), "different lengths"),
        (lambda: mean(["a"]), "real numbers"),
        (lambda: mean([1j]), "real numbers"),
        (lambda: mean(np.zeros((3, 0))), "at least one cell"),
        (lambda: moments(3, 1.0, 1.0, s3=1.0), "s3 and s4 together"),
        (lambda: moments(3, [1.0], 1.0), "sums of one shape"),
        (lambda: moments(-1, 1.0, 1.0), "whole number, not -1"),
        (lambda: moments(True, 1.0, 1.0), "whole number, not True"),
        (lambda: batch(1.5, 1.0), "whole number, not 1.5"),  # type: ignore[arg-type]
        (lambda: histogram([[1.0]], [0, 1]), "one value per sample"),
        (lambda: histogram([nan], [0, 1]), "1 of 1 values"),
        (lambda: histogram([0.5], [1, 1]), "finite and rising"),
        (lambda: histogram([0.5], [0, inf]), "finite and rising"),
        (lambda: counts(3, [1.0]), "whole numbers"),
        (lambda: counts(3, [4]), "4 in a bin for 3 samples"),
        (lambda: counts(3, [-1]), "-1 in a bin"),
        (lambda: counts(3, [1, 2], edges=[0, 1]), "counts (2,) for 2 edges"),
    ],
)
def test_what_cannot_be_a_tally_is_refused(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(BadReturn) as refused:
        make()
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_samples_of_a_return_are_those_its_tallies_hold() -> None:
    assert checked({"a": GOOD, "b": total(1.0)}, 5).samples == 2


def test_a_return_of_sums_alone_holds_what_was_ordered() -> None:
    assert checked({"b": total(1.0)}, 5).samples == 5


def test_large_finite_numbers_are_no_infinities() -> None:
    assert checked({"a": mean([1e308, 1e308])}, 2).samples == 2


def test_a_histogram_is_numpys_with_the_rest_counted_apart() -> None:
    values = np.array([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, inf, -inf])
    found = histogram(values, [0.0, 1.0, 2.0])
    expected, _ = np.histogram(values[np.isfinite(values)], [0.0, 1.0, 2.0])
    assert found.counts.tolist() == expected.tolist()
    assert found.outside == (2, 2)
    assert found.samples == len(values)
