"""What the pilot's machine is told, and what it orders its shell to do.

The shell (a real process, or the simulated one) runs the application, moves bytes and knows the
clock. *Raw* positions count all that a run has computed: samples in free mode, blocks in exact
mode. Every signal about a pilot's work is preceded by an `Advanced` for each of its runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple, Union

from manyhands.model.commands import Reply
from manyhands.model.coverage import Coverage
from manyhands.model.events import MessageReceived
from manyhands.model.failures import FailureCause
from manyhands.model.orders import Lease, MergePartials, StartTask

# ---- told ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Started:
    """The pilot's process is up and its host was checked."""


@dataclass(frozen=True)
class Advanced:
    """A run has computed so much, in so much time of its slot, both since its start."""

    __slots__ = ("busy_us", "position", "task")
    task: int
    position: int
    busy_us: int


@dataclass(frozen=True)
class RunFailed:
    """A run's application broke off; what was not uploaded is gone."""

    task: int
    cause: FailureCause
    block: Optional[int] = None


@dataclass(frozen=True)
class ReplyReceived:
    """The master's answer to a message."""

    reply: Reply


@dataclass(frozen=True)
class UploadEnded:
    """An ordered upload is over: stored whole and verified, or not (then `cause` says why).

    `name` is the whole one, with the digest behind the ordered name and a slash.
    """

    task: int
    name: str
    digest: str
    sums: Tuple[int, ...]
    upload_us: int
    cause: Optional[FailureCause] = None


@dataclass(frozen=True)
class MergeEnded:
    """An ordered merge is over; `failed_input` is the object at fault, if one is known to be."""

    claim: int
    name: str
    digest: str
    cause: Optional[FailureCause] = None
    failed_input: Optional[str] = None


@dataclass(frozen=True)
class ClassComputed:
    """Block 0 of a campaign was computed, with this digest."""

    campaign: int
    digest: str


@dataclass(frozen=True)
class Ticked:
    """Time has passed."""


@dataclass(frozen=True)
class StopRequested:
    """The host is about to be taken away: flush, say goodbye, leave."""

    cause: FailureCause


Signal = Union[
    Started,
    Advanced,
    RunFailed,
    ReplyReceived,
    UploadEnded,
    MergeEnded,
    ClassComputed,
    Ticked,
    StopRequested,
]

# ---- ordered -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Send:
    """Send this message to the master (again, if it was sent before)."""

    message: MessageReceived


@dataclass(frozen=True)
class StartRun:
    """Start the application for a task; it stops by itself at its limit or out of leases."""

    order: StartTask


@dataclass(frozen=True)
class ExtendRun:
    """More blocks for a run, behind those it has."""

    task: int
    leases: Tuple[Lease, ...]


@dataclass(frozen=True)
class TrimRun:
    """These are now all the blocks of a run that it has not begun (the one in hand is finished)."""

    task: int
    leases: Tuple[Lease, ...]


@dataclass(frozen=True)
class EndRun:
    """Stop a run behind the sample (free) or block (exact) in hand, then say `Advanced`.

    The first `Advanced` after this order is the run's last, so none is said before its end. Its
    results may still be ordered to be uploaded. (A run that has no blocks left ends at once.)
    """

    task: int


@dataclass(frozen=True)
class WatchPosition:
    """Say `Advanced` as soon as a run has computed so much; this replaces its former watch."""

    task: int
    position: int


@dataclass(frozen=True)
class Upload:
    """Store a run's result from one position to another, under a new name, in the background.

    `name` is complete but for the digest, which the shell appends after a slash. `start` and `end`
    are the master's positions, without blocks that were dropped; `coverage` says which those are.
    """

    task: int
    start: int
    end: int
    name: str
    coverage: Coverage


@dataclass(frozen=True)
class ComputeClass:
    """Compute block 0 of a campaign (block_samples of stream 0) and say its digest."""

    campaign: int
    seed: int
    block_samples: int


@dataclass(frozen=True)
class Merge:
    """Fetch, merge and store these objects."""

    order: MergePartials


@dataclass(frozen=True)
class WakeAt:
    """Send a tick at this time, or soon after."""

    time_s: float


@dataclass(frozen=True)
class Exit:
    """End the pilot's process."""

    cause: FailureCause


Action = Union[
    Send,
    StartRun,
    ExtendRun,
    TrimRun,
    EndRun,
    WatchPosition,
    Upload,
    ComputeClass,
    Merge,
    WakeAt,
    Exit,
]
