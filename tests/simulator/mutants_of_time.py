"""Planted bugs in time, messages and restarts: leases, incarnations, snapshots."""

from __future__ import annotations

from manyhands.control.alarms import PILOT
from manyhands.control.life_cycles import Row
from manyhands.control.records import PilotRecord, PilotState, TaskRecord, TaskState, Turn
from manyhands.control.stopping import US_PER_S
from manyhands.control.tasks import Tasks
from manyhands.model.commands import Command, Reply, WakeAt
from manyhands.model.events import Event, MessageReceived
from manyhands.model.facts import PilotRegistered
from tests.simulator.broken import Broken


class ForgetsClaims(Broken):
    """Drops all claims at a restart."""

    def _restart(self, turn: Turn) -> None:
        super()._restart(turn)
        for pilot in self.state.pilots.values():
            self._merging.drop_claims(pilot)


class ForgetsHoldings(Broken):
    """Takes all leased blocks for free ones at a restart."""

    def _restart(self, turn: Turn) -> None:
        super()._restart(turn)
        for record in self.state.campaigns.values():
            if record.blocks is not None:
                for task in record.blocks.holdings:
                    record.blocks.abandon(task)


class ForgetsTasks(Broken):
    """Takes all tasks for lost at a restart."""

    def _restart(self, turn: Turn) -> None:
        super()._restart(turn)
        for task in self.state.tasks.values():
            self._tasks.lose(task, turn)


class ForgetsAlarms(Broken):
    """Looks at no pilot after a restart: who has died is never lost."""

    def _restart(self, turn: Turn) -> None:
        super()._restart(turn)
        heap = self.state.alarms.heap
        heap[:] = [one for one in heap if one[1] != PILOT]


class KeepsOldLeases(Broken):
    """Lets leases run on while the master is away."""

    def _restart(self, turn: Turn) -> None:
        rearmed_us = self.state.rearmed_us
        super()._restart(turn)
        self.state.rearmed_us = rearmed_us


class ForgetsWake(Broken):
    """Waits after a restart for a tick that nobody knows of any more."""

    def _restart(self, turn: Turn) -> None:
        wake_us = self.state.alarms.wake_us
        super()._restart(turn)
        self.state.alarms.wake_us = wake_us


class AnswersRepeats(Broken):
    """Decides on a repeated message again: a second task for the same slot."""

    def _message(self, message: MessageReceived, turn: Turn) -> None:
        pilot = self.state.pilots.get(message.pilot)
        if pilot is not None and pilot.incarnation == message.incarnation:
            if pilot.number == message.number:
                pilot.number -= 1
        super()._message(message, turn)


class AnswersEmptily(Broken):
    """Keeps no reply: a repeated message gets an empty one."""

    def _answer(self, pilot: PilotRecord, message: MessageReceived, turn: Turn) -> None:
        super()._answer(pilot, message, turn)
        assert pilot.reply is not None
        report_s = pilot.reply.report_in_s
        pilot.reply = Reply(message.pilot, message.incarnation, message.number, (), report_s)


class AnswersLate(Broken):
    """Takes a message that was overtaken by a later one for the next."""

    def _message(self, message: MessageReceived, turn: Turn) -> None:
        pilot = self.state.pilots.get(message.pilot)
        if pilot is not None and pilot.incarnation == message.incarnation:
            if message.number < pilot.number:
                pilot.number = message.number - 1
        super()._message(message, turn)


class IgnoresIncarnation(Broken):
    """Answers a process that its successor has replaced as if it were the pilot."""

    def _message(self, message: MessageReceived, turn: Turn) -> None:
        pilot = self.state.pilots.get(message.pilot)
        if pilot is None or pilot.state is PilotState.REMOVED:
            super()._message(message, turn)
        elif message.incarnation < pilot.incarnation and message.number > pilot.number:
            self._answer(pilot, message, turn)
        else:
            super()._message(message, turn)


class InheritsTasks(Broken):
    """Lets a new incarnation have its predecessor's tasks."""

    def _message_of_new(
        self, pilot: PilotRecord | None, message: MessageReceived, turn: Turn
    ) -> None:
        first = message.facts[0] if message.facts else None
        if pilot is None or type(first) is not PilotRegistered:
            super()._message_of_new(pilot, message, turn)
            return
        self.trail.row(Row.REPLACED)
        self._answer(self._pilots.register(message, first, turn), message, turn)


class LetsTimeGoBack(Broken):
    """Follows the clock backwards."""

    def handle(self, now_s: float, event: Event) -> list[Command]:
        self.state.now_us = min(self.state.now_us, round(now_s * US_PER_S))
        return super().handle(now_s, event)


class RecomputesAggregate(Broken):
    """Sums up the running count again at a restore, in floating point."""

    def restored(self) -> None:
        for record in self.state.campaigns.values():
            record.count.level = int(float(record.count.level))


class SortsKeys(Broken):
    """Has its dictionaries sorted by a snapshot, and merges the first ones first."""

    def restored(self) -> None:
        for record in self.state.campaigns.values():
            shelf = record.shelf
            shelf.settled = dict(sorted(shelf.settled.items()))
            shelf.open = dict(sorted(shelf.open.items()))


class ForgetsNames(Broken):
    """Leaves the names of deleted objects out of its snapshots."""

    def restored(self) -> None:
        self.state.given_up.clear()


class KeepsClaimsOfGone(Broken):
    """Lets the claims of a pilot that has left last as long as their lease."""

    def _drop_work(self, pilot: PilotRecord, turn: Turn) -> None:
        claims = list(pilot.claims)
        pilot.claims.clear()
        super()._drop_work(pilot, turn)
        pilot.claims.extend(claims)


class _PatientTasks(Tasks):
    def set_aside(self, task: TaskRecord) -> None:
        counted = task.counted
        super().set_aside(task)
        if counted:
            self._state.campaigns[task.campaign].count.add(task)


class CountsOnOverdue(Broken):
    """Counts on a pilot whose report is late."""

    tasks_type = _PatientTasks


class _ColdTasks(Tasks):
    def count_again(self, task: TaskRecord) -> None:
        """Never mind."""


class NeverCountsAgain(Broken):
    """Does not count on a pilot again that was late and has spoken."""

    tasks_type = _ColdTasks


class _RevivingTasks(Tasks):
    def lose(self, task: TaskRecord, turn: Turn) -> None:
        if task.state is TaskState.RUNNING:
            super().lose(task, turn)


class KeepsEndingTasks(Broken):
    """Does not give up a lost task that was told to end."""

    tasks_type = _RevivingTasks


class AsksForNoTick(Broken):
    """Never asks to be woken."""

    def handle(self, now_s: float, event: Event) -> list[Command]:
        return [one for one in super().handle(now_s, event) if type(one) is not WakeAt]
