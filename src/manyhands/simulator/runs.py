"""A run: the simulated application of one task, at work on one slot of a host.

Its *position* counts the samples (free mode) or blocks (exact mode) that it has computed. It is at
work whenever it has something to do: it pauses at its end and resumes when that moves. Work is
measured as in `host`: exactly, so that the time at which a position is reached is exact too.
"""

from __future__ import annotations

from collections.abc import Iterable

from manyhands.model.campaign import Campaign, Mode
from manyhands.model.orders import Lease, StartTask
from manyhands.simulator.host import SAMPLE_WORK, SpeedProfile

NEVER = 1 << 62


class Run:
    """The state of one run. `working` since `since_us`, when the host's work was `anchor`."""

    __slots__ = (
        "anchor",
        "busy_us",
        "campaign",
        "end",
        "ended",
        "ending",
        "leases",
        "order",
        "poison_at",
        "position",
        "profile",
        "saved",
        "short_at",
        "since_us",
        "task",
        "told_us",
        "unit",
        "version",
        "watch",
        "work",
        "working",
    )

    def __init__(self, order: StartTask, campaign: Campaign, profile: SpeedProfile) -> None:
        self.order = order
        self.task = order.task
        self.campaign = campaign
        self.profile = profile
        exact = campaign.mode is Mode.EXACT
        self.unit = SAMPLE_WORK * (campaign.block_samples if exact else 1)
        self.leases: list[tuple[int, int, int]] = []  # (position, first block, end of blocks)
        self.end = 0 if exact else (NEVER if order.limit is None else order.limit)
        self.position = 0
        self.work = 0  # done by `since_us`
        self.busy_us = 0  # likewise
        self.told_us = 0  # busy, when `observe` last looked
        self.working = False
        self.since_us = 0
        self.anchor = 0
        self.watch = NEVER
        self.ending = False
        self.ended = False
        self.version = 0  # of its alarm: one that carries another does not matter any more
        self.short_at = NEVER  # the position of the campaign's last block, which may be shorter
        self.saved = 0  # by how much
        self.poison_at = NEVER  # the position of the first block that cannot be computed
        if exact:
            self.lease(order.leases)

    @property
    def exact(self) -> bool:
        """Whether it counts blocks."""
        return self.campaign.mode is Mode.EXACT

    def lease(self, leases: Iterable[Lease]) -> None:
        """Put blocks behind those it has."""
        wanted = self.campaign.blocks_wanted
        for lease in leases:
            if wanted is not None and lease.start < wanted <= lease.end:
                self.short_at = self.end + wanted - 1 - lease.start
                left = wanted * self.campaign.block_samples - self.campaign.samples_in(wanted)
                self.saved = left * SAMPLE_WORK
            self.leases.append((self.end, lease.start, lease.end))
            self.end += lease.end - lease.start

    def trim(self, leases: Iterable[Lease]) -> None:
        """Forget the blocks that it has not begun, and take these in their place."""
        begun = min(self.position + 1, self.end) if self.working else self.position
        kept = []
        for position, start, end in self.leases:
            if position < begun:
                kept.append((position, start, min(end, start + begun - position)))
        self.leases = kept
        self.end = begun
        if self.short_at >= begun:
            self.short_at = NEVER
        if self.poison_at >= begun:
            self.poison_at = NEVER
        self.lease(leases)

    def poison(self, blocks: Iterable[int]) -> None:
        """Note where the first of these blocks lies, if this run has one that it has yet to do."""
        self.poison_at = NEVER
        for position, start, end in self.leases:
            for block in blocks:
                at = position + block - start
                if start <= block < end and self.position <= at < self.poison_at:
                    self.poison_at = at

    def block_at(self, position: int) -> int | None:
        """Which block it computes at a position, in exact mode."""
        for first, start, end in self.leases:
            if first <= position < first + end - start:
                return start + position - first
        return None

    def observe(self, now_us: int, host_work: int) -> bool:
        """Bring `position` and `told_us` up to now; whether there is still something to do."""
        if not self.working:
            return False
        done = self.work + host_work - self.anchor
        position = done // self.unit
        if position >= self.short_at:
            position = max(self.short_at, (done + self.saved) // self.unit)
        if position < self.end:
            self.position = position
            self.told_us = self.busy_us + now_us - self.since_us
            return True
        self._pause()
        return False

    def resume(self, now_us: int, host_work: int) -> bool:
        """Go to work, if there is any and it does not already; whether it just did."""
        if self.working or self.ended or self.position >= self.end:
            return False
        self.working = True
        self.since_us = now_us
        self.anchor = host_work
        return True

    def finish(self) -> None:
        """Stop behind what is in hand: at once in free mode, with the block in exact mode."""
        self.ending = True
        self.watch = NEVER
        in_hand = 1 if self.exact and self.working else 0
        self.end = min(self.end, self.position + in_hand)

    def due_us(self) -> int | None:
        """When it reaches what somebody waits for: a position to watch, or its end."""
        if not self.working:
            return None
        position = min(self.end, self.poison_at)
        if self.position < self.watch < position:
            position = self.watch
        return None if position == NEVER else self.time_at(position)

    def time_at(self, position: int) -> int:
        """The first microsecond at which it has a position, while it works."""
        return self.profile.time_of_work(self.anchor + self.work_of(position) - self.work)

    def work_of(self, position: int) -> int:
        """The work of the first positions."""
        return position * self.unit - (self.saved if position > self.short_at else 0)

    def samples(self) -> int:
        """How many samples it has computed."""
        return self.samples_to(self.position)

    def samples_to(self, position: int) -> int:
        """How many samples its first positions hold."""
        return self.work_of(position) // SAMPLE_WORK

    def _pause(self) -> None:
        """Stop at the end, at the moment at which that was reached."""
        busy_us = self.time_at(self.end) - self.since_us
        self.busy_us += max(busy_us, 0)
        self.told_us = self.busy_us
        self.work = self.work_of(self.end)
        self.position = self.end
        self.working = False
