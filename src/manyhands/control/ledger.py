"""What counts: every stored partial is judged here, by coverage, and by nothing else.

A sample is counted when a partial that holds it is accepted, and once: in free mode a task's
partials start at its seal, in exact mode no block is accepted twice. Objects are deleted only
after the fact that makes them useless, and a name that was given up is never accepted again.
"""

from __future__ import annotations

from manyhands.control.blocks import Blocks
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.judging import is_judged
from manyhands.control.life_cycles import Row, Trail
from manyhands.control.records import (
    PartialRecord,
    PartialState,
    PilotRecord,
    PilotState,
    TaskRecord,
    TaskState,
    Turn,
)
from manyhands.control.state import State
from manyhands.control.stopping import SUMS_MIN
from manyhands.model.campaign import Mode, Stage
from manyhands.model.commands import DeleteObject, ReportIncident
from manyhands.model.coverage import Coverage
from manyhands.model.facts import PartialStored
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.limits import Limits
from manyhands.model.orders import PartialAccepted, PartialRefused

ENDED_STATES = (TaskState.ENDED, TaskState.FAILED, TaskState.LOST)


class Ledger:
    """Judges partials, and keeps the names of all objects."""

    def __init__(self, limits: Limits, state: State, trail: Trail) -> None:
        self._limits = limits
        self._state = state
        self._trail = trail

    def judge(self, pilot: PilotRecord, fact: PartialStored, turn: Turn) -> CampaignRecord | None:
        """Accept or refuse a stored partial; the campaign whose count has grown, if it has."""
        task = self._state.tasks.get(fact.task)
        if pilot.state is PilotState.REMOVED:
            if fact.name not in self._state.partials and fact.name not in self._state.given_up:
                self._incident(FailureCause.PILOT_REMOVED, pilot, fact, turn)
            return self._refuse(task, fact, Refusal.REMOVED, Row.FROM_REMOVED, turn)
        if task is None or not self._may_offer(pilot, task, fact):
            self._incident(FailureCause.PROTOCOL_BROKEN, pilot, fact, turn)
            return self._refuse(task, fact, Refusal.UNKNOWN, Row.PARTIAL_UNKNOWN, turn)
        accepted_before = fact.name in self._state.partials
        if accepted_before or fact.name in self._state.given_up:
            return self._judge_again(task, fact, accepted_before, turn)
        campaign = self._state.campaigns[task.campaign]
        chosen = campaign.numeric_class
        if chosen and pilot.classes.get(task.campaign, chosen) != chosen:
            self._incident(FailureCause.NUMERIC_CLASS, pilot, fact, turn)
            return self._refuse(task, fact, Refusal.UNKNOWN, Row.CLASS_DIFFERS, turn)
        if campaign.stage not in (Stage.OPEN, Stage.DRAINING):
            campaign.refused += fact.end - fact.start
            return self._refuse(task, fact, Refusal.CLOSED, Row.PARTIAL_CLOSED, turn)
        return self._judge_coverage(pilot, campaign, task, fact, turn)

    def give_up(self, name: str, accepted: bool, turn: Turn) -> None:
        """Order an object to be deleted; its name is never used again."""
        given_up = self._state.given_up
        given_up[name] = accepted
        if len(given_up) > self._limits.names_remembered_max:
            del given_up[next(iter(given_up))]
        self._state.deleting[name] = True
        turn.commands.append(DeleteObject(name))

    def collect(self, name: str, turn: Turn) -> None:
        """An object was found that nothing seems to need."""
        if name in self._state.partials:
            self._trail.row(Row.OBJECT_NEEDED)
            return
        self._trail.row(Row.OBJECT_COLLECTED)
        self.give_up(name, self._state.given_up.get(name, False), turn)

    def deleted(self, name: str) -> None:
        """The store confirms that an object is gone."""
        self._state.deleting.pop(name, None)

    def delete_again(self, turn: Turn) -> None:
        """After a restart nobody knows which deletions were done."""
        turn.commands.extend(DeleteObject(name) for name in self._state.deleting)

    def retire(self, partial: PartialRecord, happening: str, turn: Turn) -> None:
        """A partial whose samples are elsewhere, or not wanted: it leaves the ledger."""
        partial.state = self._trail.step("partial", partial.state, happening)
        del self._state.partials[partial.name]
        self.give_up(partial.name, True, turn)

    def shelve(self, campaign: CampaignRecord, partial: PartialRecord) -> None:
        """Put a partial where merge tasks find it."""
        shelf, looks = campaign.shelf, campaign.blocks.looks if campaign.blocks else None
        if looks is not None and partial.segment >= looks.summed:
            shelf.beyond.setdefault(partial.segment, []).append(partial.name)
        elif partial.state is PartialState.OPEN and not self._task_has_ended(partial):
            shelf.open[partial.name] = True
        else:
            shelf.settled[partial.name] = True

    def unshelve(self, campaign: CampaignRecord, partial: PartialRecord) -> None:
        """Take a partial from wherever it stands."""
        shelf = campaign.shelf
        if shelf.settled.pop(partial.name, False) or shelf.open.pop(partial.name, False):
            return
        shelf.beyond[partial.segment].remove(partial.name)

    def settle(self, task: TaskRecord) -> None:
        """A task has ended: what it left open goes to the mergers first."""
        shelf = self._state.campaigns[task.campaign].shelf
        if shelf.open.pop(task.open_name, False):
            shelf.settled[task.open_name] = True

    def _task_has_ended(self, partial: PartialRecord) -> bool:
        return self._state.tasks[partial.task].state in ENDED_STATES

    def _may_offer(self, pilot: PilotRecord, task: TaskRecord, fact: PartialStored) -> bool:
        """Whether these samples are the task's own, the task the pilot's, and the sums of use."""
        campaign = self._state.campaigns[task.campaign]
        if task.pilot != pilot.pilot:
            return False
        if campaign.campaign.precision is not None and not _may_carry(campaign, fact.sums):
            return False
        if campaign.blocks is not None:
            return campaign.blocks.may_offer(task.task, fact.coverage)
        spans = fact.coverage.spans
        return len(spans) == 1 and (spans[0].line, spans[0].start) == (task.stream, fact.start)

    def _judge_again(
        self, task: TaskRecord, fact: PartialStored, held: bool, turn: Turn
    ) -> CampaignRecord | None:
        if held or self._state.given_up[fact.name]:
            self._trail.row(Row.PARTIAL_AGAIN)
            turn.orders.append(PartialAccepted(task.task, fact.name, task.seal))
            return None
        return self._refuse(task, fact, Refusal.COLLECTED, Row.PARTIAL_COLLECTED, turn)

    def _judge_coverage(
        self,
        pilot: PilotRecord,
        campaign: CampaignRecord,
        task: TaskRecord,
        fact: PartialStored,
        turn: Turn,
    ) -> CampaignRecord | None:
        opened = self._state.partials[task.open_name] if task.open_name else None
        if opened is not None and _is_impostor(opened, fact):
            self._incident(FailureCause.IMPOSTOR, pilot, fact, turn, opened.name)
            return self._refuse(task, fact, Refusal.IMPOSTOR, Row.PARTIAL_IMPOSTOR, turn)
        # An increment that was stored whole while it was open: the next one starts behind it.
        behind = fact.final and opened is not None and fact.start == task.accepted
        if (fact.start != task.seal and not behind) or fact.end <= task.accepted:
            return self._refuse(task, fact, Refusal.ELSEWHERE, Row.PARTIAL_ELSEWHERE, turn)
        fresh = fact.coverage
        if campaign.blocks is not None:
            if opened is not None and not behind:
                if not opened.coverage.issubset(fact.coverage):
                    return self._refuse(task, fact, Refusal.ELSEWHERE, Row.PARTIAL_ELSEWHERE, turn)
                fresh = fact.coverage - opened.coverage
            if campaign.blocks.overlaps_accepted(fresh):
                self._compare(pilot, campaign.blocks, fact, turn)
                campaign.blocks.refuse(task.task, fresh)
                return self._refuse(task, fact, Refusal.HAVE, Row.PARTIAL_HAVE, turn)
            campaign.blocks.accept(task.task, fresh)
            campaign.blocks.remember(fact.coverage, fact.digest, fact.name)
            # Nobody was at work when this came back: what is stored first chooses the class.
            proven = pilot.classes.get(task.campaign, "")
            campaign.numeric_class = campaign.numeric_class or proven
        if behind:
            self.settle(task)
            self.seal(task)
            opened = None
        self._accept(campaign, task, fact, opened, turn)
        return campaign

    def _accept(
        self,
        campaign: CampaignRecord,
        task: TaskRecord,
        fact: PartialStored,
        opened: PartialRecord | None,
        turn: Turn,
    ) -> None:
        gained = fact.end - task.accepted
        segment = self._segment(campaign, fact.coverage)
        partial = PartialRecord(
            fact.name,
            task.campaign,
            task.task,
            fact.start,
            fact.end,
            fact.coverage,
            fact.digest,
            fact.sums,
            segment,
            PartialState.OPEN,
        )
        if opened is not None:
            self._add_sums(campaign, opened, -1)
            self.unshelve(campaign, opened)
            self.retire(opened, "replaced", turn)
        self._add_sums(campaign, partial, 1)
        self._state.partials[partial.name] = partial
        task.accepted = fact.end
        task.open_name = partial.name
        task.upload_us = fact.upload_us
        if fact.final:
            self.seal(task)
        self._trail.row(
            Row.PARTIAL_FINAL
            if fact.final
            else Row.PARTIAL_SUPERSEDED
            if opened is not None
            else Row.PARTIAL_OPENED
        )
        self.shelve(campaign, partial)
        campaign.stored += gained
        campaign.failures_in_a_row = 0
        campaign.upload_us = max(fact.upload_us, campaign.upload_us * 7 // 8)
        if not task.counted:
            campaign.count.settled += gained
        turn.orders.append(PartialAccepted(task.task, fact.name, task.seal))

    def seal(self, task: TaskRecord) -> None:
        """What a task has stored so far can no longer be replaced."""
        partial = self._state.partials[task.open_name]
        partial.state = self._trail.step("partial", partial.state, "sealed")
        task.seal = partial.end
        task.open_name = ""

    def _segment(self, campaign: CampaignRecord, coverage: Coverage) -> int:
        looks = campaign.blocks.looks if campaign.blocks else None
        return 0 if looks is None else looks.segment_of(coverage.spans[0].start)

    def _add_sums(self, campaign: CampaignRecord, partial: PartialRecord, sign: int) -> None:
        if not partial.sums:
            return
        if campaign.blocks is not None and campaign.blocks.looks is not None:
            campaign.blocks.looks.add(partial.segment, partial.sums, sign)
        have = campaign.sums
        have.extend([0] * (len(partial.sums) - len(have)))
        for i, one in enumerate(partial.sums):
            have[i] += sign * one

    def _compare(self, pilot: PilotRecord, blocks: Blocks, fact: PartialStored, turn: Turn) -> None:
        """Blocks were computed twice: where exactly these were stored, the digests must agree."""
        first = fact.coverage.spans[0]
        end, digest, name = blocks.seen.get(first.start, (0, "", ""))
        if len(fact.coverage.spans) == 1 and end == first.end and digest != fact.digest:
            self._incident(FailureCause.NUMERIC_CLASS, pilot, fact, turn, name)

    def _refuse(
        self,
        task: TaskRecord | None,
        fact: PartialStored,
        cause: Refusal,
        row: Row,
        turn: Turn,
    ) -> CampaignRecord | None:
        self._trail.row(row)
        base = 0 if task is None else task.seal
        turn.orders.append(PartialRefused(fact.task, fact.name, cause, base))
        if fact.name not in self._state.partials and fact.name not in self._state.given_up:
            self.give_up(fact.name, False, turn)
        return None

    def _incident(
        self,
        cause: FailureCause,
        pilot: PilotRecord,
        fact: PartialStored,
        turn: Turn,
        other: str = "",
    ) -> None:
        against = f" against {other}" if other else ""
        turn.commands.append(
            ReportIncident(cause, pilot.pilot, fact.task, f"partial {fact.name}{against}")
        )


def _may_carry(campaign: CampaignRecord, sums: tuple[int, ...]) -> bool:
    """Whether a precision can be judged with these sums: all partials carry some, or none does."""
    if not sums:
        return is_judged(campaign) or not campaign.stored
    return len(sums) >= SUMS_MIN and (bool(campaign.sums) or not campaign.stored)


def _is_impostor(opened: PartialRecord, fact: PartialStored) -> bool:
    return opened.coverage == fact.coverage and opened.digest != fact.digest


def in_free_mode(campaign: CampaignRecord) -> bool:
    """Whether the campaign's tasks work on streams of their own."""
    return campaign.campaign.mode is Mode.FREE
