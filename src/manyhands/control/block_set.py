"""Which blocks are free, leased or accepted: a set of integers held as intervals.

Blocks come and go by the interval, so that a campaign of a million blocks is a few hundred
intervals: sorted, disjoint and never touching, in two parallel lists that bisection searches. The
cost of an operation is that of the search and of the intervals it touches (a list shifts its
pointers besides, which is a memory copy). A pair (start, end) is the blocks from `start` to before
`end`, as everywhere.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise


@dataclass(slots=True)
class BlockSet:
    """A mutable set of blocks; its three attributes are what a snapshot saves."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    size: int = 0

    def contains(self, block: int) -> bool:
        """Whether the block is in."""
        at = bisect_right(self.starts, block)
        return at > 0 and block < self.ends[at - 1]

    def overlaps(self, start: int, end: int) -> bool:
        """Whether any block of the interval is in."""
        at = bisect_right(self.ends, start)
        return at < len(self.starts) and max(start, self.starts[at]) < end

    def missing_in(self, start: int, end: int) -> list[tuple[int, int]]:
        """The parts of the interval that are not in, lowest first."""
        gaps = []
        at = bisect_right(self.ends, start)
        while start < end and at < len(self.starts) and self.starts[at] < end:
            if start < self.starts[at]:
                gaps.append((start, self.starts[at]))
            start = self.ends[at]
            at += 1
        if start < end:
            gaps.append((start, end))
        return gaps

    def first_gap(self, start: int = 0) -> int:
        """The lowest block from `start` on that is not in."""
        at = bisect_right(self.starts, start)
        return max(start, self.ends[at - 1]) if at > 0 else start

    def intervals(self) -> list[tuple[int, int]]:
        """The whole set, lowest first."""
        return list(zip(self.starts, self.ends, strict=True))

    def add(self, start: int, end: int) -> None:
        """Put in an interval of which no block may be in."""
        assert not self.overlaps(start, end), f"blocks {start} to {end} are partly in already"
        self._fill(start, end)
        self.size += end - start

    def add_missing(self, start: int, end: int) -> list[tuple[int, int]]:
        """Put in what the interval lacks, and return it, lowest first."""
        gaps = self.missing_in(start, end)
        if gaps:
            self._fill(start, end)
            self.size += sum(gap_end - gap_start for gap_start, gap_end in gaps)
        return gaps

    def remove(self, start: int, end: int) -> None:
        """Take out whatever of the interval is in."""
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        if start >= end or first >= last:
            return
        left, right = min(start, self.starts[first]), max(end, self.ends[last - 1])
        # What stays are the outer ends of the outer two, each perhaps empty.
        kept = [(low, high) for low, high in ((left, start), (end, right)) if low < high]
        self.size -= sum(self.ends[first:last]) - sum(self.starts[first:last])
        self.size += sum(high - low for low, high in kept)
        self.starts[first:last] = [low for low, _ in kept]
        self.ends[first:last] = [high for _, high in kept]

    def pop_lowest(self, count: int, below: int) -> tuple[int, int] | None:
        """Take out up to `count` blocks of the lowest interval, none of them `below` or beyond."""
        assert count > 0, f"count = {count}"
        if not self.starts or self.starts[0] >= below:
            return None
        start = self.starts[0]
        end = min(start + count, self.ends[0], below)
        if end == self.ends[0]:
            del self.starts[0], self.ends[0]
        else:
            self.starts[0] = end
        self.size -= end - start
        return start, end

    def pop_highest(self, count: int) -> tuple[int, int] | None:
        """Take out up to `count` blocks from the far end of the highest interval."""
        assert count > 0, f"count = {count}"
        if not self.starts:
            return None
        end = self.ends[-1]
        start = max(end - count, self.starts[-1])
        if start == self.starts[-1]:
            del self.starts[-1], self.ends[-1]
        else:
            self.ends[-1] = start
        self.size -= end - start
        return start, end

    def check(self) -> None:
        """Assert what every operation keeps: sorted, apart, and counted."""
        assert len(self.starts) == len(self.ends)
        edges = [edge for interval in self.intervals() for edge in interval]
        assert all(low < high for low, high in pairwise(edges)), edges
        assert self.size == sum(self.ends) - sum(self.starts)

    def _fill(self, start: int, end: int) -> None:
        """Replace all intervals that the given one overlaps or touches by the one they make."""
        assert 0 <= start < end, f"no interval of blocks: {start} to {end}"
        first, last = bisect_left(self.ends, start), bisect_right(self.starts, end)
        if first < last:
            start, end = min(start, self.starts[first]), max(end, self.ends[last - 1])
        self.starts[first:last] = [start]
        self.ends[first:last] = [end]
