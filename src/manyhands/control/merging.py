"""Who merges what: claims on partials, as far as counting needs it.

A claim is a lease. When it ends, by time or with its merger, its inputs return to *sealed*, never
to open: a later partial of their task starts where they end. What an ended claim brings is refused.
"""

from __future__ import annotations

from itertools import chain, islice

from manyhands.control.alarms import CLAIM
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.ledger import Ledger
from manyhands.control.life_cycles import Row, Trail
from manyhands.control.records import (
    ClaimRecord,
    ClaimState,
    PartialRecord,
    PartialState,
    PilotRecord,
    PilotState,
    Turn,
)
from manyhands.control.state import State
from manyhands.control.stopping import microseconds
from manyhands.model.campaign import Stage
from manyhands.model.commands import ReportIncident
from manyhands.model.coverage import Coverage
from manyhands.model.facts import MergeFailed, MergeStored
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.limits import Limits
from manyhands.model.orders import MergeInput, MergePartials, MergeVerdict

MERGERS_PER_INPUT_MAX = 2


class Merging:
    """Gives partials to merge tasks and takes their outputs."""

    def __init__(self, limits: Limits, state: State, trail: Trail, ledger: Ledger) -> None:
        self._limits = limits
        self._state = state
        self._trail = trail
        self._ledger = ledger

    def give(self, campaign: CampaignRecord, pilot: PilotRecord, turn: Turn) -> bool:
        """Claim partials for a pilot that asks for work, if enough of them wait."""
        merging, shelf = campaign.campaign.merging, campaign.shelf
        if shelf.claims >= merging.mergers:
            return False
        waiting = len(shelf.settled) + len(shelf.open)
        if waiting < (2 if campaign.stage is Stage.CLOSED else merging.inputs):
            return False
        self._trail.row(Row.MERGE_GIVEN)
        names = self._take(campaign, min(waiting, merging.inputs))
        claim = self._new_claim(campaign, pilot, names, turn)
        inputs = tuple(MergeInput(one, self._state.partials[one].digest) for one in names)
        turn.orders.append(MergePartials(claim.claim, campaign.campaign.campaign, inputs))
        return True

    def stored(self, pilot: PilotRecord, fact: MergeStored, turn: Turn) -> CampaignRecord | None:
        """A merger brings its output; the campaign it belongs to, if that has changed."""
        claim = self._state.claims.get(fact.claim)
        if pilot.state is PilotState.REMOVED:
            return self._refuse(fact, Refusal.REMOVED, Row.FROM_REMOVED, turn)
        if claim is not None and claim.state is ClaimState.DONE and claim.output == fact.name:
            self._trail.row(Row.MERGE_AGAIN)
            turn.orders.append(MergeVerdict(fact.claim, None))
            return None
        if claim is None or claim.state is not ClaimState.ACTIVE or claim.pilot != pilot.pilot:
            return self._refuse(fact, Refusal.EXPIRED, Row.MERGE_EXPIRED, turn)
        if fact.name in self._state.given_up:
            # Its object was collected on the way: this merge is lost, its inputs are not.
            self._trail.row(Row.CLAIM_ENDED)
            pilot.claims.remove(claim.claim)
            self.end_claim(claim)
            return self._refuse(fact, Refusal.COLLECTED, Row.PARTIAL_COLLECTED, turn)
        if fact.name in self._state.partials:
            return self._refuse_name(pilot, claim, fact, turn)
        campaign = self._state.campaigns[claim.campaign]
        self._publish(campaign, claim, fact, turn)
        return campaign

    def failed(self, pilot: PilotRecord, fact: MergeFailed, turn: Turn) -> CampaignRecord | None:
        """A merger gives up; an input that two of them could not read is put aside."""
        claim = self._state.claims.get(fact.claim)
        if claim is None or claim.state is not ClaimState.ACTIVE or claim.pilot != pilot.pilot:
            return None
        self._trail.row(Row.MERGE_FAILED)
        self.end_claim(claim)
        pilot.claims.remove(claim.claim)
        if fact.name is None or fact.name not in claim.inputs:
            return None
        partial = self._state.partials[fact.name]
        mergers = partial.bad_mergers
        mergers.append(pilot.pilot)
        # Where there is one merger only, it may try again, twice as often.
        others = len(dict.fromkeys(mergers))
        if others < MERGERS_PER_INPUT_MAX and len(mergers) < 2 * MERGERS_PER_INPUT_MAX:
            return None
        return self._quarantine(partial, turn)

    def end_claim(self, claim: ClaimRecord) -> None:
        """A claim is over without its output: its inputs can be claimed again."""
        campaign = self._state.campaigns[claim.campaign]
        claim.state = self._trail.step("claim", claim.state, "ended")
        campaign.shelf.claims -= 1
        for name in claim.inputs:
            partial = self._state.partials[name]
            partial.state = self._trail.step("partial", partial.state, "returned")
            partial.claim = -1
            self._ledger.shelve(campaign, partial)

    def drop_claims(self, pilot: PilotRecord) -> None:
        """A pilot is lost or gone, and its merges with it."""
        for number in pilot.claims:
            self._trail.row(Row.CLAIM_ENDED)
            self.end_claim(self._state.claims[number])
        pilot.claims.clear()

    def renew(self, pilot: PilotRecord, now_us: int) -> None:
        """A pilot that speaks keeps its claims."""
        for number in pilot.claims:
            claim = self._state.claims[number]
            claim.end_us = now_us + self._lease_us(self._state.campaigns[claim.campaign])

    def surface(self, number: int, turn: Turn) -> None:
        """A claim's alarm rings: it is over, unless it was renewed meanwhile."""
        claim = self._state.claims[number]
        if claim.state is not ClaimState.ACTIVE:
            return
        lease_us = self._lease_us(self._state.campaigns[claim.campaign])
        end_us = max(claim.end_us, self._state.rearmed_us + lease_us)
        if end_us > turn.now_us:
            self._state.alarms.set(end_us, CLAIM, number)
            return
        self._trail.row(Row.CLAIM_ENDED)
        self._state.pilots[claim.pilot].claims.remove(number)
        self.end_claim(claim)

    def finished(self, campaign: CampaignRecord) -> bool:
        """Whether one partial holds all that was accepted, or nobody is to merge."""
        shelf = campaign.shelf
        if campaign.campaign.merging.mergers == 0:
            return True
        return shelf.claims == 0 and len(shelf.settled) + len(shelf.open) <= 1

    def _take(self, campaign: CampaignRecord, count: int) -> list[str]:
        """Partials of ended tasks first, then the oldest that their tasks still replace."""
        shelf = campaign.shelf
        names = list(islice(chain(shelf.settled, shelf.open), count))
        for name in names:
            partial = self._state.partials[name]
            self._ledger.unshelve(campaign, partial)
            if partial.state is PartialState.OPEN:
                self._ledger.seal(self._state.tasks[partial.task])
            partial.state = self._trail.step("partial", partial.state, "claimed")
        return names

    def _new_claim(
        self, campaign: CampaignRecord, pilot: PilotRecord, names: list[str], turn: Turn
    ) -> ClaimRecord:
        number = self._state.next_claim
        self._state.next_claim += 1
        claim = ClaimRecord(
            number,
            campaign.campaign.campaign,
            pilot.pilot,
            names,
            ClaimState.ACTIVE,
            turn.now_us + self._lease_us(campaign),
        )
        self._state.claims[number] = claim
        pilot.claims.append(number)
        campaign.shelf.claims += 1
        for name in names:
            self._state.partials[name].claim = number
        self._state.alarms.set(claim.end_us, CLAIM, number)
        return claim

    def _publish(
        self, campaign: CampaignRecord, claim: ClaimRecord, fact: MergeStored, turn: Turn
    ) -> None:
        self._trail.row(Row.MERGE_STORED)
        inputs = [self._state.partials[name] for name in claim.inputs]
        output = PartialRecord(
            fact.name,
            claim.campaign,
            -1,
            0,
            0,
            Coverage.of(span for one in inputs for span in one.coverage.spans),
            fact.digest,
            (),
            0,
            PartialState.SEALED,
        )
        claim.state = self._trail.step("claim", claim.state, "stored")
        claim.output = fact.name
        self._state.pilots[claim.pilot].claims.remove(claim.claim)
        campaign.shelf.claims -= 1
        self._state.partials[output.name] = output
        campaign.shelf.settled[output.name] = True
        for one in inputs:
            self._ledger.retire(one, "merged", turn)
        turn.orders.append(MergeVerdict(claim.claim, None))

    def _quarantine(self, partial: PartialRecord, turn: Turn) -> CampaignRecord:
        campaign = self._state.campaigns[partial.campaign]
        self._trail.row(Row.MERGE_QUARANTINED)
        self._ledger.unshelve(campaign, partial)
        partial.state = self._trail.step("partial", partial.state, "quarantined")
        campaign.unreadable.append(partial.name)
        turn.commands.append(
            ReportIncident(
                FailureCause.OBJECT_TORN,
                None,
                partial.task,
                f"partial {partial.name} is unreadable",
            )
        )
        return campaign

    def _refuse(
        self, fact: MergeStored, cause: Refusal, row: Row, turn: Turn
    ) -> CampaignRecord | None:
        self._trail.row(row)
        turn.orders.append(MergeVerdict(fact.claim, cause))
        if fact.name not in self._state.partials and fact.name not in self._state.given_up:
            self._ledger.give_up(fact.name, False, turn)
        return None

    def _refuse_name(
        self, pilot: PilotRecord, claim: ClaimRecord, fact: MergeStored, turn: Turn
    ) -> CampaignRecord | None:
        """Another object is known by this name: the output cannot be, and must come again."""
        turn.commands.append(
            ReportIncident(
                FailureCause.PROTOCOL_BROKEN, pilot.pilot, None, f"output {fact.name} is another's"
            )
        )
        pilot.claims.remove(claim.claim)
        self._trail.row(Row.CLAIM_ENDED)
        self.end_claim(claim)
        return self._refuse(fact, Refusal.IMPOSTOR, Row.MERGE_IMPOSTOR, turn)

    def _lease_us(self, campaign: CampaignRecord) -> int:
        return microseconds(max(campaign.campaign.merging.lease_s, self._limits.claim_s_min))
