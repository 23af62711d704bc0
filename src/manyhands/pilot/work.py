"""One task in a slot of the pilot: what it holds, what it offers, and what the master said of it.

Positions are those of the master: what the run has computed (raw) less the blocks that were
dropped because somebody else's were accepted. Seal <= accepted <= position:

    seal            accepted          position
    |---- A --------|------- D -------|            an offer is A and D, which replaces A there

At most one upload *or* one offer without a verdict at a time, so an offer always starts at the
seal: each verdict says where the next one does.
"""

from __future__ import annotations

from math import ceil, inf
from typing import Optional, Tuple

from manyhands.model.coverage import Coverage, Span
from manyhands.model.facts import PartialStored
from manyhands.model.failures import Refusal
from manyhands.model.orders import ExtendLease, PartialRefused, StartTask
from manyhands.pilot.blocks import Blocks
from manyhands.pilot.signals import Upload, UploadEnded

RUNNING = 0
STOPPING = 1  # told to end: its last position is yet to come
STOPPED = 2  # at rest: what it holds is being delivered, then its slot is free

TRIES_AT_ONCE = 5
RETRY_S = 30.0
EARLY_CHECKPOINTS = 0.1
EARLY_S = 0.5
ROUND_TRIPS_EARLY = 3.0
NEVER = 1 << 62  # a position that no run reaches


