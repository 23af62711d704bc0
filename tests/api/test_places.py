"""Where a precision is asked for, as it is typed and as it is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manyhands
from manyhands.analysis.progress import Standing
from manyhands.api.places import place_in_words, place_of
from manyhands.api.rules import in_words, precision
from manyhands.cli.live import in_words as line
from manyhands.model.where import Above, AllCells, BadWhere, Cell, Fraction, Mask, Where
from manyhands.statistics import where


@pytest.mark.parametrize(
    ("text", "expected", "words"),
    [
        ("above(0.7)", Above(0.7), "above 0.7 of the ten highest cells"),
        (" above( 0.7, max )", Above(0.7, "max"), "above 0.7 of the highest cell"),
        ("cell(3,4)", Cell((3, 4)), "in cell (3, 4)"),
        ("cell()", Cell(()), "in cell ()"),
        ("all", AllCells(), "in all cells"),
        ("fraction(0.9)", Fraction(0.9), "in 90 % of the cells"),
    ],
)
def test_what_is_typed_is_what_is_meant(text: str, expected: Where, words: str) -> None:
    assert place_of(text) == expected
    assert place_in_words(expected) == words


def test_a_mask_comes_from_a_file(tmp_path: Path) -> None:
    chosen = np.array([[True, True, False], [False, False, True]])
    np.save(tmp_path / "organ.npy", chosen)
    found = place_of(f"mask({tmp_path / 'organ.npy'})")
    assert found == where.mask(chosen) == Mask((2, 3), ((0, 2), (5, 6)))
    assert place_in_words(found) == "in 3 chosen cells"


@pytest.mark.parametrize(
    "text",
    [
        "somewhere",
        "above",
        "above()",
        "above(x)",
        "above(2)",
        "above(0.5, 1, 2)",
        "above(0.5",
        "cell(1.5)",
        "cell(-1)",
        "fraction(0)",
        "all(1)",
        "mask(nowhere.npy)",
        "mask()",
    ],
)
def test_what_says_nothing_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadWhere) as refused:
        place_of(text)
    assert "\n" not in str(refused.value)


def test_a_rule_says_where_it_is_about() -> None:
    rule = precision("dose", "2%", where=manyhands.where.above(0.7))
    assert in_words(rule) == "dose above 0.7 of the ten highest cells to 2 % (k=1)"
    assert in_words(precision("dose", "2%")) == "dose to 2 % (k=1)"


def test_a_run_shows_the_worst_cell_beside_what_is_asked_for() -> None:
    now = Standing(
        "open", 1.0, 10, 10, None, 1.0, None, 0.0, None, 0.031, 0.02, (), 0, "", True, None
    )
    assert "worst cell ± 3.1 %, target 2 % (k=1)" in line("dose", now)
