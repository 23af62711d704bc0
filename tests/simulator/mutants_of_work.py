"""Planted bugs in who does what, and when it is enough: tasks, blocks, claims, closing."""

from __future__ import annotations

from itertools import chain, islice

from manyhands.control.blocks import Blocks
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.campaigns import Campaigns
from manyhands.control.classes import Classes
from manyhands.control.looks import Looks
from manyhands.control.merging import Merging
from manyhands.control.records import (
    ClaimRecord,
    ClaimState,
    Holding,
    PartialState,
    PilotRecord,
    TaskRecord,
    TaskState,
    Turn,
)
from manyhands.control.stopping import Standing
from manyhands.control.tasks import Tasks
from manyhands.model.commands import DeleteObject
from manyhands.model.events import PrecisionJudged
from manyhands.model.facts import LeaseCut, MergeFailed, MergeStored
from tests.simulator.broken import Broken


class _UnsealingMerging(Merging):
    def end_claim(self, claim: ClaimRecord) -> None:
        super().end_claim(claim)
        campaign = self._state.campaigns[claim.campaign]
        for name in claim.inputs:
            partial = self._state.partials[name]
            task = self._state.tasks.get(partial.task)
            if task is not None and not task.open_name and task.seal == partial.end:
                self._ledger.unshelve(campaign, partial)
                partial.state = PartialState.OPEN
                task.seal, task.open_name = partial.start, name
                self._ledger.shelve(campaign, partial)


class Unseals(Broken):
    """Opens the inputs of an expired claim again: their tasks may replace them."""

    merging_type = _UnsealingMerging


class _ForgivingMerging(Merging):
    def stored(self, pilot: PilotRecord, fact: MergeStored, turn: Turn) -> CampaignRecord | None:
        claim = self._state.claims.get(fact.claim)
        if claim is not None and claim.state is ClaimState.EXPIRED:
            self._revive(claim)
        return super().stored(pilot, fact, turn)

    def _revive(self, claim: ClaimRecord) -> None:
        campaign = self._state.campaigns[claim.campaign]
        claim.inputs = [one for one in claim.inputs if one in self._state.partials]
        for name in claim.inputs:
            partial = self._state.partials[name]
            if partial.state is PartialState.SEALED:
                self._ledger.unshelve(campaign, partial)
                partial.state = PartialState.CLAIMED
        claim.state = ClaimState.ACTIVE
        campaign.shelf.claims += 1
        self._state.pilots[claim.pilot].claims.append(claim.claim)


class AcceptsExpired(Broken):
    """Accepts the output of a claim that has ended."""

    merging_type = _ForgivingMerging


class _HastyMerging(Merging):
    def give(self, campaign: CampaignRecord, pilot: PilotRecord, turn: Turn) -> bool:
        given = super().give(campaign, pilot, turn)
        if given:
            for name in self._state.claims[self._state.next_claim - 1].inputs:
                turn.commands.append(DeleteObject(name))
        return given


class DeletesAtClaim(Broken):
    """Deletes the inputs of a merge when it is given, not when its output is stored."""

    merging_type = _HastyMerging


class _DoubleMerging(Merging):
    def _take(self, campaign: CampaignRecord, count: int) -> list[str]:
        shelf = campaign.shelf
        names = list(islice(chain(shelf.settled, shelf.open), count))
        places = [(shelf.settled, name) for name in names if name in shelf.settled]
        taken = super()._take(campaign, count)
        for place, name in places:
            place[name] = True
        return taken


class ClaimsTwice(Broken):
    """Leaves claimed partials where the next merger finds them."""

    merging_type = _DoubleMerging


class _ContentMerging(Merging):
    def finished(self, campaign: CampaignRecord) -> bool:
        return campaign.shelf.claims == 0 or super().finished(campaign)


class ForgetsLastMerge(Broken):
    """Takes a campaign for merged when no merge is under way."""

    merging_type = _ContentMerging


class _NervousMerging(Merging):
    def failed(self, pilot: PilotRecord, fact: MergeFailed, turn: Turn) -> CampaignRecord | None:
        partial = self._state.partials.get(fact.name or "")
        if partial is not None:
            partial.bad_mergers.extend((-1, -2))
        return super().failed(pilot, fact, turn)


class GivesUpObjects(Broken):
    """Puts an object aside when the first merger could not read it."""

    merging_type = _NervousMerging


class _GenerousTasks(Tasks):
    def _take_back(self, record: CampaignRecord, task: TaskRecord) -> None:
        share = task.share
        super()._take_back(record, task)
        task.share = share


class GrantsTwice(Broken):
    """Grants what a lost task owed to others each time that it ends."""

    tasks_type = _GenerousTasks


class _SharingTasks(Tasks):
    def _share(self, record: CampaignRecord, pilot: PilotRecord) -> int:
        share = super()._share(record, pilot)
        record.unassigned += share
        return share


