"""What must hold after every event of a simulated world, whatever befalls it.

The checker watches a world and compares what the deciding code orders with what its own shadow
says. Each check costs what the event touches; the whole state is compared (`full_check`) at ten
random events and at the end.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from manyhands.control.controller import Controller
from manyhands.control.records import ClaimState, PilotState
from manyhands.model.campaign import Stage
from manyhands.model.commands import AnnounceStage, Command, DeleteObject, Reply, WakeAt
from manyhands.model.events import (
    CampaignSubmitted,
    Event,
    MasterRestarted,
    MessageReceived,
    ObjectCollected,
    PilotExited,
    PilotRemoved,
)
from manyhands.model.facts import MergeStored, PartialStored, PilotRegistered
from manyhands.model.failures import Refusal
from manyhands.model.orders import (
    Leave,
    MergeVerdict,
    Order,
    PartialAccepted,
    PartialRefused,
    RegisterAgain,
    Stale,
    StartTask,
)
from manyhands.simulator.closing_check import StagesCheck, deadline_us
from manyhands.simulator.deciders import Master
from manyhands.simulator.final_check import check_end
from manyhands.simulator.full_check import check_all
from manyhands.simulator.judging_check import JudgingCheck
from manyhands.simulator.objects_check import ObjectsCheck
from manyhands.simulator.orders_check import FACTS, ORDERS, OrdersCheck
from manyhands.simulator.scenario import Scenario
from manyhands.simulator.shadow import CampaignShadow, PilotShadow, Shadow, Violation, require
from manyhands.simulator.store import StoredObject
from manyhands.simulator.world import World

FULL_CHECKS = 10
EVENTS_MAX = 500_000  # ten times as many as any world needs that comes to its end
VERDICTS = (PartialAccepted, PartialRefused, MergeVerdict)
SILENT = "pilot: overdue, silent"
RETURNED = "pilot: lost, heard"


class Invariants:
    """An observer of one world; it raises `Violation` at the first broken promise."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.limits = scenario.limits
        self.shadow = Shadow()
        self.orders = OrdersCheck(self.shadow, scenario.limits)
        self.events = 0
        self.now_us = 0
        self.rearmed_us = 0
        self._wake_us = 0  # the tick that was asked for last
        self._objects = ObjectsCheck(self.shadow)
        self._judging = JudgingCheck(self.shadow)
        self._stages = StagesCheck(self.shadow, scenario.limits)
        self.stages = self._stages.stages
        self.closed_us = self._stages.closed_us
        self.stored_at_end_of_faults: dict[int, int] | None = None
        self._draws = random.Random(scenario.seed)
        events = 2.0 * len(scenario.pilots) * 30
        self._full_p = FULL_CHECKS / events
        self._full_left = FULL_CHECKS
        self.commands: list[list[Command]] = []
        self._controller: Controller | None = None
        self._rows: Counter[str] = Counter()  # of masters that are no more
        self._silent = self._returned = 0  # what the trail counted so far

    # ---- what the world says -------------------------------------------------------------

    def stored(self, name: str, thing: StoredObject) -> None:
        """The store has a new object."""
        self._objects.stored(name)
        self._judging.stored(name, thing)

    def deleted(self, name: str) -> None:
        """The store has one object less."""
        self._objects.deleted(name)

    def started(self, pilot: int, order: StartTask) -> None:
        """A pilot began to work on a task."""
        task = self.shadow.tasks.get(order.task)
        right = task is not None and task.pilot == pilot
        require(right, "a task is its pilot's alone", pilot, order)

    def event(
        self, now_s: float, event: Event, commands: list[Command], controller: Master
    ) -> None:
        """An event was handled."""
        assert isinstance(controller, Controller)
        self.commands.append(commands)
        self._time(now_s, controller)
        lost_sender = self._losses(event, controller)
        self._claims(event, controller)
        if type(event) is MessageReceived:
            self._message(event, commands, controller, lost_sender)
        else:
            self._other(event)
        self._judging.event(event, commands, controller)
        self._rest(event, commands, controller)
        self.events += 1
        require(self.events < EVENTS_MAX, "it ends in bounded time", self.events, "events")
        if self._full_left and self._draws.random() < self._full_p:
            self._full_left -= 1
            check_all(self.shadow, controller)

    def ended(self, world: World) -> None:
        """That was all."""
        controller = world.master.controller
        assert isinstance(controller, Controller)
        if self._controller is None:
            return
        if not world.master.away:
            check_all(self.shadow, controller)
        check_end(self.shadow, world, self.stages)

    def rows(self) -> Counter[str]:
        """How often each row and transition was taken, in all the master's lives."""
        total = Counter(self._rows)
        if self._controller is not None:
            total.update(self._controller.trail.rows)
        return total

    # ---- time ----------------------------------------------------------------------------

    def _time(self, now_s: float, controller: Controller) -> None:
        now_us = controller.state.now_us
        require(now_us >= self.now_us, "time never goes back", now_us, "after", self.now_us)
        right = max(round(now_s * 1e6), self.now_us)
        require(now_us == right, "time is the clock's", now_us, right)
        self.now_us = now_us
        if self.stored_at_end_of_faults is None and now_s >= self.scenario.faults_end_s:
            self.stored_at_end_of_faults = {
                number: one.stored for number, one in self.shadow.campaigns.items()
            }

    def _losses(self, event: Event, controller: Controller) -> bool:
        """Who was given up now; True if it was who sent this very message."""
        if type(event) is MasterRestarted:
            self.rearmed_us = self.now_us
            self._wake_us = 0  # nobody knows any more of what was asked for
        rows = controller.trail.rows
        silent, returned = rows.get(SILENT, 0), rows.get(RETURNED, 0)
        new = controller is not self._controller
        if new and self._controller is not None:
            self._rows.update(self._controller.trail.rows)
        changed, heard = silent != self._silent, returned != self._returned
        self._controller, self._silent, self._returned = controller, silent, returned
        if not changed:
            return False
        states = controller.state.pilots
        for number, pilot in self.shadow.pilots.items():
            if states[number].state is PilotState.LOST and not pilot.lost:
                self._lose(pilot, number)
        if type(event) is not MessageReceived or not heard or new:
            return False
        sender = self.shadow.pilots.get(event.pilot)
        if sender is not None and not sender.lost:
            self._lose(sender, event.pilot)
            return True
        return False

    def _lose(self, pilot: PilotShadow, number: int) -> None:
        report_s = 0.0 if pilot.reply is None else pilot.reply.report_in_s
        lease_s = max(self.limits.silence_periods * report_s, self.limits.silence_s_min)
        silent_us = self.now_us - max(pilot.heard_us, self.rearmed_us)
        require(silent_us + 1 >= lease_s * 1e6, "a lease is kept", "pilot", number, silent_us)
        pilot.lost = True
        self.shadow.drop_pilot(pilot, lost=True)

    def _claims(self, event: Event, controller: Controller) -> None:
        """Claims that the core gave up by itself: only when their lease was over."""
        for number in self.orders.claims_active():
            claim = self.shadow.claims[number]
            if controller.state.claims[number].state is not ClaimState.EXPIRED:
                continue
            pilot = self.shadow.pilots[claim.pilot]
            lease_s = max(
                self.shadow.campaigns[claim.campaign].campaign.merging.lease_s,
                self.limits.claim_s_min,
            )
            since_us = max(pilot.heard_us, claim.granted_us, self.rearmed_us)
            if self.now_us - since_us + 1 >= lease_s * 1e6:  # the core's are whole microseconds
                self.shadow.end_claim(claim)
            else:
                self.orders.must_end[number] = None  # because of this event, or without a reason

    # ---- messages ------------------------------------------------------------------------

    def _message(
        self,
        message: MessageReceived,
        commands: list[Command],
        controller: Controller,
        lost_sender: bool,
    ) -> None:
        replies = [one for one in commands if type(one) is Reply]
        require(len(replies) == 1, "a message has one reply", message, replies)
        reply = replies[0]
        same = (reply.pilot, reply.incarnation, reply.number)
        require(
            same == (message.pilot, message.incarnation, message.number),
            "the reply is the message's",
            reply,
        )
        pilot = self.shadow.pilots.get(message.pilot)
        closing = self._closing(commands)
        if pilot is not None and pilot.removed:
            self._facts(message, reply, closing, judged_only=True)
            allowed = (*VERDICTS, Leave)
            require(_only(reply, allowed), "removed for ever", reply)
            require(any(type(one) is Leave for one in reply.orders), "removed for ever", reply)
        elif pilot is None or message.incarnation > pilot.incarnation:
            if not message.facts or type(message.facts[0]) is not PilotRegistered:
                require(_only(reply, (RegisterAgain,)), "who are you", reply)
                return
            self._register(message, message.facts[0])
            self._answered(message, reply, closing, controller)
        elif message.incarnation < pilot.incarnation or message.number < pilot.number:
            self._facts(message, reply, closing, judged_only=True)
            require(_only(reply, (*VERDICTS, Stale)), "orders to the last one only", reply)
        elif message.number == pilot.number:
            require(reply == pilot.reply, "a repeat has the same reply", reply, pilot.reply)
        else:
            self._answered(message, reply, closing, controller)

    def _register(self, message: MessageReceived, fact: PilotRegistered) -> None:
        before = self.shadow.pilots.get(message.pilot)
        slots = min(fact.slots, self.limits.slots_per_pilot_max)
        now = self.shadow.pilots[message.pilot] = PilotShadow(message.incarnation, slots)
        if before is not None:
            self.shadow.drop_pilot(before, lost=False)
            now.classes = before.classes

    def _answered(
        self,
        message: MessageReceived,
        reply: Reply,
        closing: dict[int, None],
        controller: Controller,
    ) -> None:
        pilot = self.shadow.pilots[message.pilot]
        pilot.heard_us = self.now_us
        pilot.gone = pilot.lost = False
        self._facts(message, reply, closing, judged_only=False)
        for order in reply.orders:
            check = ORDERS.get(type(order))
            if check is not None:
                check(self.orders, self.now_us, message.pilot, pilot, order)
        self.orders.shared_blocks(controller)
        busy = len(pilot.tasks) + len(pilot.claims) + pilot.proving
        require(busy <= pilot.slots, "no more than its slots", message.pilot, busy, pilot.slots)
        pilot.number = message.number
        pilot.reply = reply

    def _facts(
        self, message: MessageReceived, reply: Reply, closing: dict[int, None], judged_only: bool
    ) -> None:
        """Go through the facts in their order, each with its verdict if it has one."""
        verdicts = iter([one for one in reply.orders if type(one) in VERDICTS])
        for fact in message.facts:
            if isinstance(fact, PartialStored):
                self._partial(message.pilot, fact, _next(verdicts, fact), closing)
            elif isinstance(fact, MergeStored):
                self.orders.merge_stored(message.pilot, fact, _next(verdicts, fact))
            elif not judged_only and (check := FACTS.get(type(fact))) is not None:
                check(self.orders, message.pilot, fact)
        surplus = next(verdicts, None)
        require(surplus is None, "a verdict is for what was said", surplus)

    def _partial(
        self, pilot: int, fact: PartialStored, order: Order, closing: dict[int, None]
    ) -> None:
        shadow = self.shadow
        expected, base = shadow.verdict(pilot, fact)
        found = order.cause if isinstance(order, PartialRefused) else None
        if found is Refusal.CLOSED and expected is not Refusal.CLOSED:
            number = shadow.tasks[fact.task].campaign
            if number in closing:  # by its rule, or because of what came before
                shadow.campaigns[number].ended = True
                expected, base = shadow.verdict(pilot, fact)
        elif found is Refusal.UNKNOWN and expected is not Refusal.UNKNOWN:
            assert self._controller is not None
            number = shadow.tasks[fact.task].campaign
            if shadow.other_class(fact, self._controller.state.campaigns[number].numeric_class):
                expected, base = Refusal.UNKNOWN, shadow.tasks[fact.task].seal
        assert isinstance(order, (PartialAccepted, PartialRefused, MergeVerdict))
        rule = "a partial is judged by its coverage"
        require(not isinstance(order, MergeVerdict), rule, fact, order)
        require(expected is found, rule, fact, "expected", expected, "found", order)
        if isinstance(order, (PartialAccepted, PartialRefused)):
            require((order.name, order.task) == (fact.name, fact.task), rule, fact, order)
            require(order.base == base, "the base is where the seal is", fact, order, base)
        self.orders.touch(fact)
        self._count(fact, expected)

    def _count(self, fact: PartialStored, verdict: Refusal | None) -> None:
        shadow = self.shadow
        known = fact.name in shadow.objects or fact.name in shadow.gone
        if verdict is None and not known:
            require(fact.name in self._objects.in_store, "what is counted is in the store", fact)
            shadow.accept(fact)
            self._stages.grown(shadow.campaigns[shadow.tasks[fact.task].campaign])
            return
        if verdict is Refusal.HAVE:
            self.orders.refuse_blocks(fact)
        elif verdict is Refusal.CLOSED:
            campaign = shadow.campaigns[shadow.tasks[fact.task].campaign]
            campaign.refused += fact.end - fact.start
        if not known:
            shadow.give_up(fact.name, False)

    def _closing(self, commands: list[Command]) -> dict[int, None]:
        return {
            one.campaign: None
            for one in commands
            if type(one) is AnnounceStage and one.stage not in (Stage.OPEN, Stage.DRAINING)
        }

    # ---- everything else -----------------------------------------------------------------

    def _other(self, event: Event) -> None:
        shadow = self.shadow
        match event:
            case CampaignSubmitted(campaign):
                new = CampaignShadow(campaign, deadline_us(campaign))
                shadow.campaigns.setdefault(campaign.campaign, new)
            case PilotExited(number, incarnation):
                pilot = shadow.pilots.get(number)
                if pilot is not None and pilot.incarnation == incarnation and not pilot.removed:
                    if not pilot.gone:
                        shadow.drop_pilot(pilot, lost=False)
                    pilot.gone = True
                    pilot.proving = 0
            case PilotRemoved(number):
                pilot = shadow.pilots.setdefault(number, PilotShadow(0, 0))
                if not pilot.removed:
                    shadow.drop_pilot(pilot, lost=False)
                    pilot.removed = True
            case ObjectCollected(name):
                if name not in shadow.objects:
                    shadow.give_up(name, shadow.gone.get(name, False))

    def _rest(self, event: Event, commands: list[Command], controller: Controller) -> None:
        """Stages, deletions and counts."""
        deleted: dict[str, None] = {}
        closed = []
        for command in commands:
            kind = type(command)
            if kind is DeleteObject:
                assert isinstance(command, DeleteObject)
                deleted[command.name] = None
            elif kind is AnnounceStage:
                assert isinstance(command, AnnounceStage)
                self._stages.announced(command, controller, self.now_us)
                closed.append(command.campaign)
            elif kind is WakeAt:
                assert isinstance(command, WakeAt)
                ahead = command.time_s * 1e6 >= self.now_us - 1
                require(ahead, "time never goes back", command, self.now_us)
                self._wake_us = round(command.time_s * 1e6)
        if deleted or self.shadow.useless:
            self._objects.ordered(deleted, closed)
        if type(event) is MasterRestarted:
            self._objects.ordered_again(deleted)
        self._stages.check_clock(self.now_us)
        heap = controller.state.alarms.heap
        if heap:
            waits = self.now_us < self._wake_us <= heap[0][0] + 1
            require(waits, "who waits is woken", self._wake_us, heap[0])
        for number in self.orders.must_end:
            require(not self.shadow.claims[number].active, "a claim's lease is kept", number)
        self.orders.must_end.clear()
        self.orders.check_counts(controller)


def _only(reply: Reply, kinds: tuple[type, ...]) -> bool:
    return all(type(one) in kinds for one in reply.orders)


def _next(verdicts: Iterator[Order], fact: object) -> Order:
    for order in verdicts:
        return order
    raise Violation("what was stored is judged", str(fact))
