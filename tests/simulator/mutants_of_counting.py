"""Planted bugs in what counts: partials, seals, sums, objects."""

from __future__ import annotations

from dataclasses import replace

from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.ledger import Ledger
from manyhands.control.life_cycles import Row
from manyhands.control.records import (
    PartialRecord,
    PilotRecord,
    PilotState,
    TaskRecord,
    TaskState,
    Turn,
)
from manyhands.control.tasks import ACTIVE, Tasks
from manyhands.model.campaign import Stage
from manyhands.model.commands import DeleteObject
from manyhands.model.facts import PartialStored
from manyhands.model.failures import Refusal
from tests.simulator.broken import Broken


class _CountingTasks(Tasks):
    def lose(self, task: TaskRecord, turn: Turn) -> None:
        if task.state in ACTIVE:
            record = self._state.campaigns[task.campaign]
            record.stored += max(task.position - task.accepted, 0)
        super().lose(task, turn)


class CountsUnstored(Broken):
    """Counts the samples of a lost task that it never stored."""

    tasks_type = _CountingTasks


class _ForecastingTasks(Tasks):
    def lose(self, task: TaskRecord, turn: Turn) -> None:
        counts = task.state in ACTIVE
        super().lose(task, turn)
        if counts:
            record = self._state.campaigns[task.campaign]
            record.count.settled += max(task.position - task.accepted, 0)


class ForecastsUnstored(Broken):
    """Counts on the unstored samples of a lost task in its forecasts only."""

    tasks_type = _ForecastingTasks


class _OverlappingLedger(Ledger):
    def _judge_coverage(
        self,
        pilot: PilotRecord,
        campaign: CampaignRecord,
        task: TaskRecord,
        fact: PartialStored,
        turn: Turn,
    ) -> CampaignRecord | None:
        blocks = campaign.blocks
        if blocks is None:
            return super()._judge_coverage(pilot, campaign, task, fact, turn)
        opened = self._state.partials[task.open_name] if task.open_name else None
        fresh = fact.coverage if opened is None else fact.coverage - opened.coverage
        before = blocks.accepted.intervals()
        for span in fresh.spans:
            blocks.accepted.remove(span.start, span.end)
        found = super()._judge_coverage(pilot, campaign, task, fact, turn)
        for start, end in before:
            blocks.accepted.add_missing(start, end)
        return found


class AcceptsOverlap(Broken):
    """Accepts a partial that holds blocks accepted before (exact mode)."""

    ledger_type = _OverlappingLedger


class _AnywhereLedger(Ledger):
    def _judge_coverage(
        self,
        pilot: PilotRecord,
        campaign: CampaignRecord,
        task: TaskRecord,
        fact: PartialStored,
        turn: Turn,
    ) -> CampaignRecord | None:
        if campaign.blocks is None and fact.start < task.seal and fact.end > task.accepted:
            task.seal = fact.start
        return super()._judge_coverage(pilot, campaign, task, fact, turn)


class AcceptsAnyStart(Broken):
    """Accepts a partial that starts before its task's seal."""

    ledger_type = _AnywhereLedger


class _ForgetfulLedger(Ledger):
    def collect(self, name: str, turn: Turn) -> None:
        if name in self._state.partials:
            super().collect(name, turn)
            return
        self._trail.row(Row.OBJECT_COLLECTED)
        self._state.deleting[name] = True
        turn.commands.append(DeleteObject(name))


class CollectsWithoutFact(Broken):
    """Deletes garbage without remembering its name: it may be accepted later."""

    ledger_type = _ForgetfulLedger


class _CarelessLedger(Ledger):
    def _refuse(
        self,
        task: TaskRecord | None,
        fact: PartialStored,
        cause: Refusal,
        row: Row,
        turn: Turn,
    ) -> CampaignRecord | None:
        if task is not None and task.open_name:
            turn.commands.append(DeleteObject(task.open_name))
        return super()._refuse(task, fact, cause, row, turn)


class DeletesBeforeReplaced(Broken):
    """Deletes a checkpoint when the next one is offered, though that was not accepted."""

    ledger_type = _CarelessLedger


class _DistrustfulLedger(Ledger):
    def judge(self, pilot: PilotRecord, fact: PartialStored, turn: Turn) -> CampaignRecord | None:
        task = self._state.tasks.get(fact.task)
        if task is not None and task.state is TaskState.LOST:
            return self._refuse(task, fact, Refusal.ELSEWHERE, Row.PARTIAL_ELSEWHERE, turn)
        return super().judge(pilot, fact, turn)


class RefusesReturned(Broken):
    """Refuses the good partial of a pilot that was lost and has returned."""

    ledger_type = _DistrustfulLedger


