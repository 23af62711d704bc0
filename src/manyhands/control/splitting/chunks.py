"""Self-scheduling: a fixed number of samples at a time (Tang & Yew 1986)."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.control.splitting.contract import Progress


@dataclass(frozen=True, slots=True)
class Chunks:
    """The same for every request, and for the last one what is left."""

    samples: int
    reassigns: bool = True

    def share(self, progress: Progress) -> int | None:
        """The next chunk."""
        return min(self.samples, progress.samples_unassigned)
