"""The simulated store: which objects there are, and what they truly hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from manyhands.model.coverage import EMPTY, Coverage
from manyhands.pilot.signals import Upload


@dataclass(slots=True)
class StoredObject:
    """An object as it lies in the store (many are made, and frozen ones cost three times as much).
    `torn`: not whole, so its digest is not its name's."""

    campaign: int
    coverage: Coverage
    value: int
    digest: str
    born_us: int
    torn: bool = False


class StoreObserver(Protocol):
    """Who is told what happens in the store."""

    def stored(self, name: str, thing: StoredObject) -> None:
        """There is a new object."""

    def deleted(self, name: str) -> None:
        """There is one less."""


class Store:
    """Objects by name, and where each that ever was came from."""

    __slots__ = ("_observer", "objects", "origins")

    def __init__(self, observer: StoreObserver | None = None) -> None:
        self._observer = observer
        self.objects: dict[str, StoredObject] = {}
        self.origins: dict[str, Upload] = {}

    def put(self, name: str, thing: StoredObject, origin: Upload | None = None) -> None:
        """Store an object under a name that was never used."""
        assert name not in self.objects, f"object {name} is stored twice"
        self.objects[name] = thing
        if origin is not None:
            self.origins[name] = origin
        if self._observer is not None:
            self._observer.stored(name, thing)

    def delete(self, name: str) -> bool:
        """Delete an object; whether there was one."""
        if self.objects.pop(name, None) is None:
            return False
        if self._observer is not None:
            self._observer.deleted(name)
        return True

    def union(self, names: tuple[str, ...]) -> tuple[Coverage, int]:
        """Some of its objects together: coverage and value; Overlap if they share a sample."""
        coverage, value = EMPTY, 0
        for name in names:
            thing = self.objects[name]
            coverage |= thing.coverage
            value += thing.value
        return coverage, value & (1 << 64) - 1
