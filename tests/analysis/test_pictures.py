"""Pictures show values with their errors, and leave blank what is not known."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from manyhands.analysis.pictures import K1, POINTS_MAX, has_picture, picture, png
from manyhands.statistics.forms import Kind
from manyhands.statistics.results import TallyResult
from manyhands.statistics.returned import Floats


def tally(*shape: int, kind: Kind = Kind.MEAN, error: float | None = 0.1) -> TallyResult:
    value = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    errors = None if error is None else np.full(shape, error)
    return TallyResult(kind, 1000, value, errors)


def words(figure: Figure) -> str:
    """All that is written in a picture."""
    found = [figure.get_suptitle()]
    for axes in figure.axes:
        found += [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
        found += [one.get_text() for one in axes.texts]
        legend = axes.get_legend()
        found += [] if legend is None else [one.get_text() for one in legend.get_texts()]
    return "\n".join(found)


def is_png(figure: Figure) -> bool:
    """Whether it can be drawn, and has more than one colour."""
    return bool(np.ptp(imread(io.BytesIO(png(figure)))[..., :3]) > 0)


@pytest.mark.parametrize("shape", [(5,), (300,), (3 * POINTS_MAX,), (12, 7), (3, 400), (5, 4, 3)])
def test_every_form_is_drawn_and_says_what_its_errors_are(shape: tuple[int, ...]) -> None:
    figure = picture("dose", tally(*shape))
    assert K1 in words(figure)
    assert "dose   (1,000 samples)" in words(figure)
    assert is_png(figure)


@pytest.mark.parametrize("shape", [(5,), (12, 7), (5, 4, 3)])
def test_a_sum_has_no_error_to_show(shape: tuple[int, ...]) -> None:
    figure = picture("added", tally(*shape, kind=Kind.SUM, error=None))
    assert K1 not in words(figure)
    assert "sum over all samples" in words(figure)
    assert is_png(figure)


def test_an_error_map_is_blank_where_there_is_no_value() -> None:
    value = np.array([[0.0, 2.0], [4.0, 1.0]])
    error = np.array([[0.0, 0.2], [0.1, np.inf]])
    figure = picture("dose", TallyResult(Kind.MEAN, 9, value, error))
    shown: Floats = np.ma.filled(np.ma.asarray(figure.axes[1].images[0].get_array()), np.nan)
    np.testing.assert_allclose(shown, [[np.nan, 10.0], [2.5, np.nan]])


def test_a_volume_is_cut_where_it_is_highest() -> None:
    value = np.zeros((4, 5, 6))
    value[2, 3, 1] = 7.0
    figure = picture("dose", TallyResult(Kind.MEAN, 9, value, value / 10))
    for axes in figure.axes[:3]:
        assert np.ma.asarray(axes.images[0].get_array()).max() == 7.0
    assert "cell 2 of axis 0 (z)" in words(figure)


def test_a_histogram_has_its_edges_and_says_what_is_not_shown() -> None:
    edges = np.array([0.0, 1.0, 3.0])
    one = TallyResult(
        Kind.HISTOGRAM,
        100,
        np.array([0.25, 0.5]),
        np.array([0.04, 0.05]),
        edges=edges,
        outside=(5, 20),
    )
    figure = picture("energy", one)
    steps = figure.axes[0].patches[0].get_data()  # type: ignore[attr-defined]
    assert list(steps.edges) == [0.0, 1.0, 3.0]
    assert list(steps.values) == [0.25, 0.5]
    assert "not shown: 5 samples below and 20 above all bins" in words(figure)
    assert K1 in words(figure)


def test_numbers_and_four_dimensions_have_no_picture() -> None:
    assert not has_picture(TallyResult(Kind.MEAN, 9, 1.0, 0.1))
    assert not has_picture(tally(2, 2, 2, 2))
    assert has_picture(tally(2))


@pytest.mark.parametrize("name", ["a$b$c", "日本", "x" * 200, "<b>"])
def test_any_name_can_be_a_title(name: str) -> None:
    assert is_png(picture(name, tally(5)))


def test_an_unknown_error_is_not_drawn() -> None:
    one = TallyResult(Kind.BATCH, 9, np.arange(60.0), np.full(60, np.inf), batches=1)
    assert is_png(picture("dose", one))
