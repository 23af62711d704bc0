"""How many positions the tasks of a campaign hold, now and at any time to come, in O(1).

Each counted task is a straight line: the position it last said and the rate at which it works.
The sum of lines is a line; its level and slope are running sums of whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.control.records import NEVER_US, RATE_BITS, TaskRecord

SMOOTHING_US = 60_000_000  # how long a rate is remembered, at least


@dataclass(slots=True)
class RunningCount:
    """The sum over the counted tasks, and what the others have stored."""

    level: int = 0  # sum of position << RATE_BITS, less rate * heard_us
    slope: int = 0  # sum of rates
    reported: int = 0  # sum of positions
    tasks: int = 0
    settled: int = 0  # stored by tasks that are not counted

    def expected(self, now_us: int) -> int:
        """What would be stored if every counted task stored all that it holds by now."""
        return ((self.level + self.slope * now_us) >> RATE_BITS) + self.settled

    def time_to(self, goal: int, now_us: int) -> int | None:
        """The time until the expected count reaches a goal; None while nobody works."""
        missing = ((goal - self.settled) << RATE_BITS) - self.level - self.slope * now_us
        if missing <= 0:
            return 0
        if self.slope <= 0:
            return None
        return min(missing // self.slope, NEVER_US)

    def add(self, task: TaskRecord) -> None:
        """Count on a task, from the position that it holds."""
        assert not task.counted
        task.counted = True
        self.settled -= task.accepted
        self._include(task)

    def drop(self, task: TaskRecord) -> None:
        """Count on a task no more; only what it stored remains."""
        assert task.counted
        task.counted = False
        self._exclude(task)
        self.settled += task.accepted

    def start(self, task: TaskRecord) -> None:
        """Count on a task that has just been made."""
        self._include(task)

    def advance(self, task: TaskRecord, position: int, busy_us: int, now_us: int) -> None:
        """A counted task said how far it is."""
        rate, gained, lasted_us = task.rate, position - task.position, busy_us - task.busy_us
        was = (task.position << RATE_BITS) - rate * task.heard_us
        if lasted_us > 0:
            if gained >= 0:
                # The mean over about the last minute of work, each interval weighing as it lasted.
                memory_us = task.busy_us if task.busy_us < SMOOTHING_US else SMOOTHING_US
                rate = (rate * memory_us + (gained << RATE_BITS)) // (memory_us + lasted_us)
                self.slope += rate - task.rate
                task.rate = rate
            task.busy_us = busy_us
        self.reported += gained
        task.position = position
        task.heard_us = now_us
        self.level += (position << RATE_BITS) - rate * now_us - was

    def _include(self, task: TaskRecord) -> None:
        self.level += (task.position << RATE_BITS) - task.rate * task.heard_us
        self.slope += task.rate
        self.reported += task.position
        self.tasks += 1

    def _exclude(self, task: TaskRecord) -> None:
        self.level -= (task.position << RATE_BITS) - task.rate * task.heard_us
        self.slope -= task.rate
        self.reported -= task.position
        self.tasks -= 1
