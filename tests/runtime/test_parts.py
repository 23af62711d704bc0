"""Parts of a run: any upload that a pilot may order can be put together, and holds just that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.model.coverage import BLOCK_LINE, Coverage, Span
from manyhands.runtime.child.parts import Parts


class Bag:
    """The positions that were added, as a result."""

    def __init__(self, held: tuple[int, ...] = ()) -> None:
        self.held = list(held)

    def merge(self, other: Bag) -> None:
        self.held += other.held

    def copy(self) -> Bag:
        return Bag(tuple(self.held))


def compute(parts: Parts[Bag], start: int, end: int, segment: int = 0) -> None:
    """A batch."""
    parts.open_result(segment).held += range(start, end)
    parts.grow(Span(BLOCK_LINE, start, end), end)


def blocks(start: int, end: int) -> Coverage:
    """Consecutive blocks."""
    return Coverage((Span(BLOCK_LINE, start, end),))


def test_an_upload_ends_where_the_pilot_heard_the_run_to_be() -> None:
    parts = Parts(Bag)
    compute(parts, 0, 5)
    parts.close()
    compute(parts, 5, 9)
    assert parts.take(blocks(0, 5)).held == [0, 1, 2, 3, 4]
    parts.close()
    compute(parts, 9, 12)
    assert parts.take(blocks(0, 9)).held == list(range(9))
    assert parts.take(blocks(5, 9)).held == list(range(5, 9))


def test_what_is_sealed_is_forgotten() -> None:
    parts = Parts(Bag)
    compute(parts, 0, 5)
    parts.close()
    compute(parts, 5, 9)
    parts.close()
    parts.take(blocks(5, 9))
    with pytest.raises(AssertionError, match="is asked for"):
        parts.take(blocks(0, 9))


def test_segments_are_not_joined() -> None:
    parts = Parts(Bag)
    compute(parts, 0, 4, segment=0)
    compute(parts, 4, 6, segment=1)
    parts.close()
    parts.heard(6)
    assert parts.take(blocks(0, 4)).held == [0, 1, 2, 3]
    assert parts.take(blocks(4, 6)).held == [4, 5]


def test_what_is_taken_does_not_change_any_more() -> None:
    parts = Parts(Bag)
    compute(parts, 0, 2)
    taken = parts.take(blocks(0, 2))
    compute(parts, 2, 3)
    assert taken.held == [0, 1]


@given(st.lists(st.tuples(st.integers(1, 5), st.booleans(), st.booleans()), max_size=30))
def test_everything_from_the_last_upload_is_there(steps: list[tuple[int, bool, bool]]) -> None:
    """Batches, reports that the pilot hears at once or later, uploads from the start or behind."""
    parts, now, told, seal = Parts(Bag), 0, 0, 0
    for count, heard, moves in steps:
        compute(parts, now, now + count)
        now += count
        if heard:
            parts.close()
            parts.heard(now)
            told = now
        if told > seal:
            assert parts.take(blocks(seal, told)).held == list(range(seal, told))
            seal = told if moves else seal
