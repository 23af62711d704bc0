"""The pilot's conversation with the master: one message at a time, said until it is answered."""

from __future__ import annotations

from math import inf
from typing import Optional, Tuple

from manyhands.model.commands import Reply
from manyhands.model.events import MessageReceived
from manyhands.model.facts import Fact

REPLY_WAIT_S_MIN = 2.0
REPLY_WAIT_S_MAX = 300.0
ROUND_TRIPS_WAITED = 3.0
ROUND_TRIP_WEIGHT = 0.125  # of the newest measurement, as in RFC 6298
JITTER = 0.1


class Exchange:
    """The message that waits for its reply, and what is known of the way there and back."""

    __slots__ = (
        "incarnation",
        "number",
        "outstanding",
        "pilot",
        "resend_s",
        "round_trip_s",
        "_attempt",
        "_clear",
        "_sent_s",
        "_wait_s",
    )

    def __init__(self, pilot: int, incarnation: int) -> None:
        self.pilot = pilot
        self.incarnation = incarnation
        self.number = 0
        self.outstanding: Optional[MessageReceived] = None
        self.resend_s = inf
        self.round_trip_s = 0.0
        self._attempt = 0
        self._clear = True  # the last message was answered the first time
        self._sent_s = 0.0
        self._wait_s = 0.0

    def open(self, now_s: float, facts: Tuple[Fact, ...]) -> MessageReceived:
        """The next message, to be sent now."""
        assert self.outstanding is None
        self.number += 1
        round_trip_us = round(1e6 * self.round_trip_s)
        self.outstanding = MessageReceived(
            self.pilot, self.incarnation, self.number, facts, round_trip_us
        )
        self._sent_s = now_s
        self._attempt = 0
        usual_s = max(ROUND_TRIPS_WAITED * self.round_trip_s, REPLY_WAIT_S_MIN)
        self._wait_s = usual_s if self._clear else max(usual_s, self._wait_s)
        self._await_reply(now_s)
        return self.outstanding

    def repeat(self, now_s: float) -> MessageReceived:
        """The same message again, to be sent now; each time it waits twice as long."""
        assert self.outstanding is not None
        self._wait_s *= 2.0
        self._await_reply(now_s)
        return self.outstanding

    def close(self, now_s: float, reply: Reply) -> Optional[MessageReceived]:
        """The message that this answers, which is no longer outstanding; None if it is another."""
        message = self.outstanding
        if (
            message is None
            or reply.number != self.number
            or reply.incarnation != self.incarnation
            or reply.pilot != self.pilot
        ):
            return None
        self.outstanding = None
        self.resend_s = inf
        self._measure(now_s - self._sent_s)
        return message

    def _await_reply(self, now_s: float) -> None:
        self._attempt += 1
        self._wait_s = min(self._wait_s, REPLY_WAIT_S_MAX)
        # Spread evenly by arithmetic, so that a run can be repeated: no generator to carry.
        mixed = (self.pilot * 7919 + self.number * 104729 + self._attempt * 611953) % 2001
        self.resend_s = now_s + self._wait_s * (1.0 + JITTER * (mixed / 1000.0 - 1.0))

    def _measure(self, elapsed_s: float) -> None:
        # Which of several copies was answered is unknown, so it tells nothing of the way; but the
        # next message waits as long as this one had to (Karn & Partridge 1987). So a slow line is
        # learned, and loss is not taken for one.
        self._clear = self._attempt == 1
        if not self._clear or self.number == 1:
            return  # whoever answers the first may have been about to start
        if self.round_trip_s == 0.0:
            self.round_trip_s = elapsed_s
        else:
            self.round_trip_s += ROUND_TRIP_WEIGHT * (elapsed_s - self.round_trip_s)