class GrantsWithoutEnd(Broken):
    """Does not take what it grants from what is left."""

    tasks_type = _SharingTasks


class _StreamingTasks(Tasks):
    def _new_task(
        self, record: CampaignRecord, pilot: PilotRecord, stream: int, turn: Turn
    ) -> TaskRecord:
        if stream >= 0:
            stream = record.count.tasks
        return super()._new_task(record, pilot, stream, turn)


class SharesStreams(Broken):
    """Gives a new task the stream of one that is at work (free mode)."""

    tasks_type = _StreamingTasks


class _CuttingTasks(Tasks):
    def _propose_cut(self, task: TaskRecord, holding: Holding, remaining: int, turn: Turn) -> None:
        orders = len(turn.orders)
        super()._propose_cut(task, holding, remaining, turn)
        blocks = self._state.campaigns[task.campaign].blocks
        if len(turn.orders) > orders and blocks is not None and holding.held.size:
            low, high = holding.held.intervals()[-1]
            blocks.give_back(task.task, ((max(low, high - remaining // 2), high),))


class LeasesUnconfirmed(Broken):
    """Frees the tail of a lease when it is asked back, not when it is given back."""

    tasks_type = _CuttingTasks


class _DeafTasks(Tasks):
    def cut(self, fact: LeaseCut) -> None:
        """Never mind."""


class ForgetsCuts(Broken):
    """Does not free the blocks that a holder gives back."""

    tasks_type = _DeafTasks


class _HoardingTasks(Tasks):
    def _take_back(self, record: CampaignRecord, task: TaskRecord) -> None:
        if record.blocks is None or task.state is not TaskState.LOST:
            super()._take_back(record, task)


class KeepsLostBlocks(Broken):
    """Does not free the blocks of a lost task."""

    tasks_type = _HoardingTasks


class _MixingClasses(Classes):
    def may_work(self, record: CampaignRecord, pilot: PilotRecord) -> bool:
        return True


class MixesClasses(Broken):
    """Gives work to hosts of every numeric class."""

    classes_type = _MixingClasses


class _ResumingTasks(Tasks):
    def _return(self, record: CampaignRecord, task: TaskRecord, turn: Turn) -> None:
        task.state = self._trail.step("task", task.state, "resumed")
        record.alive += 1
        record.count.add(task)


class ResumesLost(Broken):
    """Lets a lost task go on with what was given to others."""

    tasks_type = _ResumingTasks


class _ThoroughCampaigns(Campaigns):
    def check(self, record: CampaignRecord, turn: Turn) -> None:
        if record.blocks is None and record.stored < record.goal:
            return
        super().check(record, turn)


class LeavesSpares(Broken):
    """Closes when all quotas are stored, not at the first instant with enough (free mode)."""

    campaigns_type = _ThoroughCampaigns


class _HastyCampaigns(Campaigns):
    def _standing(self, record: CampaignRecord, now_us: int) -> Standing:
        standing = super()._standing(record, now_us)
        if record.blocks is None:
            standing.stored = record.count.reported + record.count.settled
        return standing


class ClosesOnReported(Broken):
    """Closes when enough is reported, stored or not (free mode)."""

    campaigns_type = _HastyCampaigns


class _CarelessCampaigns(Campaigns):
    def _standing(self, record: CampaignRecord, now_us: int) -> Standing:
        standing = super()._standing(record, now_us)
        standing.stored += 1
        return standing


class ClosesShort(Broken):
    """Closes when one sample is still lacking."""

    campaigns_type = _CarelessCampaigns


class _HurriedCampaigns(Campaigns):
    def _look_at_prefix(self, record: CampaignRecord, blocks: Blocks, looks: Looks) -> None:
        before = looks.next
        super()._look_at_prefix(record, blocks, looks)
        _hurry(blocks, looks, before)

    def judged(self, fact: PrecisionJudged, turn: Turn) -> None:
        record = self._state.campaigns.get(fact.campaign)
        blocks = None if record is None else record.blocks
        looks = None if blocks is None else blocks.looks
        before = 0 if looks is None else looks.next
        super().judged(fact, turn)
        if blocks is not None and looks is not None:
            _hurry(blocks, looks, before)


def _hurry(blocks: Blocks, looks: Looks, before: int) -> None:
    if looks.next != before:
        looks.next = max(looks.next, looks.segment_of(blocks.accepted.size))


class LooksPastPrefix(Broken):
    """Plans its next look by how much is done beyond the prefix (exact mode)."""

    campaigns_type = _HurriedCampaigns


class _TimelessCampaigns(Campaigns):
    def rearm(self, record: CampaignRecord, turn: Turn) -> None:
        """Never mind."""


class MissesDeadlines(Broken):
    """Looks at the clock only when something is stored."""

    campaigns_type = _TimelessCampaigns
