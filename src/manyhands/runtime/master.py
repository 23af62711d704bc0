"""The real master: facts into an inbox, one thread that journals, decides and acts.

A batch of facts is made durable with one commit before any of them is decided on, so whatever is
answered can be decided again after a crash. Anybody may put a fact into the inbox, also a signal
handler; the rest belongs to the thread that calls `turn`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from manyhands.control.controller import Controller
from manyhands.control.state import State
from manyhands.model.commands import (
    AnnounceStage,
    Command,
    DeleteObject,
    JudgePrecision,
    Reply,
    ReportIncident,
    WakeAt,
)
from manyhands.model.events import Event, MasterRestarted, ObjectDeleted, Ticked
from manyhands.model.records import record_time
from manyhands.runtime.journal import Journal, Record

BATCH_MAX = 1000  # facts in one commit
WAIT_S_MAX = 0.5  # how long a turn waits at most, so that its caller can look around


class Acts(Protocol):
    """Who does what is decided."""

    def reply(self, reply: Reply) -> None:
        """Send it to its pilot."""

    def delete(self, name: str) -> None:
        """Delete an object; when this returns it is gone."""

    def judge(self, command: JudgePrecision) -> None:
        """Have its objects held when this returns; the answer comes as an event, later."""


class Watches(Protocol):
    """Who is told what happens; it decides nothing."""

    def decided(self, now_s: float, event: Event, commands: list[Command], state: State) -> None:
        """A fact was decided on, which led to this state."""

    def stop(self) -> None:
        """The user wants to stop: what is under way is being stored."""


class Master:
    """One pool's deciding thread."""

    def __init__(
        self,
        journal: Journal,
        controller: Controller,
        acts: Acts,
        watchers: Iterable[Watches] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.controller = controller
        self._journal = journal
        self._acts = acts
        self._watchers = list(watchers)
        self._clock = clock
        self._inbox: SimpleQueue[Event | None] = SimpleQueue()
        self._now_s = 0.0
        self._wake_s = float("inf")
        self._perform_by: dict[type, Callable[[Any], None]] = {
            Reply: acts.reply,
            WakeAt: self._wake_at,
            DeleteObject: self._delete,
            ReportIncident: lambda command: None,  # for the watchers
            AnnounceStage: lambda command: None,
            JudgePrecision: acts.judge,
        }

    def put(self, event: Event) -> None:
        """A fact for the next turn."""
        self._inbox.put(event)

    def wake(self) -> None:
        """Let the turn that waits come to its end."""
        self._inbox.put(None)

    def recover(self, records: Iterable[Record]) -> int:
        """Decide again what the journal holds, without acting, then go on; how many records."""
        count = 0
        for now_s, event in records:
            self._now_s = now_s
            self._tell(now_s, event, self.controller.handle(now_s, event))
            count += 1
        if count:
            self._take([MasterRestarted()])
        return count

    def turn(self) -> None:
        """Wait for facts, or for the time to look again, and deal with them."""
        wait_s = min(max(self._wake_s - self._clock(), 0.0), WAIT_S_MAX)
        try:
            first = self._inbox.get(timeout=wait_s)
        except Empty:
            first = None
        events = [] if first is None else [first]
        while len(events) < BATCH_MAX and not self._inbox.empty():
            event = self._inbox.get()
            if event is not None:
                events.append(event)
        if self._clock() >= self._wake_s:
            self._wake_s = float("inf")
            events.append(Ticked())
        if events:
            self._take(events)

    def _take(self, events: list[Event]) -> None:
        """Journal, decide, act."""
        self._now_s = max(self._now_s, record_time(self._clock()))
        for event in events:
            self._journal.append(self._now_s, event)
        self._journal.commit()
        for event in events:
            commands = self.controller.handle(self._now_s, event)
            for command in commands:
                self._perform_by[type(command)](command)
            self._tell(self._now_s, event, commands)

    def _tell(self, now_s: float, event: Event, commands: list[Command]) -> None:
        for watcher in self._watchers:
            watcher.decided(now_s, event, commands, self.controller.state)

    def _wake_at(self, command: WakeAt) -> None:
        self._wake_s = command.time_s

    def _delete(self, command: DeleteObject) -> None:
        self._acts.delete(command.name)
        self.put(ObjectDeleted(command.name))
