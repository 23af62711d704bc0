"""Whose arithmetic is whose: in exact mode a pilot proves its numeric class on block 0 first.

The first proven pilot sets the campaign's class; others are put aside and named. While nothing was
stored, the loss of the last pilot at work lets the next one choose.
"""

from __future__ import annotations

from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.life_cycles import Row, Trail
from manyhands.control.records import PilotRecord, Turn
from manyhands.control.state import State
from manyhands.model.commands import ReportIncident
from manyhands.model.facts import ClassProven
from manyhands.model.failures import FailureCause
from manyhands.model.orders import ProveClass


class Classes:
    """Asks for proofs, compares them, and says who may work."""

    def __init__(self, state: State, trail: Trail) -> None:
        self._state = state
        self._trail = trail

    def prove(self, record: CampaignRecord, pilot: PilotRecord, turn: Turn) -> bool:
        """Have a pilot compute block 0 before it works in exact mode; False: no need."""
        campaign = record.campaign
        if record.blocks is None or not campaign.classes or campaign.campaign in pilot.classes:
            return False
        turn.orders.append(ProveClass(campaign.campaign, campaign.seed, campaign.block_samples))
        return True

    def proven(self, pilot: PilotRecord, fact: ClassProven, turn: Turn) -> None:
        """Block 0 was computed: is it the campaign's numeric class?"""
        record = self._state.campaigns.get(fact.campaign)
        if record is None:
            return
        pilot.classes[fact.campaign] = fact.digest
        record.numeric_class = record.numeric_class or fact.digest
        if record.numeric_class != fact.digest:
            self._trail.row(Row.CLASS_DIFFERS)
            detail = f"block 0 is {fact.digest}, the campaign's is {record.numeric_class}"
            turn.commands.append(
                ReportIncident(FailureCause.NUMERIC_CLASS, pilot.pilot, None, detail)
            )

    def may_work(self, record: CampaignRecord, pilot: PilotRecord) -> bool:
        """Whether the pilot is of the campaign's numeric class."""
        if record.blocks is None or not record.campaign.classes:
            return True
        digest = pilot.classes.get(record.campaign.campaign, "")
        if not digest:
            return False  # another slot of it still computes block 0
        record.numeric_class = record.numeric_class or digest
        return digest == record.numeric_class

    def forget_class(self, pilot: PilotRecord) -> None:
        """The only hand of a class is gone and left nothing: the next one chooses the class."""
        for number in pilot.classes:
            record = self._state.campaigns[number]
            if record.stored == 0 and record.alive == 0:
                record.numeric_class = record.campaign.numeric_class
