"""Replaying a journal gives the same commands, from its start and from every snapshot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from manyhands.control.replay import Record, commands_of, replay, same_commands
from manyhands.control.snapshot import digest
from manyhands.model.commands import Command, DeleteObject, Reply, WakeAt
from manyhands.model.events import Event, MessageReceived, ObjectCollected, Ticked


@dataclass(slots=True)
class Counting:
    """Answers each message with the sum of all numbers so far, and wakes up every third tick."""

    total: int = 0
    ticks: int = 0
    names: dict[str, int] = field(default_factory=dict)

    def handle(self, now_s: float, event: Event) -> list[Command]:
        match event:
            case MessageReceived(pilot, incarnation, number):
                self.total += number
                return [Reply(pilot, incarnation, number, (), 1 + self.total / 7)]
            case ObjectCollected(name):
                self.names[name] = len(self.names)
                return [DeleteObject(one) for one in self.names]
            case _:
                self.ticks += 1
                return [WakeAt(now_s + 1)] if self.ticks % 3 == 0 else []


@dataclass(slots=True)
class Forgetful(Counting):
    NOT_SAVED: ClassVar[tuple[str, ...]] = ("ticks",)


DRAWN = [3, 1, 4, 1, 5]


@dataclass(slots=True)
class Moody(Counting):
    """Says what depends on something outside it."""

    def handle(self, now_s: float, event: Event) -> list[Command]:
        return [WakeAt(now_s + DRAWN.pop())] if DRAWN else []


def _records() -> list[Record]:
    events: list[Event] = [
        Ticked(),
        MessageReceived(1, 0, 1, ()),
        ObjectCollected("b"),
        Ticked(),
        ObjectCollected("a"),
        MessageReceived(2, 0, 5, ()),
        Ticked(),
        MessageReceived(1, 0, 2, ()),
    ]
    return [(10.0 + number, event) for number, event in enumerate(events)]


def test_replay_gives_the_commands_of_each_record() -> None:
    commands = list(replay(Counting(), _records()))
    assert [len(each) for each in commands] == [0, 1, 1, 0, 2, 1, 1, 1]
    assert commands_of(Counting(), _records()) == commands_of(Counting(), _records())


def test_replay_from_every_snapshot_is_the_whole_replay() -> None:
    records = _records()
    assert same_commands(Counting(), records, range(len(records))) is None


def test_the_given_machine_does_not_move() -> None:
    machine = Counting()
    before = digest(machine)
    same_commands(machine, _records(), [3])
    assert digest(machine) == before


def test_a_machine_that_forgets_in_a_snapshot_is_found_out() -> None:
    difference = same_commands(Forgetful(), _records(), [5])
    assert difference is not None
    assert (difference.since, difference.record) == (5, 6)
    assert difference.found == b""
    assert "from record 5, record 6 leads elsewhere" in str(difference)


def test_states_are_compared_even_where_commands_agree() -> None:
    records = _records()[:2]
    difference = same_commands(Hidden(), records, [1])
    assert difference is not None
    assert (difference.since, difference.record) == (1, len(records))


@dataclass(slots=True)
class Hidden(Counting):
    """Its state differs after a restore, but nothing that it says."""

    born_with: int = 0
    restored: int = 0

    def __post_init__(self) -> None:
        self.restored += self.ticks > 0


def test_a_machine_that_depends_on_the_world_is_found_out() -> None:
    difference = same_commands(Moody(), _records())
    assert difference is not None
    assert (difference.since, difference.record) == (0, 0)
