"""Nobody splits: every task works until the campaign is done (Camarasu-Pop 2013, algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.control.splitting.contract import Progress


@dataclass(frozen=True, slots=True)
class Dynamic:
    """A task has no share, so nothing has to be given again when it is lost."""

    reassigns: bool = False

    def share(self, progress: Progress) -> int | None:
        """No limit."""
        return None
