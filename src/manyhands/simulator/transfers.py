"""Moving results to and from the simulated store, in the background of a pilot's work.

An upload takes the pilot's uniform time; the object is there at its end. A merge fetches its inputs
side by side, then stores their union. While the pilot is cut off, nothing ends: it tries again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import Protocol

from manyhands.model.coverage import Coverage, Overlap
from manyhands.model.facts import PartialStored
from manyhands.model.failures import FailureCause
from manyhands.model.orders import MergePartials
from manyhands.pilot.signals import MergeEnded, Upload, UploadEnded
from manyhands.simulator import toy
from manyhands.simulator.clock import SECOND
from manyhands.simulator.faults import Fault
from manyhands.simulator.physics import Physics
from manyhands.simulator.scenario import PilotPlan
from manyhands.simulator.store import Store, StoredObject


class Carrier(Protocol):
    """The process whose transfers they are."""

    plan: PilotPlan
    incarnation: int
    alive: bool
    cut_off: bool

    def uploaded(self, action: Upload, ended: UploadEnded) -> None:
        """An upload is over."""

    def tell(self, signal: MergeEnded) -> None:
        """A merge is over."""


_Uploading = tuple[Carrier, int, Upload, int]  # … of which campaign, what, since when


@dataclass(slots=True)
class _Merging:
    carrier: Carrier
    order: MergePartials
    coverage: Coverage | None = None
    value: int = 0


class Transfers:
    """All transfers of one world."""

    __slots__ = ("_outputs", "physics", "store")

    def __init__(self, physics: Physics, store: Store) -> None:
        self.physics = physics
        self.store = store
        self._outputs = count(1)

    def upload(self, carrier: Carrier, campaign: int, action: Upload) -> None:
        """Begin to store a run's result."""
        now_us = self.physics.alarms.now_us
        takes_us = self.physics.between_us(carrier.plan.upload_s)
        uploading = (carrier, campaign, action, now_us)
        self.physics.alarms.push(now_us + takes_us, self._uploaded, uploading)

    def store_otherwise(self, campaign: int, fact: PartialStored) -> PartialStored:
        """Store the same samples once more, in other bytes (of another day's compression, say)."""
        first = self.store.origins[fact.name]
        number = toy.value(self.physics.toys[campaign].seed, fact.coverage)
        digest = toy.digest(number, "otherwise")
        name = f"{first.name}/{next(self._outputs)}/{digest}"
        now_us = self.physics.alarms.now_us
        self.store.put(name, StoredObject(campaign, fact.coverage, number, digest, now_us), first)
        return replace(fact, name=name, digest=digest)

    def merge(self, carrier: Carrier, order: MergePartials) -> None:
        """Begin to fetch the inputs of a merge."""
        takes = [self.physics.between_us(carrier.plan.upload_s) for _ in order.inputs]
        fetched_us = self.physics.alarms.now_us + max(takes, default=0)
        self.physics.alarms.push(fetched_us, self._fetched, _Merging(carrier, order))

    def _uploaded(self, uploading: _Uploading) -> None:
        carrier, campaign, action, begun_us = uploading
        if not self._connected(carrier, self._uploaded, uploading):
            return
        application = self.physics.toys[campaign]
        number = toy.value(application.seed, action.coverage)
        digest = application.digest(number, carrier.plan.numeric_class)
        name = f"{action.name}/{digest}"
        now_us = self.physics.alarms.now_us
        cause = self._failure()
        if cause is not FailureCause.UPLOAD_FAILED:
            torn = cause is not None
            thing = StoredObject(campaign, action.coverage, number, digest, now_us, torn)
            self.store.put(name, thing, action)
        sums = application.sums(action.coverage) if cause is None else ()
        takes_us = now_us - begun_us
        carrier.uploaded(action, UploadEnded(action.task, name, digest, sums, takes_us, cause))

    def _failure(self) -> FailureCause | None:
        """Whether the store fails to take an object, and how."""
        physics = self.physics
        plan = physics.store_plan
        if plan.reliable:
            return None
        if plan.objects_max is not None and len(self.store.objects) >= plan.objects_max:
            if physics.faulty:
                physics.met(Fault.STORE_FULL)
                return FailureCause.UPLOAD_FAILED
        if physics.strikes(plan.fail_p, Fault.UPLOAD_FAILED):
            return FailureCause.UPLOAD_FAILED
        if physics.strikes(plan.torn_p, Fault.OBJECT_TORN):
            return FailureCause.OBJECT_TORN
        return None

    def _fetched(self, merging: _Merging) -> None:
        carrier, order = merging.carrier, merging.order
        if not self._connected(carrier, self._fetched, merging):
            return
        if self.physics.strikes(self.physics.store_plan.fetch_fail_p, Fault.DOWNLOAD_FAILED):
            name = self._unread(order)
            carrier.tell(MergeEnded(order.claim, "", "", FailureCause.DOWNLOAD_FAILED, name))
            return
        for one in order.inputs:
            thing = self.store.objects.get(one.name)
            if thing is None or thing.torn or thing.digest != one.digest:
                missing = thing is None
                cause = FailureCause.DOWNLOAD_FAILED if missing else FailureCause.OBJECT_TORN
                carrier.tell(MergeEnded(order.claim, "", "", cause, one.name))
                return
        try:
            names = tuple(one.name for one in order.inputs)
            merging.coverage, merging.value = self.store.union(names)
        except Overlap:
            carrier.tell(MergeEnded(order.claim, "", "", FailureCause.MERGE_REFUSED))
            return
        stored_us = self.physics.alarms.now_us + self.physics.between_us(carrier.plan.upload_s)
        self.physics.alarms.push(stored_us, self._merged, merging)

    def _unread(self, order: MergePartials) -> str | None:
        """Which input nobody can read any more, if it is that, and not the line."""
        name = order.inputs[-1].name
        thing = self.store.objects.get(name)
        rotten_p = self.physics.store_plan.rotten_p
        if thing is None or not self.physics.strikes(rotten_p, Fault.OBJECT_ROTTEN):
            return None
        thing.torn = True
        return name

    def _merged(self, merging: _Merging) -> None:
        carrier, order = merging.carrier, merging.order
        if not self._connected(carrier, self._merged, merging):
            return
        assert merging.coverage is not None
        if self.physics.strikes(self.physics.store_plan.misnamed_p, Fault.OUTPUT_MISNAMED):
            wrong = order.inputs[0]
            carrier.tell(MergeEnded(order.claim, wrong.name, wrong.digest))
            return
        application = self.physics.toys[order.campaign]
        digest = application.digest(merging.value, carrier.plan.numeric_class)
        cause = self._failure()
        who = f"{carrier.plan.pilot}.{carrier.incarnation}"
        name = f"{order.campaign}/merged/{order.claim}/{who}/{next(self._outputs)}/{digest}"
        if cause is not FailureCause.UPLOAD_FAILED:
            now_us, torn = self.physics.alarms.now_us, cause is not None
            self.store.put(
                name,
                StoredObject(order.campaign, merging.coverage, merging.value, digest, now_us, torn),
            )
        carrier.tell(MergeEnded(order.claim, name, digest, cause))

    def _connected(self, carrier: Carrier, again: object, transfer: _Uploading | _Merging) -> bool:
        """Whether a transfer can end now; if its pilot is cut off, it will be tried again."""
        if not carrier.alive:
            return False
        if not carrier.cut_off:
            return True
        wait_us = max(self.physics.between_us(carrier.plan.upload_s), SECOND)
        assert callable(again)
        self.physics.alarms.push(self.physics.alarms.now_us + wait_us, again, transfer)
        return False
