"""What each order of a reply, and each fact of a message, must keep and changes in the shadow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manyhands.control.controller import Controller
from manyhands.control.records import ClaimState, PilotState
from manyhands.model.campaign import Split, Stage
from manyhands.model.facts import (
    ClassProven,
    LeaseCut,
    MergeFailed,
    MergeStored,
    PartialStored,
    PilotLeft,
    TaskEnded,
    TaskFailed,
    TaskProgressed,
    WorkRequested,
)
from manyhands.model.limits import Limits
from manyhands.model.orders import (
    CutLease,
    ExtendLease,
    MergePartials,
    MergeVerdict,
    Order,
    PartialAccepted,
    PartialRefused,
    ProveClass,
    RegisterAgain,
    SetQuota,
    Stale,
    StartTask,
)
from manyhands.simulator.shadow import (
    CLAIMED,
    OPEN,
    ClaimShadow,
    PilotShadow,
    Shadow,
    TaskShadow,
    bits_of,
    require,
)

WANTING = (Stage.OPEN, Stage.DRAINING)


class OrdersCheck:
    """Facts in their order first, then the orders that answered them."""

    def __init__(self, shadow: Shadow, limits: Limits) -> None:
        self.shadow = shadow
        self.limits = limits
        self.must_end: dict[int, None] = {}  # claims that the core ended, for a reason to be seen
        self._active: dict[int, None] = {}  # claims
        self._shared: list[tuple[TaskShadow, int]] = []
        self._touched: dict[int, None] = {}  # campaigns whose counts may have changed

    def claims_active(self) -> list[int]:
        """The claims that were given and have not ended, as far as the shadow knows."""
        if self._active:
            claims = self.shadow.claims
            self._active = {one: None for one in self._active if claims[one].active}
        return list(self._active)

    def check_counts(self, controller: Controller) -> None:
        """What the core counts is what the shadow counts."""
        for number in self._touched:
            ours, theirs = self.shadow.campaigns[number], controller.state.campaigns[number]
            counts = (ours.stored, ours.refused), (theirs.stored, theirs.refused)
            require(counts[0] == counts[1], "counts shown = counts held", number, *counts)
            closed = theirs.stage not in WANTING
            require(ours.ended == closed, "it closes at the first instant", number, theirs.stage)
        self._touched.clear()
        for number in self.shadow.ended_claims:
            ended = controller.state.claims[number].state is ClaimState.EXPIRED
            require(ended, "who is gone merges nothing", number)
        self.shadow.ended_claims.clear()

    def shared_blocks(self, controller: Controller) -> None:
        """Only blocks of overdue pilots are given to a second task."""
        if not self._shared:
            return
        pilots = controller.state.pilots
        for task, bits in self._shared:
            campaign = self.shadow.campaigns[task.campaign]
            for other in self.shadow.holders(campaign, bits, task):
                late = pilots[other.pilot].state is PilotState.OVERDUE
                require(late, "only confirmed tails are given to others", task.task, other.task)
        self._shared.clear()

    # ---- facts ---------------------------------------------------------------------------

    def touch(self, fact: PartialStored) -> None:
        """A partial was judged."""
        task = self.shadow.tasks.get(fact.task)
        if task is not None:
            self._touched[task.campaign] = None

    def progressed(self, pilot: int, fact: TaskProgressed) -> None:
        """A task said how far it is; one that was lost is there again."""
        task = self.shadow.tasks.get(fact.task)
        if task is not None and task.pilot == pilot and not task.over:
            task.position = fact.position
            task.active = True

    def ended(self, pilot: int, fact: TaskEnded | TaskFailed) -> None:
        """A task is over."""
        task = self.shadow.tasks.get(fact.task)
        if task is not None and task.pilot == pilot:
            if isinstance(fact, TaskFailed) and not task.over:
                campaign = self.shadow.campaigns[task.campaign]
                campaign.failures += 1
                if fact.block is not None:
                    campaign.failed_blocks.setdefault(fact.block, []).append(pilot)
            self.shadow.stop(task, over=True)
            self._touched[task.campaign] = None

    def lease_cut(self, pilot: int, fact: LeaseCut) -> None:
        """Blocks are given back."""
        task = self.shadow.tasks.get(fact.task)
        if task is not None:
            for start, end in fact.blocks:
                self.shadow.release(task, (1 << end) - (1 << start))

    def refuse_blocks(self, fact: PartialStored) -> None:
        """A partial was refused whole: its task does not hold its blocks any more."""
        task = self.shadow.tasks[fact.task]
        bits = bits_of(fact.coverage)
        if task.open:
            bits &= ~bits_of(self.shadow.objects[task.open].coverage)
        self.shadow.release(task, bits)

    def left(self, pilot: int, fact: PilotLeft) -> None:
        """Goodbye."""
        found = self.shadow.pilots[pilot]
        self.shadow.drop_pilot(found, lost=False)
        found.gone = True
        found.proving = 0

    def proven(self, pilot: int, fact: ClassProven) -> None:
        """One slot less computes a block 0."""
        found = self.shadow.pilots[pilot]
        found.proving = max(found.proving - 1, 0)
        found.classes[fact.campaign] = fact.digest

    def requested(self, pilot: int, fact: WorkRequested) -> None:
        """Who asks for more than the slots that are free has no merge at work."""
        found = self.shadow.pilots[pilot]
        free = found.slots - len(found.tasks) - found.proving
        if found.claims and fact.slots > free - len(found.claims):
            for number in list(found.claims):
                self.shadow.end_claim(self.shadow.claims[number])

    def merge_failed(self, pilot: int, fact: MergeFailed) -> None:
        """A merger gave up."""
        claim = self.shadow.claims.get(fact.claim)
        if claim is not None and claim.active and claim.pilot == pilot:
            self.shadow.end_claim(claim)
            self.must_end.pop(claim.claim, None)
            if fact.name is not None:
                unread = self.shadow.campaigns[claim.campaign].unread
                unread.setdefault(fact.name, []).append(pilot)

    def merge_stored(self, pilot: int, fact: MergeStored, order: Order) -> None:
        """A merged object was judged."""
        rule = "a claim's output counts while the claim holds"
        assert isinstance(order, (PartialAccepted, PartialRefused, MergeVerdict))
        require(isinstance(order, MergeVerdict), rule, fact, order)
        assert isinstance(order, MergeVerdict)
        require(order.claim == fact.claim, rule, fact, order)
        shadow = self.shadow
        claim = shadow.claims.get(fact.claim)
        removed = shadow.pilots[pilot].removed
        known = fact.name in shadow.objects or fact.name in shadow.gone
        again = claim is not None and claim.output == fact.name and not removed
        good = claim is not None and claim.active and claim.pilot == pilot and not removed
        if good and known:
            assert claim is not None
            shadow.end_claim(claim)  # its object was collected on the way, or is another's
            good = False
        require((again or good) == (order.refusal is None), rule, fact, order)
        if again:
            return
        if good:
            assert claim is not None
            shadow.merge(claim, fact.name, fact.digest)
            self._touched[claim.campaign] = None
        elif not known:
            shadow.give_up(fact.name, False)

    # ---- orders --------------------------------------------------------------------------

    def start(self, now_us: int, number: int, pilot: PilotShadow, order: StartTask) -> None:
        """A task begins."""
        shadow = self.shadow
        require(order.task not in shadow.tasks, "no task is given twice", order)
        campaign = shadow.campaigns[order.campaign]
        require(not campaign.ended, "no work for what is closed", order)
        task = TaskShadow(order.task, order.campaign, number, order.stream, order.limit)
        shadow.tasks[order.task] = task
        campaign.tasks.append(task)
        pilot.tasks[order.task] = None
        if campaign.exact:
            require(order.stream == -1 and bool(order.leases), "blocks are leased", order)
            self._lease(task, order)
            return
        other = campaign.streams.setdefault(order.stream, order.task)
        require(other == order.task and order.stream >= 0, "a stream has one task", order, other)
        kind = campaign.campaign.splitting.kind
        if kind is not Split.DYNAMIC:
            wanted = campaign.campaign.samples_wanted or 0
            granted = sum(one.kept if one.returned else one.limit or 0 for one in campaign.tasks)
            bound = kind is not Split.EARLY_BINDING
            require(granted <= wanted or not bound, "a share is granted once", order, granted)

    def extend(self, now_us: int, number: int, pilot: PilotShadow, order: ExtendLease) -> None:
        """More blocks."""
        task = self.own(number, order.task)
        require(task.active, "only who is there is given blocks", order)
        self._lease(task, order)

    def _lease(self, task: TaskShadow, order: StartTask | ExtendLease) -> None:
        shared = self.shadow.lease(task, order.leases)
        if shared:
            self._shared.append((task, shared))

    def own(self, pilot: int, number: int) -> TaskShadow:
        """A task of this pilot's own, to which an order goes."""
        task = self.shadow.tasks.get(number)
        right = task is not None and task.pilot == pilot
        require(right, "orders are for one's own tasks", pilot, number)
        assert task is not None
        return task

    def quota(self, now_us: int, number: int, pilot: PilotShadow, order: SetQuota) -> None:
        """A quota, or a cut: for its own task."""
        self.own(number, order.task)

    def cut(self, now_us: int, number: int, pilot: PilotShadow, order: CutLease) -> None:
        """Blocks are asked back; they are still held."""
        self.own(number, order.task)

    def prove(self, now_us: int, number: int, pilot: PilotShadow, order: ProveClass) -> None:
        """A slot computes a block 0."""
        pilot.proving += 1

    def merge(self, now_us: int, number: int, pilot: PilotShadow, order: MergePartials) -> None:
        """Partials are claimed."""
        shadow = self.shadow
        campaign = shadow.campaigns[order.campaign]
        merging = campaign.campaign.merging
        require(order.claim not in shadow.claims, "no claim is given twice", order)
        names = tuple(one.name for one in order.inputs)
        require(2 <= len(names) <= merging.inputs, "no more inputs than allowed", order)
        for one in order.inputs:
            thing = shadow.objects.get(one.name)
            require(thing is not None, "only what counts is merged", order, one)
            assert thing is not None
            require(thing.state != CLAIMED, "claimed by one merger at a time", order, thing)
            require(thing.digest == one.digest, "inputs with their digests", order, thing)
            require(thing.campaign == order.campaign, "only what belongs together", order, thing)
            if thing.state == OPEN:
                shadow.seal(shadow.tasks[thing.task])
            thing.state = CLAIMED
            thing.claim = order.claim
        claim = ClaimShadow(order.claim, order.campaign, number, names, now_us)
        shadow.claims[order.claim] = claim
        self._active[order.claim] = None
        pilot.claims[order.claim] = None
        campaign.claims += 1
        require(campaign.claims <= merging.mergers, "no more mergers than allowed", order)

    def never(self, now_us: int, number: int, pilot: PilotShadow, order: Order) -> None:
        """Not to one that is known."""
        require(False, "a pilot that is known is answered", number, order)


FACTS: dict[type[Any], Callable[[OrdersCheck, int, Any], None]] = {
    TaskProgressed: OrdersCheck.progressed,
    TaskEnded: OrdersCheck.ended,
    TaskFailed: OrdersCheck.ended,
    LeaseCut: OrdersCheck.lease_cut,
    ClassProven: OrdersCheck.proven,
    MergeFailed: OrdersCheck.merge_failed,
    PilotLeft: OrdersCheck.left,
    WorkRequested: OrdersCheck.requested,
}

ORDERS: dict[type[Any], Callable[[OrdersCheck, int, int, PilotShadow, Any], None]] = {
    StartTask: OrdersCheck.start,
    ExtendLease: OrdersCheck.extend,
    SetQuota: OrdersCheck.quota,
    CutLease: OrdersCheck.cut,
    ProveClass: OrdersCheck.prove,
    MergePartials: OrdersCheck.merge,
    RegisterAgain: OrdersCheck.never,
    Stale: OrdersCheck.never,
}
