"""BlockSet against Python's own set, over random sequences of operations."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from manyhands.control.block_set import BlockSet

HIGHEST = 40

blocks = st.integers(0, HIGHEST)
intervals = st.tuples(blocks, st.integers(1, 12)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def runs(held: set[int]) -> list[tuple[int, int]]:
    """The maximal intervals of a set."""
    starts = [block for block in sorted(held) if block - 1 not in held]
    ends = [block + 1 for block in sorted(held) if block + 1 not in held]
    return list(zip(starts, ends, strict=True))


class SameAsASet(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.ours = BlockSet()
        self.theirs: set[int] = set()

    @rule(interval=intervals)
    def add(self, interval: tuple[int, int]) -> None:
        wanted = set(range(*interval))
        if wanted & self.theirs:
            with pytest.raises(AssertionError, match="in already"):
                self.ours.add(*interval)
        else:
            self.ours.add(*interval)
            self.theirs |= wanted

    @rule(interval=intervals)
    def add_missing(self, interval: tuple[int, int]) -> None:
        wanted = set(range(*interval))
        assert self.ours.add_missing(*interval) == runs(wanted - self.theirs)
        self.theirs |= wanted

    @rule(interval=intervals)
    def remove(self, interval: tuple[int, int]) -> None:
        self.ours.remove(*interval)
        self.theirs -= set(range(*interval))

    @rule(count=st.integers(1, 9), below=st.integers(0, HIGHEST + 20))
    def pop_lowest(self, count: int, below: int) -> None:
        taken = self.ours.pop_lowest(count, below)
        if min(self.theirs, default=below) >= below:
            assert taken is None
            return
        start, end = runs(self.theirs)[0]
        assert taken == (start, min(end, start + count, below))
        self.theirs -= set(range(*taken))

    @precondition(lambda self: self.theirs)
    @rule(count=st.integers(1, 9))
    def pop_highest(self, count: int) -> None:
        start, end = runs(self.theirs)[-1]
        taken = self.ours.pop_highest(count)
        assert taken == (max(start, end - count), end)
        self.theirs -= set(range(*taken))

    @rule(start=blocks, end=blocks)
    def look(self, start: int, end: int) -> None:
        asked = set(range(start, end))
        assert self.ours.overlaps(start, end) == bool(asked & self.theirs)
        assert self.ours.missing_in(start, end) == runs(asked - self.theirs)
        assert self.ours.contains(start) == (start in self.theirs)
        gap = next(block for block in range(start, 2 * HIGHEST) if block not in self.theirs)
        assert self.ours.first_gap(start) == gap

    @invariant()
    def hold_the_same(self) -> None:
        self.ours.check()
        assert self.ours.intervals() == runs(self.theirs)
        assert self.ours.size == len(self.theirs)


TestSameAsASet = SameAsASet.TestCase


def test_neighbours_become_one_interval() -> None:
    ours = BlockSet()
    ours.add(0, 3)
    ours.add(6, 9)
    ours.add(3, 6)
    assert ours == BlockSet(starts=[0], ends=[9], size=9)


def test_the_middle_of_an_interval_can_go() -> None:
    ours = BlockSet([0], [10], 10)
    ours.remove(4, 6)
    assert ours == BlockSet([0, 6], [4, 10], 8)
    ours.remove(10, 99)
    assert ours == BlockSet([0, 6], [4, 10], 8)


@pytest.mark.parametrize(("start", "end"), [(2, 2), (3, 1), (7, 7)])
def test_an_empty_interval_changes_nothing(start: int, end: int) -> None:
    ours = BlockSet([0], [5], 5)
    ours.remove(start, end)
    assert ours.add_missing(start, end) == []
    assert ours == BlockSet([0], [5], 5)


def test_nothing_is_taken_from_an_empty_set() -> None:
    assert BlockSet().pop_lowest(1, 100) is None
    assert BlockSet().pop_highest(1) is None
    assert BlockSet().first_gap() == 0
    assert BlockSet().missing_in(2, 5) == [(2, 5)]


def test_two_sets_do_not_share_their_lists() -> None:
    one, other = BlockSet(), BlockSet()
    one.add(0, 5)
    assert other == BlockSet() != one


@pytest.mark.parametrize(("start", "end"), [(5, 5), (6, 5), (-1, 3)])
def test_no_interval_cannot_be_added(start: int, end: int) -> None:
    ours = BlockSet()
    with pytest.raises(AssertionError, match="no interval"):
        ours.add(start, end)
    assert ours == BlockSet()


@pytest.mark.parametrize("count", [0, -1])
def test_a_count_of_nothing_is_our_mistake(count: int) -> None:
    with pytest.raises(AssertionError, match="count"):
        BlockSet([0], [5], 5).pop_lowest(count, 9)
    with pytest.raises(AssertionError, match="count"):
        BlockSet([0], [5], 5).pop_highest(count)


@pytest.mark.parametrize(
    "wrong",
    [
        BlockSet([0, 5], [5, 9], 9),
        BlockSet([5, 0], [9, 2], 6),
        BlockSet([3], [3], 0),
        BlockSet([0], [5], 4),
        BlockSet([0, 7], [5], 5),
    ],
    ids=["touching", "unsorted", "empty interval", "miscounted", "uneven"],
)
def test_a_check_finds_what_is_wrong(wrong: BlockSet) -> None:
    with pytest.raises(AssertionError):
        wrong.check()
