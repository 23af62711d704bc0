"""A controller that can be broken on purpose: any of its machines can be given as another."""

from __future__ import annotations

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
