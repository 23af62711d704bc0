"""Where precision is looked at in exact mode: a grid of prefixes that no schedule can move.

Each look decides the next from the prefix alone, so every run of a campaign looks at the same
prefixes and stops at the same one. Blocks between two grid points are a *segment*; no partial
holds blocks of two segments, so that the sums of any prefix on the grid are known.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from manyhands.control.block_set import BlockSet
from manyhands.control.stopping import Estimate, look
from manyhands.model.stopping import Precision

FIRST_LOOK = 64
GROWTH_PERCENT = 102
GOAL_MAX = 1 << 48  # blocks; a forecast beyond this is a forecast of nothing
NEARNESS_PERCENT = 95  # look as soon as the prefix is so near to the forecast


@dataclass(slots=True)
class Looks:
    """The grid, the sums of its segments, and what the looks have found."""

    block_samples: int
    points: list[int] = field(default_factory=lambda: [FIRST_LOOK])
    next: int = 0  # index of the grid point of the next look
    segment_sums: dict[int, list[int]] = field(default_factory=dict)
    before: list[int] = field(default_factory=list)  # sums of the segments before `summed`
    summed: int = 0
    estimate: Estimate = field(default_factory=Estimate)
    final_blocks: int | None = None  # the prefix that satisfied the rule
    waiting: bool = False  # a look is due, but its answer takes time: nobody waits for it

    def segment_of(self, block: int) -> int:
        """Which segment a block lies in."""
        self._reach(block)
        return bisect_right(self.points, block)

    def segment_end(self, segment: int) -> int:
        """The grid point at which a segment ends."""
        while len(self.points) <= segment:
            self._grow()
        return self.points[segment]

    def add(self, segment: int, sums: tuple[int, ...], sign: int = 1) -> None:
        """Count a partial's sums in its segment, or take them out again."""
        have = self.segment_sums.setdefault(segment, [0] * len(sums))
        have.extend([0] * (len(sums) - len(have)))
        for i, one in enumerate(sums):
            have[i] += sign * one

    def advance(self, rule: Precision, prefix: int, holes: BlockSet) -> bool:
        """Look at every grid point due within the prefix of accepted blocks; True: satisfied.

        `holes` are the blocks that the answer must do without.
        """
        while (point := self.due(prefix)) is not None:
            blocks = point - sum(
                min(end, point) - start for start, end in holes.intervals() if start < point
            )
            sums = self._sums_before(self.next + 1)
            self.take(look(rule, blocks * self.block_samples, sums))
        return self.final_blocks is not None

    def due(self, prefix: int) -> int | None:
        """The grid point of the next look, if the prefix of accepted blocks has reached it."""
        point = self.points[self.next]
        return point if self.final_blocks is None and point <= prefix else None

    def take(self, estimate: Estimate) -> None:
        """What the next look has found; it decides where the one after it is."""
        self._sums_before(self.next + 1)
        self.estimate, self.waiting = estimate, False
        point = self.points[self.next]
        if estimate.met:
            self.final_blocks = point
        else:
            self.next = self._next_look(point)

    def goal(self) -> int | None:
        """The prefix to work towards, in blocks; None before the first look."""
        wanted = self.estimate.goal
        if self.final_blocks is not None or wanted is None:
            return self.final_blocks
        blocks = min(-(-wanted // self.block_samples), GOAL_MAX)
        # The look is taken as soon as it is near to the forecast, but if it fails nobody must have
        # waited for it: so the work goes on to the grid point at which the forecast is reached.
        point = self.points[self.next]
        if self.waiting:
            point = self.points[self._latest(point)]
        return max(point, self.segment_end(self.segment_of(max(blocks - 1, 0))))

    def _next_look(self, point: int) -> int:
        wanted = self.estimate.goal
        blocks = 2 * point if wanted is None else -(-wanted // self.block_samples)
        near = -(-NEARNESS_PERCENT * blocks // 100)
        latest = self._latest(point)
        return max(min(bisect_left(self.points, near), latest), self.next + 1)

    def _latest(self, point: int) -> int:
        """Which look is the last that may follow the one at this point."""
        self._reach(2 * point)
        return bisect_right(self.points, 2 * point) - 1

    def _sums_before(self, segment: int) -> list[int]:
        while self.summed < segment:
            sums = self.segment_sums.pop(self.summed, [])
            self.before.extend([0] * (len(sums) - len(self.before)))
            for i, one in enumerate(sums):
                self.before[i] += one
            self.summed += 1
        return self.before

    def _reach(self, block: int) -> None:
        while self.points[-1] <= block:
            self._grow()

    def _grow(self) -> None:
        self.points.append(-(-self.points[-1] * GROWTH_PERCENT // 100))
