"""What the machines remember: mutable records of whole numbers, names and intervals.

Everything that decides is an integer (times in microseconds, rates in 2**-40 positions per
microsecond), so that a restored snapshot decides as the original would have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from manyhands.control.block_set import BlockSet
from manyhands.model.commands import Command, Reply
from manyhands.model.coverage import Coverage
from manyhands.model.orders import Order

RATE_BITS = 40
NEVER_US = 1 << 62


class PilotState(Enum):
    """Where a pilot stands; life_cycles.py has the table."""

    LIVE = "live"
    OVERDUE = "overdue"  # its report is late: not counted on, not yet given up
    LOST = "lost"  # silent past its lease; it may come back
    GONE = "gone"  # it said goodbye, or its process is known to have ended
    REMOVED = "removed"  # shut out for ever


class TaskState(Enum):
    """Where a task stands; life_cycles.py has the table."""

    RUNNING = "running"
    ENDING = "ending"  # told to store what it holds and stop
    LOST = "lost"  # its pilot is lost; what it stored stays
    ENDED = "ended"
    FAILED = "failed"


class PartialState(Enum):
    """Where an accepted partial stands; life_cycles.py has the table."""

    OPEN = "open"  # the next checkpoint of its task replaces it
    SEALED = "sealed"  # never replaced
    CLAIMED = "claimed"  # being merged
    MERGED = "merged"  # its samples are in a merged partial
    SUPERSEDED = "superseded"
    DROPPED = "dropped"  # beyond the prefix at which the campaign stopped
    QUARANTINED = "quarantined"  # two mergers could not read it


class ClaimState(Enum):
    """Where a claim stands; life_cycles.py has the table."""

    ACTIVE = "active"
    DONE = "done"
    EXPIRED = "expired"


@dataclass(slots=True)
class PilotRecord:
    """A pilot as the master sees it."""

    pilot: int
    incarnation: int
    slots: int
    site: str
    state: PilotState
    heard_us: int  # when its last message came
    due_us: int  # when its next one should
    told_us: int  # when it should speak again, after its last message
    lease_us: int  # how long it may be silent from `heard_us` on
    armed_us: int  # when the alarm queue looks at it next
    number: int = 0  # of the last message answered
    reply: Reply | None = None
    tasks: list[int] = field(default_factory=list)
    claims: list[int] = field(default_factory=list)
    classes: dict[int, str] = field(default_factory=dict)  # campaign: digest of its block 0
    proving: int = 0  # how many slots compute a block 0
    round_trip_us: int = 0  # what it measured
    idle: int = 0  # slots for which there was no work
    rates: dict[int, int] = field(default_factory=dict)  # campaign: of its last task there


@dataclass(slots=True)
class TaskRecord:
    """A pilot's engagement for a campaign."""

    task: int
    campaign: int
    pilot: int
    incarnation: int
    stream: int
    state: TaskState
    heard_us: int  # when `position` was said
    position: int = 0
    busy_us: int = 0
    rate: int = 0
    counted: bool = True  # in the running sums of its campaign
    limit: int | None = None  # the position at which it ends by itself
    share: int = 0  # what a splitting policy assigned to it
    seal: int = 0  # the end of what can no longer be replaced
    accepted: int = 0  # the end of all that is stored
    open_name: str = ""  # the partial from `seal` to `accepted`, if there is one
    upload_us: int = 0  # how long its last upload took


@dataclass(slots=True)
class PartialRecord:
    """An accepted partial."""

    name: str
    campaign: int
    task: int  # -1: made by a merge
    start: int
    end: int
    coverage: Coverage
    digest: str
    sums: tuple[int, ...]
    segment: int
    state: PartialState
    claim: int = -1
    bad_mergers: list[int] = field(default_factory=list)


@dataclass(slots=True)
class ClaimRecord:
    """A merge task's hold on partials."""

    claim: int
    campaign: int
    pilot: int
    inputs: list[str]
    state: ClaimState
    end_us: int
    output: str = ""


@dataclass(slots=True)
class Holding:
    """The blocks of one task in exact mode."""

    leased: int = 0  # how many it was ever given, less those given back or dropped
    held: BlockSet = field(default_factory=BlockSet)  # given and not accepted yet
    ever: BlockSet = field(default_factory=BlockSet)  # all that it may ever offer
    last: bool = False  # it was told that there are no more
    cut: bool = False  # a cut was proposed and not yet answered


class Turn:
    """One call of `handle`: the time, and what it makes the master say."""

    __slots__ = ("commands", "now_us", "orders", "report_us")

    def __init__(self, now_us: int) -> None:
        self.now_us = now_us
        self.orders: list[Order] = []
        self.commands: list[Command] = []
        self.report_us = NEVER_US  # the earliest next report that somebody wishes
