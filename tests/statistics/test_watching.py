"""The numbers a precision rule rides on: exact, additive, and what the core understands."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.control.stopping import look
from manyhands.model.stopping import Precision
from manyhands.statistics.reference import Reference
from manyhands.statistics.returned import BadReturn, batch, histogram, mean, moments, total
from manyhands.statistics.tallies import MergeRefused, Tallies
from manyhands.statistics.watching import Watch
from tests.statistics.returns import WATCH, block, free

UNIT = 2.0**-20
whole = st.integers(-1000, 1000)


@given(st.lists(whole, min_size=1, max_size=6), st.integers(-20, 30))
def test_sums_are_those_of_the_powers_in_units(numbers: list[int], bits: int) -> None:
    unit = 2.0**-bits
    tallies = Tallies.free(Watch("x", unit))
    tallies.add({"x": mean([float(one) for one in numbers])}, len(numbers))
    expected = [
        round(sum(Fraction(one) ** k for one in numbers) / Fraction(unit) ** k) for k in range(1, 5)
    ]
    nonzero = sum(one != 0 for one in numbers)
    assert tallies.sums() == (nonzero, *expected)


def test_sums_are_exact_for_any_size_of_number_and_unit() -> None:
    for value, unit in ((1e300, 2.0**-100), (1e-300, 1e300), (5e-324, 5e-324), (2.0, 3.0)):
        tallies = Tallies.exact(Reference.of_block({"x": total(1.0), "y": moments(1, 1, 1)}, 1))
        assert tallies.sums() == ()
        watching = Tallies.free(Watch("x", unit))
        # A single value so large has no error in floats, but its sums are whole numbers.
        if value < 1e100:
            watching.add({"x": mean([value])}, 1)
            expected = [round((Fraction(value) / Fraction(unit)) ** k) for k in (1, 2)]
            assert watching.sums()[1:3] == tuple(expected)


def test_moments_give_the_sums_that_are_there() -> None:
    tallies = Tallies.free(Watch("x", UNIT))
    tallies.add({"x": moments(7, 3.0, 5.0)}, 7)
    tallies.add({"x": moments(2, 0.0, 0.0)}, 2)
    assert tallies.sums() == (7, 3 * 2**20, 5 * 2**40)
    four = Tallies.free(Watch("x", UNIT))
    four.add({"x": moments(7, 3.0, 5.0, 1.0, 9.0)}, 7)
    assert four.sums() == (7, 3 * 2**20, 5 * 2**40, 2**60, 9 * 2**80)


def test_sums_are_added_by_merges_and_do_not_depend_on_their_order() -> None:
    blocks = [block(i) for i in range(5)]
    one, other = free(blocks[:2]), free(blocks[2:])
    other.merge(one)
    assert other.sums() == free(blocks).sums()


def test_the_core_finds_the_same_error_in_the_sums() -> None:
    tallies = free([block(i, 200) for i in range(10)], 200)
    found = tallies.results()["score"]
    assert isinstance(found.relative_error, float)
    for factor, met in ((1.001, True), (0.999, False)):
        rule = Precision("score", relative=found.relative_error * factor, unit=WATCH.unit)
        assert look(rule, tallies.samples, list(tallies.sums())).met is met


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ({"b": mean([1.0]), "a": mean([1.0])}, "no tally 'x': there are a, b"),
        ({"x": total(1.0)}, "it is a sum"),
    ],
)
def test_what_cannot_be_watched_is_refused(returned: dict[str, object], said: str) -> None:
    tallies = Tallies.free(Watch("x", UNIT))
    for act in (
        lambda: tallies.add(returned, 1),
        lambda: Tallies.exact(Reference.of_block(returned, 1), Watch("x", UNIT)),
    ):
        with pytest.raises(BadReturn) as refused:
            act()
        assert said in str(refused.value)
    assert tallies.samples == 0


@pytest.mark.parametrize(
    "returned",
    [mean([[1.0, 2.0]]), histogram([1.0], [0, 2]), batch(1, 2.0), moments(1, [1.0], [1.0])],
)
def test_what_is_no_single_number_per_sample_has_no_sums(returned: object) -> None:
    tallies = Tallies.free(Watch("x", UNIT))
    tallies.add({"x": returned}, 1)
    tallies.add({"x": returned}, 1)
    assert tallies.sums() == ()
    again = Tallies.from_bytes(tallies.to_bytes())
    assert (again.digest(), again.sums()) == (tallies.digest(), ())


def test_results_that_watch_different_things_are_not_merged() -> None:
    one, other = Tallies.free(Watch("x", UNIT)), Tallies.free()
    one.add({"x": mean([1.0])}, 1)
    other.add({"x": mean([1.0])}, 1)
    with pytest.raises(MergeRefused, match="one watches 'x' in units of"):
        one.merge(other)


def test_values_of_a_tally_with_two_moments_give_four_powers() -> None:
    tallies = Tallies.free(Watch("x", 1.0))
    tallies.add({"x": mean(np.array([2.0, 0.0, -1.0]))}, 3)
    assert tallies.sums() == (2, 1, 5, 7, 17)
