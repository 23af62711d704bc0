"""Where precision is looked at in exact mode: a grid of prefixes that no schedule can move.

Each look decides the next from the prefix alone, so every run of a campaign looks at the same
prefixes and stops at the same one. Blocks between two grid points are a *segment*; no partial
holds blocks of two segments, so that the sums of any prefix on the grid are known.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace

from manyhands.control.stopping import Estimate, look
from manyhands.model.stopping import Precision

FIRST_LOOK = 64
GROWTH_PERCENT = 102
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

    def advance(self, rule: Precision, prefix: int, samples_min: int = 0) -> bool:
        """Look at every grid point due within the prefix of accepted blocks; True: satisfied."""
        rule = replace(rule, samples_min=max(rule.samples_min, samples_min))
        while self.final_blocks is None and self.points[self.next] <= prefix:
            point = self.points[self.next]
            self.estimate = look(rule, point * self.block_samples, self._sums_before(self.next + 1))
            if self.estimate.met:
                self.final_blocks = point
            else:
                self.next = self._next_look(point)
        return self.final_blocks is not None

    def goal(self) -> int | None:
        """The prefix to work towards, in blocks; None before the first look."""
        wanted = self.estimate.goal
        if wanted is None:
            return None
        blocks = -(-wanted // self.block_samples)
        due = self.points[self.next]
        return due if due * 100 >= NEARNESS_PERCENT * blocks else blocks

    def _next_look(self, point: int) -> int:
        wanted = self.estimate.goal
        blocks = 2 * point if wanted is None else -(-wanted // self.block_samples)
        near = -(-NEARNESS_PERCENT * blocks // 100)
        self._reach(max(near, 2 * point))
        latest = bisect_right(self.points, 2 * point) - 1
        return max(min(bisect_left(self.points, near), latest), self.next + 1)

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
