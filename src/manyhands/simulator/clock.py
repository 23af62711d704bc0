"""The alarm queue: what happens next in a simulated world, and when.

Time is a whole number of microseconds. Alarms of the same time go off in the order in which they
were pushed, so that a world is a function of its scenario alone. An alarm cannot be taken back: who
set it looks, when it goes off, whether it still matters.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import Any

SECOND = 1_000_000

Call = Callable[[Any], object]


def us(seconds: float) -> int:
    """A time of a scenario, in the clock's microseconds."""
    return round(seconds * SECOND)


class Alarms:
    """A heap of (time, sequence number, what to call, with what)."""

    __slots__ = ("_heap", "_sequence", "now_us", "stopped")

    def __init__(self) -> None:
        self.now_us = 0
        self.stopped = False
        self._heap: list[tuple[int, int, Call, Any]] = []
        self._sequence = count()

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, time_us: int, call: Call, argument: Any = None) -> None:
        """Call this with that at a time; a time that is past means now, behind what is due now."""
        if time_us < self.now_us:
            time_us = self.now_us
        heappush(self._heap, (time_us, next(self._sequence), call, argument))

    def pop(self) -> tuple[int, Call, Any]:
        """Take the next alarm, and move the clock to it."""
        self.now_us, _, call, argument = heappop(self._heap)
        return self.now_us, call, argument

    def run(self, until_us: int) -> None:
        """Let all alarms go off up to a time, or until somebody sets `stopped`."""
        heap = self._heap
        while heap and not self.stopped and heap[0][0] <= until_us:
            self.now_us, _, call, argument = heappop(heap)
            call(argument)
