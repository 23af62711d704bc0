"""Equal shares on pilots; a lost share goes back to the queue (Camarasu-Pop 2013, chapter 3)."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.control.splitting.contract import Progress


@dataclass(frozen=True, slots=True)
class Static:
    """N / tasks samples each, whichever pilot asks."""

    tasks: int
    reassigns: bool = True

    def share(self, progress: Progress) -> int | None:
        """The next equal share, or what is left of one that was lost."""
        whole = -(-progress.samples_wanted // self.tasks)
        return min(whole, progress.samples_unassigned)
