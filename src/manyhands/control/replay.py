"""The same facts lead to the same orders: what recovery rests on, and how it is checked.

A journal's records, handed to a machine that begins in the same state, give the same commands byte
for byte. And a snapshot is whole: a machine made from it decides about the rest of the journal as
the one that was never interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from manyhands.control.snapshot import digest, restore, save
from manyhands.model.codec import encode
from manyhands.model.commands import Command
from manyhands.model.events import Event

Record = tuple[float, Event]


class Decides(Protocol):
    """A deciding object: facts in, orders out, and nothing else."""

    def handle(self, now_s: float, event: Event) -> list[Command]:
        """Take note of an event and decide what follows."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Which record led elsewhere in the run from a snapshot `since` so many records (0: the start).

    If it is the number of records, all commands agree, but not the states after the last.
    """

    since: int
    record: int
    expected: bytes
    found: bytes

    def __str__(self) -> str:
        return (
            f"replayed from record {self.since}, record {self.record} leads elsewhere:\n"
            f"expected {self.expected.decode()}\nfound    {self.found.decode()}"
        )


def replay(machine: Decides, records: Iterable[Record]) -> Iterator[list[Command]]:
    """The commands that each record leads to; the machine moves as they are taken."""
    return (machine.handle(now_s, event) for now_s, event in records)


def commands_of(machine: Decides, records: Iterable[Record]) -> list[bytes]:
    """The commands that each record leads to, as comparable bytes."""
    return [encoded(commands) for commands in replay(machine, records)]


def encoded(commands: Iterable[Command]) -> bytes:
    """Commands in their order, one a line."""
    return b"\n".join(encode(command) for command in commands)


def first_difference(
    machine: Decides, records: Sequence[Record], expected: Sequence[bytes], since: int = 0
) -> Difference | None:
    """Replay from record `since` on, up to the first commands that are not the expected ones."""
    for number, commands in enumerate(replay(machine, records[since:]), start=since):
        if (found := encoded(commands)) != expected[number]:
            return Difference(since, number, expected[number], found)
    return None


def same_commands(
    first: Decides, records: Sequence[Record], snapshots_at: Iterable[int] = ()
) -> Difference | None:
    """Replay from copies of `first` twice, and from a snapshot before each of the given records.

    None if all agree: the commands after each record, and the states at the end.
    """
    places = dict.fromkeys([0, *snapshots_at])
    machine = restore(save(first), type(first))
    expected, snapshots = [], {}
    for number, (now_s, event) in enumerate(records):
        if number in places:
            snapshots[number] = save(machine)
        expected.append(encoded(machine.handle(now_s, event)))
    end = digest(machine).encode()
    for since, snapshot in snapshots.items():
        again = restore(snapshot, type(first))
        difference = first_difference(again, records, expected, since)
        found = digest(again).encode()
        if difference is not None or found != end:
            return difference or Difference(since, len(records), end, found)
    return None
