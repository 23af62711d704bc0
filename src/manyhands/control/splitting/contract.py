"""The question that every splitting policy answers, and the snapshot that it answers from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Progress:
    """What a policy may know when a pilot asks for work."""

    samples_wanted: int  # by the whole campaign
    samples_unassigned: int  # in no task's share, lost shares included where they come back
    tasks_started: int
    pilots: int  # that the pool has heard of
    shares_of_pilot: int  # how many shares this pilot was given before


class SplittingPolicy(Protocol):
    """Pure: snapshot in, decision out."""

    @property
    def reassigns(self) -> bool:
        """Whether what a lost task did not store goes to somebody else."""

    def share(self, progress: Progress) -> int | None:
        """Samples for the next task; 0: none for this pilot now; None: no limit at all."""
