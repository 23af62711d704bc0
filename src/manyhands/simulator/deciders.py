"""Which deciding code a world runs: the real one, or (in tests) one that is broken on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from manyhands.control.controller import Controller
from manyhands.control.snapshot import restore, save
from manyhands.model.commands import Command
from manyhands.model.events import Event
from manyhands.model.facts import PartialStored
from manyhands.model.limits import Limits
from manyhands.pilot.machine import PilotMachine
from manyhands.pilot.signals import Action, Signal


class Master(Protocol):
    """What a world needs of the code that decides."""

    def handle(self, now_s: float, event: Event) -> list[Command]:
        """Its only door."""

    def refers_to(self, name: str) -> bool:
        """Whether an object must not be given up."""


class Hand(Protocol):
    """What a world needs of a pilot's code."""

    def handle(self, now_s: float, signal: Signal) -> list[Action]:
        """Its only door."""


@dataclass(frozen=True, slots=True)
class HandBirth:
    """What a pilot's process knows when it starts."""

    pilot: int
    incarnation: int
    slots: int
    site: str
    found: tuple[PartialStored, ...] = ()


@dataclass(frozen=True, slots=True)
class Deciders:
    """How to make a master and a pilot, and to save the one and bring it back."""

    master: Callable[[Limits], Master]
    save: Callable[[Master], bytes]
    restore: Callable[[bytes], Master]
    hand: Callable[[HandBirth], Hand]


def _save(master: Master) -> bytes:
    assert isinstance(master, Controller)
    return save(master)


def _restore(data: bytes) -> Master:
    return restore(data, Controller)


def _hand(birth: HandBirth) -> Hand:
    return PilotMachine(birth.pilot, birth.incarnation, birth.slots, birth.site, birth.found)


REAL = Deciders(Controller, _save, _restore, _hand)
