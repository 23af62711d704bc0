"""What a pilot says: the facts that one of its messages holds, in the past tense.

A *position* counts along a task's own work: samples of its stream in free mode, blocks in the
order in which it computed them in exact mode. What a pilot says may be late, repeated or wrong;
the deciding code judges it by coverage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple, Union

from manyhands.model.checks import (
    COUNT_MAX,
    is_span,
    require,
    require_at_most,
    require_count,
    require_text,
)
from manyhands.model.coverage import Coverage
from manyhands.model.failures import FailureCause

SUMS_MAX = 64
SUM_END = 1 << 1024  # more than any fourth powers add up to; less than a journal cannot write
NAME_LENGTH_MAX = 400


@dataclass(frozen=True)
class PilotRegistered:
    """The first fact of an incarnation: who it is and what it brings.

    `speed`: of its host, as a multiple of the reference host's, by a short benchmark.
    """

    slots: int
    site: str = ""
    speed: float = 1.0

    def __post_init__(self) -> None:
        require_count("slots", self.slots, 1)
        require(len(self.site) <= 200, "site", self.site, "at most 200 characters")
        require(is_span(self.speed), "speed", self.speed, "a finite number above 0")


@dataclass(frozen=True)
class ClassProven:
    """It computed block 0 of a campaign, with this digest."""

    campaign: int
    digest: str

    def __post_init__(self) -> None:
        require_count("campaign", self.campaign)
        require_text("digest", self.digest, NAME_LENGTH_MAX)


@dataclass(frozen=True)
class WorkRequested:
    """So many of its slots have nothing to do."""

    slots: int

    def __post_init__(self) -> None:
        require_count("slots", self.slots, 1)


@dataclass(frozen=True)
class TaskProgressed:
    """A task holds results up to a position, after so much time of its slot."""

    __slots__ = ("busy_us", "position", "task")
    task: int
    position: int
    busy_us: int

    def __post_init__(self) -> None:
        if not (self.task >= 0 <= self.position <= COUNT_MAX and 0 <= self.busy_us <= COUNT_MAX):
            _refuse_progress(self)


def _refuse_progress(fact: TaskProgressed) -> None:
    require_count("task", fact.task)
    require_count("position", fact.position)
    require_count("busy_us", fact.busy_us)
    require_at_most(COUNT_MAX, position=fact.position, busy_us=fact.busy_us)


@dataclass(frozen=True)
class PartialStored:
    """The store has a task's result from position `start` to `end`, whole and verified.

    `final`: the task begins a new increment at `end`, so this one will never be replaced.
    `sums`: additive statistics for the stop rule. `upload_us`: how long storing it took.
    """

    __slots__ = ("coverage", "digest", "end", "final", "name", "start", "sums", "task", "upload_us")
    task: int
    start: int
    end: int
    name: str
    digest: str
    coverage: Coverage
    final: bool
    sums: Tuple[int, ...]
    upload_us: int

    def __post_init__(self) -> None:
        if not (
            0 <= self.start < self.end <= COUNT_MAX
            and self.task >= 0 <= self.upload_us <= COUNT_MAX
            and 0 < len(self.name) <= NAME_LENGTH_MAX
            and len(self.sums) <= SUMS_MAX
            and (not self.sums or -SUM_END < min(self.sums) <= max(self.sums) < SUM_END)
            and self.coverage.size == self.end - self.start
        ):
            _refuse_partial(self)


def _refuse_partial(fact: PartialStored) -> None:
    require_count("task", fact.task)
    require_count("start", fact.start)
    require_count("end", fact.end, fact.start + 1)
    require_text("name", fact.name, NAME_LENGTH_MAX)
    require(len(fact.sums) <= SUMS_MAX, "sums", len(fact.sums), f"at most {SUMS_MAX} numbers")
    for one in fact.sums:
        require(-SUM_END < one < SUM_END, "sums", one, "numbers of at most 1024 bits")
    require_count("upload_us", fact.upload_us)
    require_at_most(COUNT_MAX, end=fact.end, upload_us=fact.upload_us)
    size = fact.end - fact.start
    require(fact.coverage.size == size, "coverage", fact.coverage.size, f"of size {size}")


@dataclass(frozen=True)
class TaskEnded:
    """A task stopped for good, with nothing left to store; its slot is free."""

    task: int

    def __post_init__(self) -> None:
        require_count("task", self.task)


@dataclass(frozen=True)
class TaskFailed:
    """A task broke off; what it had not stored is gone. `block`: the one it failed on."""

    task: int
    cause: FailureCause
    block: Optional[int] = None

    def __post_init__(self) -> None:
        require_count("task", self.task)
        if self.block is not None:
            require_count("block", self.block)


@dataclass(frozen=True)
class LeaseCut:
    """A task gives these blocks back untouched, as it was asked to."""

    task: int
    blocks: Tuple[Tuple[int, int], ...]

    def __post_init__(self) -> None:
        require_count("task", self.task)
        for start, end in self.blocks:
            require(0 <= start < end, "blocks", (start, end), "intervals with 0 <= start < end")


@dataclass(frozen=True)
class MergeStored:
    """The store has the merged object of a claim, whole and verified."""

    claim: int
    name: str
    digest: str

    def __post_init__(self) -> None:
        require_count("claim", self.claim)
        require_text("name", self.name, NAME_LENGTH_MAX)


@dataclass(frozen=True)
class MergeFailed:
    """A merge could not be done; `name` is the input at fault, if one is known to be."""

    claim: int
    cause: FailureCause
    name: Optional[str] = None

    def __post_init__(self) -> None:
        require_count("claim", self.claim)


@dataclass(frozen=True)
class PilotLeft:
    """Goodbye: it stored what it could and will not come back."""

    cause: FailureCause = FailureCause.PILOT_LEFT


Fact = Union[
    PilotRegistered,
    ClassProven,
    WorkRequested,
    TaskProgressed,
    PartialStored,
    TaskEnded,
    TaskFailed,
    LeaseCut,
    MergeStored,
    MergeFailed,
    PilotLeft,
]
