"""Whether every object is kept while it is needed, and deleted when it is not."""

from __future__ import annotations

from collections.abc import Iterable

from manyhands.simulator.shadow import Shadow, require


class ObjectsCheck:
    """What the store holds, and what was ordered to be deleted."""

    def __init__(self, shadow: Shadow) -> None:
        self.in_store: dict[str, None] = {}
        self._ever_stored: dict[str, None] = {}
        self._condemned: dict[str, None] = {}
        self._shadow = shadow

    def stored(self, name: str) -> None:
        """The store has a new object."""
        require(name not in self._ever_stored, "a name is used once", name)
        self.in_store[name] = None
        self._ever_stored[name] = None

    def deleted(self, name: str) -> None:
        """The store has one object less."""
        require(name not in self._shadow.objects, "what is needed is kept", name)
        require(name in self._condemned, "the fact comes before the deletion", name)
        del self.in_store[name]

    def ordered(self, deleted: dict[str, None], closed: Iterable[int]) -> None:
        """An event led to these deletions, and moved on these campaigns."""
        shadow = self._shadow
        for name in deleted:
            thing = shadow.objects.get(name)
            if thing is not None and thing.campaign in closed:
                self._dropped(name)
            require(name not in shadow.objects, "what is needed is kept", name)
            known = name in shadow.useless or name in shadow.gone
            require(known, "only what is useless is deleted", name)
            self._condemned[name] = None
        for name in shadow.useless:
            require(name in deleted, "what is useless is deleted", name)
        shadow.useless.clear()

    def ordered_again(self, deleted: dict[str, None]) -> None:
        """After a restart nobody knows which deletions were done."""
        for name in self._condemned:
            again = name in deleted or name not in self.in_store
            require(again, "deletions are ordered again", name)

    def _dropped(self, name: str) -> None:
        """Exact mode: a campaign has closed, and this lies beyond its last look."""
        thing = self._shadow.objects[name]
        campaign = self._shadow.campaigns[thing.campaign]
        precise = campaign.exact and campaign.campaign.precision is not None
        require(precise, "what is needed is kept", name)
        campaign.stored -= thing.coverage.size
        campaign.refused += thing.coverage.size
        self._shadow.give_up(name, True)
