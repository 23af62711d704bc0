"""Coverage against Python's own sets of (line, position)."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.model.coverage import BLOCK_LINE, EMPTY, Coverage, Overlap, Span

Points = set[tuple[int, int]]

points = st.sets(st.tuples(st.integers(BLOCK_LINE, 2), st.integers(0, 12)))


def coverage_of(held: Points) -> Coverage:
    return Coverage.of(Span(line, at, at + 1) for line, at in held)


def points_of(coverage: Coverage) -> Points:
    return {(span.line, at) for span in coverage.spans for at in range(span.start, span.end)}


def line(*edges: int, on: int = 0) -> Coverage:
    """A coverage of one line from its edges: start, end, start, end …"""
    return Coverage(tuple(Span(on, a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)))


@given(points)
def test_a_coverage_holds_what_it_was_made_of(held: Points) -> None:
    coverage = coverage_of(held)
    assert points_of(coverage) == held
    assert coverage.size == len(held)
    assert bool(coverage) == bool(held)


@given(points, st.randoms(use_true_random=False))
def test_equal_sets_are_equal_coverages(held: Points, random: Any) -> None:
    parts = [Span(line, at, at + 1) for line, at in sorted(held)]
    random.shuffle(parts)
    cut = len(parts) // 2
    assert Coverage.of(parts[:cut]) | Coverage.of(parts[cut:]) == coverage_of(held)


@given(points, points)
def test_set_algebra(a: Points, b: Points) -> None:
    left, right = coverage_of(a), coverage_of(b)
    assert left & right == coverage_of(a & b)
    assert left - right == coverage_of(a - b)
    assert left.overlaps(right) == bool(a & b)
    assert left.issubset(right) == (a <= b)
    assert (left & right).issubset(left)


@given(points, points)
def test_a_union_is_disjoint_or_refused(a: Points, b: Points) -> None:
    left, right = coverage_of(a), coverage_of(b)
    assert left | (right - left) == coverage_of(a | b)
    if a & b:
        with pytest.raises(Overlap) as refusal:
            left | right
        assert refusal.value.span == (left & right).spans[0]
    else:
        assert left | right == coverage_of(a | b)


@given(points)
def test_the_spans_of_a_line_are_all_of_it(held: Points) -> None:
    coverage = coverage_of(held)
    for number in range(BLOCK_LINE, 3):
        on_line = Coverage(coverage.spans_on(number))
        assert points_of(on_line) == {(at_line, at) for at_line, at in held if at_line == number}


def test_neighbours_are_merged_on_one_line_only() -> None:
    assert line(0, 5) | line(5, 9) == line(0, 9)
    assert (line(0, 5) | line(5, 9, on=1)).spans == (Span(0, 0, 5), Span(1, 5, 9))


def test_a_cut_may_reach_over_several_spans() -> None:
    assert line(0, 3, 5, 8, 10, 12) - line(2, 11) == line(0, 2, 11, 12)
    assert line(0, 20) - line(3, 5, 7, 9) == line(0, 3, 5, 7, 9, 20)


def test_the_empty_coverage_is_the_identity() -> None:
    some = line(3, 9)
    assert EMPTY | some == some | EMPTY == some - EMPTY == some
    assert not EMPTY
    assert EMPTY.size == 0
    assert EMPTY.issubset(some)
    assert not some.issubset(EMPTY)


def test_an_overlap_names_the_common_span() -> None:
    with pytest.raises(Overlap, match=r"Span\(line=0, start=7, end=9\)"):
        line(0, 9) | line(7, 20)
    with pytest.raises(Overlap):
        Coverage.of([Span(0, 4, 6), Span(0, 0, 5)])


@pytest.mark.parametrize(
    ("spans", "named"),
    [
        ((Span(0, 5, 6), Span(0, 0, 1)), "start=0, end=1"),
        ((Span(1, 0, 1), Span(0, 5, 6)), "line=0"),
        ((Span(0, 0, 5), Span(0, 5, 6)), "start=5, end=6"),
        ((Span(0, 0, 5), Span(0, 4, 6)), "start=4, end=6"),
        (((0, 0, 5),), r"\(0, 0, 5\)"),
        ([Span(0, 0, 5)], "a tuple of Span"),
    ],
)
def test_what_is_not_normal_is_refused(spans: Any, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Coverage(spans)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ((-2, 0, 1), "line"),
        ((True, 0, 1), "line"),
        ((0.0, 0, 1), "line"),
        ((0, -1, 1), "start"),
        ((0, False, 1), "start"),
        ((0, "0", 1), "start"),
        ((0, 1, 1), "end"),
        ((0, 2, 1), "end"),
        ((0, 0, True), "end"),
        ((0, 0, 1.5), "end"),
        ((0, 0, None), "end"),
    ],
)
def test_a_wrong_span_is_refused_by_its_field(fields: Any, field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field} is .*, but must be "):
        Span(*fields)


def test_what_is_frozen_stays_so_and_can_be_copied() -> None:
    coverage = line(0, 5, 7, 9)
    with pytest.raises(AttributeError):
        coverage.spans = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        coverage.spans[0].end = 6  # type: ignore[misc]
    assert copy.deepcopy(coverage) == coverage
    assert pickle.loads(pickle.dumps(coverage)) == coverage


def test_sweeps_make_a_bounded_number_of_spans() -> None:
    odd = Coverage(tuple(Span(0, 4 * i, 4 * i + 2) for i in range(20_000)))
    even = Coverage(tuple(Span(0, 4 * i + 2, 4 * i + 4) for i in range(20_000)))
    assert odd | even == line(0, 80_000)
    assert line(0, 80_000) - odd == even
    assert not odd.overlaps(even)