class Work:
    """A task, from its StartTask to its TaskEnded or the last verdict on what it stored."""

    __slots__ = (
        "accepted",
        "asked",
        "blocks",
        "busy_us",
        "checkpoint_due_s",
        "dropped",
        "offered",
        "order",
        "quota",
        "raw",
        "seal",
        "state",
        "stored",
        "upload",
        "watch",
        "_again",
        "_again_end",
        "_early_marks",
        "_failures",
        "_final",
        "_last",
        "_late_marks",
        "_retry_s",
        "_upload_s",
    )

    def __init__(self, order: StartTask, now_s: float) -> None:
        self.order = order
        self.blocks = Blocks(order.leases) if order.stream < 0 else None
        self.state = RUNNING
        self.raw = 0
        self.busy_us = 0
        self.dropped = 0
        self.seal = 0
        self.accepted = 0
        self.offered = 0  # the end of what was uploaded or is being uploaded
        self.upload: Optional[Upload] = None
        self.stored: Optional[PartialStored] = None  # a fact without a verdict yet
        self.quota: Optional[int] = None
        self.watch = NEVER  # the raw position that the shell is to tell us of
        self.asked = NEVER  # how many blocks were left when more were asked for
        self.checkpoint_due_s = inf
        self._again = False  # offer again, whatever the time
        self._again_end: Optional[int] = None
        self._final = False
        self._failures = 0
        self._retry_s = -inf
        self._last = False  # no more leases will come
        self._upload_s: Optional[float] = None
        self._early_marks = self._late_marks = (0, 0)
        self._plan_checkpoint(now_s)

    # ---- what it holds -----------------------------------------------------------------

    @property
    def position(self) -> int:
        """How much of what was computed may still count, or does."""
        return self.raw - self.dropped

    @property
    def delivering(self) -> bool:
        """Whether an upload or an offer of it awaits its end."""
        return self.upload is not None or self.stored is not None

    @property
    def delivered(self) -> bool:
        """Whether it is at rest and holds nothing that was not accepted."""
        return (
            self.state == STOPPED
            and self.raw - self.dropped <= self.accepted
            and not self.delivering
        )

    @property
    def finished(self) -> bool:
        """Whether its run stopped by itself and will not be given more to do."""
        return self.at_rest and (self.blocks is None or self._last)

    @property
    def at_rest(self) -> bool:
        """Whether its run computes nothing now, because it has nothing to do."""
        if self.blocks is not None:
            return not self.blocks.left
        return self.order.limit is not None and self.raw >= self.order.limit

    def advance(self, raw: int, busy_us: int) -> bool:
        """Its run has computed so much; whether that calls for a closer look."""
        if self.blocks is not None and raw > self.raw:
            self.blocks.advance(raw - self.raw)
        self.raw = max(raw, self.raw)
        self.busy_us = max(busy_us, self.busy_us)
        if self.state == STOPPING:
            self.state = STOPPED
            return True
        return raw >= self.watch

    def report(self, round_trip_s: float) -> None:
        """Its position is being said: rates are measured over the last report or two."""
        if self.blocks is not None and self.runs_low(round_trip_s):
            self.asked = self.blocks.left
        self._early_marks = self._late_marks
        self._late_marks = (self.raw, self.busy_us)

    @property
    def rate(self) -> float:
        """How much it computes per second; 0.0 if that is not known."""
        raw, busy_us = self._early_marks
        if self.raw <= raw or self.busy_us <= busy_us:
            raw, busy_us = 0, 0
        return 1e6 * (self.raw - raw) / (self.busy_us - busy_us) if self.busy_us > busy_us else 0.0

    # ---- when to act -------------------------------------------------------------------

    def wants_upload(self, now_s: float) -> bool:
        """Whether it is time to offer what it holds."""
        if self.upload is not None or self.stored is not None or self.state == STOPPING:
            return False
        position = self.raw - self.dropped
        if position <= self.accepted:
            self._again = False
            if now_s >= self.checkpoint_due_s:
                self._plan_checkpoint(now_s)
            return False
        if now_s < self._retry_s:
            return False
        if self._again or self.state == STOPPED:
            return True
        if self.quota is not None and position >= self.quota:
            return True
        if self.blocks is not None and self.blocks.increment_behind(self.accepted)[2]:
            return True
        return now_s >= self.checkpoint_due_s and not self._waits_for_quota(now_s)

    def due_s(self) -> float:
        """When it wants to be looked at, though nothing happened."""
        if self.upload is not None or self.stored is not None or self.state == STOPPING:
            return inf
        if self._again or self.state == STOPPED:
            return self._retry_s
        return self.checkpoint_due_s

    def next_watch(self, round_trip_s: float) -> int:
        """The next raw position at which there will be something to do; NEVER if there is none."""
        found = NEVER
        if self.quota is not None and self.quota > self.raw - self.dropped:
            found = self.quota + self.dropped
        blocks = self.blocks
        if blocks is None:
            limit = self.order.limit
            return found if limit is None or limit <= self.raw else min(found, limit)
        if blocks.left:
            found = min(found, self.raw + blocks.left_in_segment())
            if self.asked == NEVER and not self._last:
                # The first block tells the rate.
                early = blocks.left - self._blocks_early(round_trip_s) if self.rate else 1
                found = min(found, self.raw + early) if early > 0 else found
        return found

    def runs_low(self, round_trip_s: float) -> bool:
        """Whether its leases end soon, or have ended, and nobody was asked for more since."""
        blocks = self.blocks
        if blocks is None or self.state != RUNNING or self._last or blocks.left >= self.asked:
            return False
        if self.asked != NEVER and blocks.left:
            return False
        return blocks.left <= self._blocks_early(round_trip_s)

    # ---- orders ------------------------------------------------------------------------

    def set_quota(self, position: int) -> None:
        """What lies before this position must be on its way when it is reached."""
        self.quota = position if position > self.offered else None

    def extend(self, order: ExtendLease) -> None:
        """More blocks, perhaps the last."""
        assert self.blocks is not None
        self.blocks.extend(order.leases)
        self._last = order.last
        self.asked = NEVER

    # ---- offers ------------------------------------------------------------------------

    def begin_upload(self, now_s: float, number: int) -> Upload:
        """Begin to offer what it holds, under a name that was never used."""
        start, end, self._final = self._offer()
        task = self.order.task
        name = f"{task}/{number}"
        self.upload = upload = Upload(task, start, end, name, self._coverage(start, end))
        self._again = False
        self._again_end = None
        self.offered = max(self.offered, end)
        if self.quota is not None and self.quota <= self.offered:
            self.quota = None
        self._plan_checkpoint(now_s)
        return upload

    def end_upload(self, now_s: float, signal: UploadEnded) -> bool:
        """An upload is over: whether there is a partial to announce. Others are ignored."""
        upload = self.upload
        # The shell may say the whole name, with the digest behind a slash, or the ordered one.
        if upload is None or not f"{signal.name}/".startswith(f"{upload.name}/"):
            return False
        self.upload = None
        if signal.cause is not None:
            self._try_again(now_s)
            return False
        self._upload_s = signal.upload_us / 1e6
        self.stored = PartialStored(
            upload.task,
            upload.start,
            upload.end,
            signal.name,
            signal.digest,
            upload.coverage,
            self._final,
            signal.sums,
            signal.upload_us,
        )
        return True

    def accept(self, name: str, base: int) -> None:
        """Counted; the next offer starts at `base`."""
        if self.stored is not None and self.stored.name == name:
            self.accepted = max(self.accepted, self.stored.end)
            self.stored = None
            self._failures = 0
            self._move_seal(base)

    def refuse(self, now_s: float, order: PartialRefused) -> None:
        """Not counted, but the task goes on: elsewhere, collected, or have."""
        stored = self.stored
        assert stored is not None
        self.stored = None
        if order.cause is Refusal.HAVE:
            assert self.blocks is not None
            self.blocks.drop(self.accepted, stored.end)
            self.dropped += stored.end - self.accepted
            self.offered = self.accepted
            self._move_seal(order.base)
            return
        self._move_seal(order.base)
        self._try_again(now_s)
        if order.cause is Refusal.COLLECTED:
            self._again_end = stored.end

    # ---- private -----------------------------------------------------------------------

    def _move_seal(self, base: int) -> None:
        self.seal = max(self.seal, base)
        self.accepted = max(self.accepted, self.seal)
        if self.blocks is not None:
            self.blocks.forget_before(self.seal)

    def _try_again(self, now_s: float) -> None:
        self._again = True
        self._failures += 1
        if self._failures >= TRIES_AT_ONCE:
            self._retry_s = now_s + (self.order.checkpoint_s or RETRY_S)

    def _plan_checkpoint(self, now_s: float) -> None:
        period_s = self.order.checkpoint_s
        self.checkpoint_due_s = inf if period_s is None else now_s + period_s

    def _waits_for_quota(self, now_s: float) -> bool:
        """Whether the quota comes before an upload begun now would be over."""
        rate = self.rate
        if self.quota is None or self._upload_s is None or rate <= 0.0:
            return False
        wait_s = (self.quota - self.position) / rate
        if wait_s >= self._upload_s:
            return False
        # The quota brings the upload; this is for a run that slows down before it gets there.
        self.checkpoint_due_s = now_s + max(wait_s, 1.0)
        return True

    def _blocks_early(self, round_trip_s: float) -> int:
        """How many blocks may be left when more are asked for: they last longer than the asking."""
        period_s = self.order.checkpoint_s
        least_s = EARLY_S if period_s is None else EARLY_CHECKPOINTS * period_s
        return max(1, ceil(self.rate * max(ROUND_TRIPS_EARLY * round_trip_s, least_s)))

    def _offer(self) -> Tuple[int, int, bool]:
        """From where to where, and whether a new increment begins behind it."""
        growing = self.order.growing
        if self.blocks is None:
            start, end, final = self.seal, self.position, growing
        else:
            start, end, done = self.blocks.increment_behind(self.accepted)
            # An increment that was wholly accepted but not sealed lies before this one, and
            # cannot be joined with it: only a final partial may start behind the seal.
            final = growing or done or start > self.seal
        if growing:
            start = max(start, self.accepted)
        if self._again_end is not None and self.accepted < self._again_end < end:
            end = self._again_end
            final = growing or start > self.seal
        return start, end, final

    def _coverage(self, start: int, end: int) -> Coverage:
        if self.blocks is None:
            return Coverage((Span(self.order.stream, start, end),))
        return self.blocks.coverage(start, end)
