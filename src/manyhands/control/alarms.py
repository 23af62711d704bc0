"""When the master must look at something again: one heap, one pending wake-up.

An entry is never searched for: it surfaces at its time and is looked at then, so a pilot that
reports in time costs one entry now and then, not one per report.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush

from manyhands.control.records import NEVER_US

PILOT, CLAIM, CAMPAIGN = 0, 1, 2


@dataclass(slots=True)
class Alarms:
    """A heap of (time, kind, number)."""

    heap: list[tuple[int, int, int]] = field(default_factory=list)
    wake_us: int = NEVER_US  # the wake-up that was asked for and has not come

    def set(self, time_us: int, kind: int, number: int) -> None:
        """Look at this at that time."""
        heappush(self.heap, (time_us, kind, number))

    def due(self, now_us: int) -> tuple[int, int, int] | None:
        """Take the earliest entry whose time has come."""
        if self.heap and self.heap[0][0] <= now_us:
            return heappop(self.heap)
        return None

    def wants_wake(self, now_us: int) -> bool:
        """Whether to ask for a tick, at `wake_us`: the one asked for before does not serve."""
        if self.wake_us <= now_us:
            self.wake_us = NEVER_US
        if self.heap and self.heap[0][0] < self.wake_us:
            self.wake_us = self.heap[0][0]
            return True
        return False
