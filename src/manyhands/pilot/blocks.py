"""Exact mode: the blocks that a task has before it, and those whose results it holds.

Held blocks are known by their place in the order of computing, so that any range of positions has
a coverage. An *increment* is a run of held blocks of one segment.
"""

from __future__ import annotations

from collections import deque
from typing import Deque, List, Tuple

from manyhands.model.coverage import BLOCK_LINE, Coverage, Span
from manyhands.model.orders import Lease

Run = Tuple[int, int, int]  # first block, block behind the last, segment


class Blocks:
    """The leases of a task (the block in hand comes first), and what it holds from its seal on."""

    __slots__ = ("ahead", "held", "held_from", "left")

    def __init__(self, leases: Tuple[Lease, ...]) -> None:
        self.ahead: Deque[Run] = deque()
        self.held: List[Run] = []
        self.held_from = 0  # the position of the first held block
        self.left = 0  # how many blocks are ahead
        self.extend(leases)

    def extend(self, leases: Tuple[Lease, ...]) -> None:
        """More blocks, behind those ahead."""
        for lease in leases:
            self.ahead.append((lease.start, lease.end, lease.segment))
            self.left += lease.end - lease.start

    def advance(self, count: int) -> None:
        """So many more blocks were computed."""
        assert 0 <= count <= self.left, f"{count} blocks computed, but {self.left} leased"
        self.left -= count
        while count:
            start, end, segment = self.ahead[0]
            middle = min(end, start + count)
            if middle == end:
                self.ahead.popleft()
            else:
                self.ahead[0] = (middle, end, segment)
            self._hold(start, middle, segment)
            count -= middle - start

    def cut(self, keep: int) -> Tuple[Tuple[Lease, ...], Tuple[Tuple[int, int], ...]]:
        """Keep the block in hand and `keep` more: those not begun, and those given back."""
        begun, kept, given = _split(list(self.ahead), min(1, self.left), keep)
        self.ahead = deque(begun + kept)
        self.left = sum(end - start for start, end, _ in self.ahead)
        leases = tuple(Lease(start, end, segment) for start, end, segment in kept)
        return leases, tuple((start, end) for start, end, _ in given)

    def forget_before(self, position: int) -> None:
        """What lies before a seal is never offered again."""
        self.drop(self.held_from, position)
        self.held_from = max(position, self.held_from)

    def drop(self, start: int, end: int) -> None:
        """Let go of a range of positions; what comes behind moves up."""
        origin = self.held_from
        before, _, behind = _split(self.held, start - origin, max(end - start, 0))
        self.held = before + behind

    def coverage(self, start: int, end: int) -> Coverage:
        """The blocks at a range of positions."""
        _, runs, _ = _split(self.held, start - self.held_from, end - start)
        return Coverage.of(Span(BLOCK_LINE, first, last) for first, last, _ in runs)

    def increment_behind(self, accepted: int) -> Tuple[int, int, bool]:
        """The first increment not wholly accepted: its start, its end, whether it is finished."""
        start = end = self.held_from
        current = None
        for first, last, segment in self.held:
            if segment != current:
                if end > accepted:
                    return start, end, True
                current, start = segment, end
            end += last - first
        return start, end, bool(self.ahead) and self.ahead[0][2] != current

    def left_in_segment(self) -> int:
        """How many of the blocks ahead come before another segment."""
        count = 0
        for start, end, segment in self.ahead:
            if segment != self.ahead[0][2]:
                break
            count += end - start
        return count

    def _hold(self, start: int, end: int, segment: int) -> None:
        if self.held:
            first, last, previous = self.held[-1]
            if last == start and previous == segment:
                self.held[-1] = (first, end, segment)
                return
        self.held.append((start, end, segment))


def _split(runs: List[Run], skip: int, take: int) -> Tuple[List[Run], List[Run], List[Run]]:
    """The first `skip` blocks, the next `take`, and the others."""
    parts: Tuple[List[Run], List[Run], List[Run]] = ([], [], [])
    position = 0
    for start, end, segment in runs:
        for part, low, high in ((0, 0, skip), (1, skip, skip + take), (2, skip + take, None)):
            first = start + max(low - position, 0)
            last = end if high is None else min(end, start + high - position)
            if first < last:
                parts[part].append((first, last, segment))
        position += end - start
    return parts
