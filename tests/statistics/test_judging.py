"""What a stop rule is told of a merged result: one standard error, of the worst cell."""

from __future__ import annotations

import numpy as np
import pytest

from manyhands.model.stopping import Precision
from manyhands.model.where import BadWhere, Where
from manyhands.statistics.judging import measure
from manyhands.statistics.returned import Floats, batch, histogram, mean, moments, total
from manyhands.statistics.tallies import Tallies
from manyhands.statistics.where import above, all_cells, cell, mask

DRAWS = np.random.default_rng(5)
IMAGE = DRAWS.exponential(1.0, (500, 3)) * [1.0, 0.6, 0.0]


def of(samples: int, **returned: object) -> Tallies:
    """Tallies that hold one return."""
    tallies = Tallies.free()
    tallies.add(returned, samples)
    return tallies


def rule(where: Where | None = None, absolute: float | None = None) -> Precision:
    """A rule on x."""
    relative = 0.1 if absolute is None else None
    return Precision("x", relative, absolute, where=where)


def errors() -> Floats:
    """One standard error per cell, as the textbook has it."""
    return np.asarray(np.std(IMAGE, axis=0, ddof=1) / np.sqrt(500))


def test_it_is_the_worst_of_the_cells_it_speaks_of() -> None:
    tallies, expected = of(500, x=mean(IMAGE)), errors()[:2] / np.mean(IMAGE, axis=0)[:2]
    assert measure(rule(), tallies).error == pytest.approx(np.max(expected))
    assert measure(rule(cell(1)), tallies).error == pytest.approx(expected[1])
    assert measure(rule(above(0.9, of="max")), tallies).error == pytest.approx(expected[0])
    assert measure(rule(mask([True, True, False])), tallies).error == pytest.approx(max(expected))


def test_an_empty_cell_is_never_precise_whatever_is_asked() -> None:
    tallies = of(500, x=mean(IMAGE))
    assert measure(rule(all_cells()), tallies).error is None
    assert measure(rule(all_cells(), absolute=1.0), tallies).error is None
    assert measure(rule(), of(500, x=mean(0.0 * IMAGE))).error is None


def test_an_absolute_error_is_not_a_part_of_anything() -> None:
    found = measure(rule(above(0.1), absolute=1.0), of(500, x=mean(IMAGE)))
    assert found.error == pytest.approx(np.max(errors()))


def test_batches_are_counted_and_four_moments_give_the_worst_variance_of_the_variance() -> None:
    tallies = Tallies.free()
    for number in (1.0, 2.0, 4.0):
        tallies.add({"x": batch(10, [number, 1.0 + number])}, 10)
    found = measure(rule(), tallies)
    assert (found.batches, found.vov) == (3, None)
    four = of(500, x=mean(IMAGE, moments=4))
    vov = four.result("x").vov
    assert measure(rule(cell(1)), four).vov == pytest.approx(np.asarray(vov)[1])


def test_one_batch_says_nothing_of_its_error() -> None:
    assert measure(rule(), of(10, x=batch(10, [1.0, 2.0]))).error is None


def test_the_effective_number_of_a_bin_is_its_count() -> None:
    """The guard on samples that are not zero is exact for zeros and ones."""
    counts = np.array([40, 160])
    found = measure(rule(cell(0)), of(200, x=histogram(np.repeat([0.5, 1.5], counts), [0, 1, 2])))
    assert found.error is not None
    assert 1 / (found.error**2 * 199 / 200 + 1 / 200) == pytest.approx(40)


def test_the_error_of_a_region_is_a_tally_of_its_own() -> None:
    """Cells that one sample fills together have errors that do not add up as if they did not."""
    common = DRAWS.exponential(1.0, (500, 1)) * np.ones(16)
    tallies = of(500, x=mean(common), region=mean(np.mean(common, axis=1)))
    region = measure(Precision("region", 0.1), tallies).error
    cells = measure(rule(all_cells()), tallies).error
    assert region is not None
    assert cells is not None
    assert region == pytest.approx(cells)  # not cells / √16
    assert region > 3.9 * cells / np.sqrt(16)


@pytest.mark.parametrize(
    ("tallies", "where", "said"),
    [
        (of(1, y=mean([1.0])), None, "no tally 'x': there are y"),
        (of(1, x=total(1.0)), None, "a sum has no error"),
        (of(2, x=moments(2, [1.0], [1.0])), cell(3), "no cell (3,) in a tally (1,)"),
        (of(1, x=mean([[1.0, 2.0]])), mask([True]), "a mask (1,) does not fit a tally (2,)"),
    ],
)
def test_a_rule_that_fits_no_cell_is_refused(
    tallies: Tallies, where: Where | None, said: str
) -> None:
    with pytest.raises(BadWhere) as refused:
        measure(rule(where), tallies)
    assert said in str(refused.value)
    assert str(refused.value).startswith("precision on 'x'")
