"""Equal shares bound to pilot jobs at submission, as jobs sent straight to a grid's broker.

Camarasu-Pop 2013, chapter 3 ("gLite"): a share that fails is not given to anybody else.
"""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.control.splitting.contract import Progress


@dataclass(frozen=True, slots=True)
class EarlyBinding:
    """One share per pilot, once."""

    tasks: int
    reassigns: bool = False

    def share(self, progress: Progress) -> int | None:
        """This pilot's own share, if it has not had it."""
        if progress.shares_of_pilot > 0:
            return 0
        whole = -(-progress.samples_wanted // self.tasks)
        return min(whole, progress.samples_unassigned)