class _UnsealedLedger(Ledger):
    def _accept(
        self,
        campaign: CampaignRecord,
        task: TaskRecord,
        fact: PartialStored,
        opened: PartialRecord | None,
        turn: Turn,
    ) -> None:
        super()._accept(campaign, task, replace(fact, final=False), opened, turn)


class LeavesFinalOpen(Broken):
    """Does not move the seal behind a final partial."""

    ledger_type = _UnsealedLedger


class _AddingLedger(Ledger):
    def _add_sums(self, campaign: CampaignRecord, partial: PartialRecord, sign: int) -> None:
        if sign > 0:
            super()._add_sums(campaign, partial, sign)


class KeepsSupersededSums(Broken):
    """Does not take out the sums of a checkpoint that is replaced."""

    ledger_type = _AddingLedger


class _OpenEndedLedger(Ledger):
    STAGE = Stage.CLOSED

    def judge(self, pilot: PilotRecord, fact: PartialStored, turn: Turn) -> CampaignRecord | None:
        task = self._state.tasks.get(fact.task)
        campaign = None if task is None else self._state.campaigns[task.campaign]
        if campaign is None or campaign.stage is not self.STAGE:
            return super().judge(pilot, fact, turn)
        campaign.stage = Stage.OPEN
        found = super().judge(pilot, fact, turn)
        campaign.stage = self.STAGE
        return found


class _UncancelledLedger(_OpenEndedLedger):
    STAGE = Stage.CANCELLED


class CountsAfterClose(Broken):
    """Counts a partial that comes while a closed campaign is merged."""

    ledger_type = _OpenEndedLedger


class CountsAfterCancel(Broken):
    """Counts a partial of a campaign that was cancelled."""

    ledger_type = _UncancelledLedger


class _TrustfulLedger(Ledger):
    def judge(self, pilot: PilotRecord, fact: PartialStored, turn: Turn) -> CampaignRecord | None:
        state = pilot.state
        if state is PilotState.REMOVED:
            pilot.state = PilotState.GONE
        found = super().judge(pilot, fact, turn)
        pilot.state = state
        return found


class CountsRemoved(Broken):
    """Counts what a removed pilot brings."""

    ledger_type = _TrustfulLedger


class _DenyingLedger(Ledger):
    def retire(self, partial: PartialRecord, happening: str, turn: Turn) -> None:
        super().retire(partial, happening, turn)
        self._state.given_up[partial.name] = False


class DeniesSuperseded(Broken):
    """Forgets that a partial was accepted once something else holds its samples."""

    ledger_type = _DenyingLedger


class _CopyingLedger(Ledger):
    def _judge_coverage(
        self,
        pilot: PilotRecord,
        campaign: CampaignRecord,
        task: TaskRecord,
        fact: PartialStored,
        turn: Turn,
    ) -> CampaignRecord | None:
        blocks = campaign.blocks
        copied = [] if blocks is None else blocks.copied.intervals()
        found = super()._judge_coverage(pilot, campaign, task, fact, turn)
        if found is not None and blocks is not None:
            for start, end in copied:
                blocks.copied.add_missing(start, end)
        return found


class KeepsCopies(Broken):
    """Takes accepted blocks for blocks that two tasks hold."""

    ledger_type = _CopyingLedger


class _HoardingLedger(Ledger):
    def _judge_coverage(
        self,
        pilot: PilotRecord,
        campaign: CampaignRecord,
        task: TaskRecord,
        fact: PartialStored,
        turn: Turn,
    ) -> CampaignRecord | None:
        blocks = campaign.blocks
        found = super()._judge_coverage(pilot, campaign, task, fact, turn)
        if found is None and blocks is not None:
            for span in fact.coverage.spans:
                blocks.free.remove(span.start, span.end)
        return found


class KeepsRefusedBlocks(Broken):
    """Does not free the good blocks of a partial that was refused for the others."""

    ledger_type = _HoardingLedger


class _OnceOnlyLedger(Ledger):
    def delete_again(self, turn: Turn) -> None:
        self._state.deleting.clear()


class DeletesOnce(Broken):
    """Does not order deletions again after a restart."""

    ledger_type = _OnceOnlyLedger


class _UnforgivingLedger(Ledger):
    def _accept(
        self,
        campaign: CampaignRecord,
        task: TaskRecord,
        fact: PartialStored,
        opened: PartialRecord | None,
        turn: Turn,
    ) -> None:
        failures = campaign.failures_in_a_row
        super()._accept(campaign, task, fact, opened, turn)
        campaign.failures_in_a_row = failures


class RemembersFailures(Broken):
    """Counts failed tasks in a row though others store their results between."""

    ledger_type = _UnforgivingLedger
