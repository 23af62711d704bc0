"""A master and a shell for the pilot's machine, small enough to be read: they do as the test says.

`Bench` plays both by hand: the test says what is told, and looks at what comes back.
"""

from __future__ import annotations

from typing import TypeVar

from manyhands.model.commands import Reply
from manyhands.model.events import MessageReceived
from manyhands.model.facts import Fact, PartialStored
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.orders import Lease, Order, PartialAccepted, PartialRefused, StartTask
from manyhands.pilot.machine import PilotMachine
from manyhands.pilot.signals import (
    Action,
    Advanced,
    ReplyReceived,
    Send,
    Signal,
    Started,
    Ticked,
    Upload,
    UploadEnded,
)

T = TypeVar("T")
TASK = 7
STREAM = 5
PERIOD_S = 60.0


def free(
    task: int = TASK,
    limit: int | None = None,
    growing: bool = False,
    checkpoint_s: float | None = PERIOD_S,
) -> StartTask:
    """A task in free mode."""
    return StartTask(task, 1, STREAM, 11, 0, limit, (), checkpoint_s, growing)


def exact(*leases: Lease, task: int = TASK, checkpoint_s: float | None = PERIOD_S) -> StartTask:
    """A task in exact mode."""
    return StartTask(task, 1, -1, 11, 100, None, leases, checkpoint_s, False)


def of(kind: type[T], actions: list[Action]) -> list[T]:
    """The actions of one kind."""
    return [action for action in actions if isinstance(action, kind)]


class Bench:
    """A machine with one slot (or more), and what it did last."""

    def __init__(self, slots: int = 1, found: tuple[PartialStored, ...] = ()) -> None:
        self.machine = PilotMachine(3, 1, slots, "here", found)
        self.now_s = 0.0
        self.sent: list[MessageReceived] = []
        self.uploads: list[Upload] = []

    def tell(self, signal: Signal, at_s: float | None = None) -> list[Action]:
        """A signal, now or later."""
        if at_s is not None:
            assert at_s >= self.now_s
            self.now_s = at_s
        actions = self.machine.handle(self.now_s, signal)
        self.sent += [action.message for action in of(Send, actions)]
        self.uploads += of(Upload, actions)
        return actions

    def start(self, *orders: Order) -> list[Action]:
        """Up, registered, and given its first orders half a second later."""
        self.tell(Started())
        return self.reply(*orders, at_s=0.5)

    def tick(self, at_s: float) -> list[Action]:
        """Only time passes."""
        return self.tell(Ticked(), at_s)

    def advance(self, position: int, at_s: float | None = None, task: int = TASK) -> list[Action]:
        """A run has got so far; its slot was busy all the time."""
        at_s = self.now_s if at_s is None else at_s
        return self.tell(Advanced(task, position, round(at_s * 1e6)), at_s)

    def reply(self, *orders: Order, at_s: float | None = None) -> list[Action]:
        """The master answers the last message."""
        reply = Reply(3, 1, self.sent[-1].number, orders, PERIOD_S)
        return self.tell(ReplyReceived(reply), at_s)

    def store(
        self, at_s: float | None = None, cause: FailureCause | None = None, takes_s: float = 5.0
    ) -> list[Action]:
        """The last upload is over."""
        upload = self.uploads[-1]
        takes_us = round(takes_s * 1e6)
        ended = UploadEnded(upload.task, f"{upload.name}/d", "d", (1,), takes_us, cause)
        return self.tell(ended, at_s)

    def accept(self, base: int, *orders: Order, at_s: float | None = None) -> list[Action]:
        """The last upload was announced and is counted."""
        upload = self.uploads[-1]
        verdict = PartialAccepted(upload.task, f"{upload.name}/d", base)
        return self.reply(verdict, *orders, at_s=at_s)

    def refuse(self, cause: Refusal, base: int, at_s: float | None = None) -> list[Action]:
        """The last upload was announced and is not counted."""
        upload = self.uploads[-1]
        return self.reply(PartialRefused(upload.task, f"{upload.name}/d", cause, base), at_s=at_s)

    def facts(self) -> tuple[Fact, ...]:
        """What the last message says."""
        return self.sent[-1].facts

    def stored(self) -> PartialStored:
        """The partial that the last message announces."""
        fact = self.sent[-1].facts[0]
        assert isinstance(fact, PartialStored)
        return fact

    def offer(self) -> tuple[int, int]:
        """The range of the last upload."""
        return self.uploads[-1].start, self.uploads[-1].end


def running(at: int = 100, order: StartTask | None = None) -> Bench:
    """A machine whose one task stands at a position after ten seconds."""
    bench = Bench()
    bench.start(order or free())
    bench.advance(at, 10.0)
    return bench


def checkpointed(end: int = 100) -> Bench:
    """A machine that announced its first checkpoint, from 0 to `end`."""
    bench = running(end)
    bench.advance(end, 60.5)
    bench.tick(60.5)
    bench.reply(at_s=61.0)
    bench.store(66.0)
    assert bench.offer() == (0, end)
    return bench
