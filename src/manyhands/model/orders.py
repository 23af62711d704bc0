"""What a pilot is told: orders travel only in the replies to its messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple, Union

from manyhands.model.failures import FailureCause, Refusal


@dataclass(frozen=True)
class Lease:
    """Blocks start … end-1, promised to a task.

    A task whose next lease has another `segment` than the one it works on begins a new increment
    there (its partials never hold blocks of two segments).
    """

    start: int
    end: int
    segment: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"lease is {self.start}..{self.end}, but must hold a block")


@dataclass(frozen=True)
class StartTask:
    """Simulate for a campaign, in one slot.

    Free mode: samples of `stream`, from position 0, up to `limit` if there is one. Exact mode
    (`stream` is -1): the blocks of `leases`, in that order, and those of later ExtendLease.
    `checkpoint_s`: store a partial so often (None: only at the end). `growing`: every partial is
    final. `seed` and `block_samples` belong to the campaign.
    """

    task: int
    campaign: int
    stream: int
    seed: int
    block_samples: int
    limit: Optional[int]
    leases: Tuple[Lease, ...]
    checkpoint_s: Optional[float]
    growing: bool


@dataclass(frozen=True)
class SetQuota:
    """At this position the task's increment must be on its way to the store; then go on."""

    __slots__ = ("position", "task")
    task: int
    position: int


@dataclass(frozen=True)
class ExtendLease:
    """More blocks for a task. `last`: there are no more to be had now; flush when done."""

    task: int
    leases: Tuple[Lease, ...]
    last: bool


@dataclass(frozen=True)
class CutLease:
    """Keep `keep` more blocks of the lease; give back those behind that were not begun."""

    task: int
    keep: int


@dataclass(frozen=True)
class StopTask:
    """End a task. `keep`: store what it holds first (the sample in hand is always finished)."""

    task: int
    keep: bool


@dataclass(frozen=True)
class PartialAccepted:
    """Counted. The next partial of the task starts at `base`."""

    __slots__ = ("base", "name", "task")
    task: int
    name: str
    base: int


@dataclass(frozen=True)
class PartialRefused:
    """Not counted. The task's next partial starts at `base`; ELSEWHERE: offer [base, now).

    HAVE: drop what was offered beyond the last accepted position, whole, and go on.
    """

    task: int
    name: str
    cause: Refusal
    base: int


@dataclass(frozen=True)
class MergeInput:
    """One partial to be merged."""

    name: str
    digest: str


@dataclass(frozen=True)
class MergePartials:
    """Merge these objects into one, store it, and say so under this claim."""

    claim: int
    campaign: int
    inputs: Tuple[MergeInput, ...]


@dataclass(frozen=True)
class MergeVerdict:
    """Whether the output of a claim is now the campaign's; if not, it may be thrown away."""

    claim: int
    refusal: Optional[Refusal]


@dataclass(frozen=True)
class ProveClass:
    """Compute block 0 of a campaign and say its digest, before working for it."""

    campaign: int
    seed: int
    block_samples: int


@dataclass(frozen=True)
class RegisterAgain:
    """The master does not know this incarnation; its next message must begin with who it is."""


@dataclass(frozen=True)
class Stale:
    """This message is older than one already answered: no orders, whatever else is said."""


@dataclass(frozen=True)
class Leave:
    """Go away; a pilot that was removed never comes back."""

    cause: FailureCause


Order = Union[
    StartTask,
    SetQuota,
    ExtendLease,
    CutLease,
    StopTask,
    PartialAccepted,
    PartialRefused,
    MergePartials,
    MergeVerdict,
    ProveClass,
    RegisterAgain,
    Stale,
    Leave,
]
