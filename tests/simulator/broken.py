"""A controller that can be broken on purpose: any of its machines can be given as another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from manyhands.control.campaigns import Campaigns
from manyhands.control.classes import Classes
from manyhands.control.controller import Controller
from manyhands.control.ledger import Ledger
from manyhands.control.merging import Merging
from manyhands.control.pace import Tempo
from manyhands.control.pilots import Pilots
from manyhands.control.snapshot import restore, save
from manyhands.control.tasks import Tasks
from manyhands.model.limits import Limits
from manyhands.simulator.deciders import REAL, Deciders, Master


class Broken(Controller):
    """The real controller, unless a subclass names another machine or overrides a method."""

    ledger_type: ClassVar[type[Ledger]] = Ledger
    merging_type: ClassVar[type[Merging]] = Merging
    campaigns_type: ClassVar[type[Campaigns]] = Campaigns
    classes_type: ClassVar[type[Classes]] = Classes
    tasks_type: ClassVar[type[Tasks]] = Tasks
    pilots_type: ClassVar[type[Pilots]] = Pilots

    def __post_init__(self) -> None:
        limits, state, trail = self.limits, self.state, self.trail
        self._tempo = Tempo(limits)
        self._ledger = self.ledger_type(limits, state, trail)
        self._merging = self.merging_type(limits, state, trail, self._ledger)
        self._campaigns = self.campaigns_type(
            limits, self._tempo, state, trail, self._ledger, self._merging
        )
        self._classes = self.classes_type(state, trail)
        self._tasks = self.tasks_type(limits, state, trail, self._ledger, self._campaigns)
        self._pilots = self.pilots_type(limits, self._tempo, state, trail)

    def restored(self) -> None:
        """Called when this was made from a snapshot; the real one has nothing to do."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One planted bug, and the seeds in which the checker sees it."""

    controller: type[Broken]
    first: int  # of the seeds 0 … 199
    rule: str  # the promise that it breaks there
    seeds: tuple[int, ...]  # cheap ones, to be tried first

    @property
    def name(self) -> str:
        """Its name, as the tests say it."""
        return self.controller.__name__

    @property
    def line(self) -> str:
        """What is wrong with it."""
        return self.controller.__doc__ or ""

    def deciders(self) -> Deciders:
        """What a world needs in order to run it."""
        return deciders(self.controller)


def deciders(controller: type[Broken]) -> Deciders:
    """A world's deciding code, with this controller in the place of the real one."""

    def saved(master: Master) -> bytes:
        return save(master)

    def again(data: bytes) -> Master:
        master = restore(data, controller)
        master.restored()
        return master

    def made(limits: Limits) -> Master:
        return controller(limits)

    return Deciders(made, saved, again, REAL.hand)
