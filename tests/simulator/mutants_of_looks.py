"""Planted bugs in looks at merged results."""

from __future__ import annotations

from dataclasses import replace

from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.campaigns import Campaigns
from manyhands.control.judging import Judging, is_overdue
from manyhands.control.ledger import Ledger
from manyhands.control.life_cycles import Trail
from manyhands.control.merging import Merging
from manyhands.control.pace import Tempo
from manyhands.control.records import Turn
from manyhands.control.state import State
from manyhands.control.stopping import Estimate, Standing
from manyhands.model.events import PrecisionJudged
from manyhands.model.limits import Limits
from tests.simulator.broken import Broken


class _ExtrapolatingCampaigns(Campaigns):
    def _standing(self, record: CampaignRecord, now_us: int) -> Standing:
        standing = super()._standing(record, now_us)
        if is_overdue(record):
            standing.estimate = Estimate(True, standing.stored, standing.stored)
        return standing


class ClosesOnForecast(Broken):
    """Takes a precision for met as soon as the forecast number of samples is stored."""

    campaigns_type = _ExtrapolatingCampaigns


class _CredulousJudging(Judging):
    def answered(self, fact: PrecisionJudged, turn: Turn) -> CampaignRecord | None:
        record = self._state.campaigns[fact.campaign]
        judgement = record.judgement
        if judgement.samples:
            fact = replace(fact, look=judgement.look, samples=judgement.samples)
        return super().answered(fact, turn)


class _CredulousCampaigns(Campaigns):
    def __init__(
        self,
        limits: Limits,
        tempo: Tempo,
        state: State,
        trail: Trail,
        ledger: Ledger,
        merging: Merging,
    ) -> None:
        super().__init__(limits, tempo, state, trail, ledger, merging)
        self._judging = _CredulousJudging(state, trail)


class TakesAnyJudgement(Broken):
    """Takes the answer to another look for the one that it waits for."""

    campaigns_type = _CredulousCampaigns
