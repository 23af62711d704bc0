"""Whether campaigns end for a reason: enough is stored, the time has come, or it cannot be done."""

from __future__ import annotations

from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.controller import Controller
from manyhands.control.merging import MERGERS_PER_INPUT_MAX
from manyhands.control.stopping import Standing, look, microseconds, satisfied
from manyhands.model.campaign import Campaign, Ending, Mode, Stage
from manyhands.model.commands import AnnounceStage
from manyhands.model.limits import Limits
from manyhands.model.stopping import AllOf, AnyOf, Deadline, Precision, Samples, leaves
from manyhands.simulator.judging_check import found, unreadable
from manyhands.simulator.shadow import CampaignShadow, Shadow, require

NEVER_US = 1 << 62


ENDED = (Stage.DONE, Stage.FAILED, Stage.CANCELLED)


class StagesCheck:
    """The stages of all campaigns, as they were announced."""

    def __init__(self, shadow: Shadow, limits: Limits) -> None:
        self.stages: dict[int, Stage] = {}
        self.closed_us: dict[int, int] = {}
        self._shadow = shadow
        self._limits = limits

    def announced(self, command: AnnounceStage, controller: Controller, now_us: int) -> None:
        """A campaign has moved on."""
        number, stage = command.campaign, command.stage
        ours, record = self._shadow.campaigns[number], controller.state.campaigns[number]
        before = self.stages.get(number)
        require(before not in ENDED, "an end is the end", command)
        if stage not in (Stage.OPEN, Stage.DRAINING):
            self.closed_us.setdefault(number, now_us)
            ours.ended = True
        else:
            require(before is not Stage.CLOSED, "closed for ever", command)
            require(not ours.ended, "it closes at the first instant", command)
        if stage is Stage.CLOSED:
            standing = _standing(ours, record, now_us)
            enough = satisfied(ours.campaign.stop, standing) or bool(ours.failed_blocks)
            require(enough, "it closes when there is enough", number, standing)
        elif stage is Stage.FAILED:
            reason = _reason(ours, self._limits)
            require(reason, "it fails for a reason", number, record.reason)
        self.stages[number] = stage

    def grown(self, ours: CampaignShadow) -> None:
        """The first instant at which enough is stored is the last of an open campaign."""
        campaign = ours.campaign
        first = campaign.ending is not Ending.PUBLISHED and campaign.mode is Mode.FREE
        if first and isinstance(campaign.stop, Samples) and ours.stored >= campaign.stop.count:
            ours.ended = True

    def check_clock(self, now_us: int) -> None:
        """No campaign is open behind its deadline."""
        for number, ours in self._shadow.campaigns.items():
            require(ours.ended or now_us < ours.deadline_us, "a deadline is met", number, now_us)


def deadline_us(campaign: Campaign) -> int:
    """When the clock alone closes a campaign."""
    rule = campaign.stop
    either = rule.rules if isinstance(rule, AnyOf) else (rule,)
    return min([microseconds(one.at_s) for one in either if isinstance(one, Deadline)] + [NEVER_US])


def _standing(ours: CampaignShadow, record: CampaignRecord, now_us: int) -> Standing:
    """What the rule is judged by; of precision, our own sums as far as they are looked at now."""
    campaign, judged = ours.campaign, found(ours)
    if ours.exact:
        stored = campaign.samples_in(ours.accepted.bit_count())
        return Standing(now_us, stored, record.used_us, judged or record.found)
    estimate = judged or record.estimate
    if judged is None and not isinstance(campaign.stop, AllOf):
        sums = [ours.sums[place] for place in range(len(ours.sums))]
        for rule in leaves(campaign.stop):
            if isinstance(rule, Precision):
                estimate = look(rule, ours.stored, sums)
    return Standing(now_us, ours.stored, record.used_us, estimate)


def _reason(ours: CampaignShadow, limits: Limits) -> bool:
    return (
        ours.failures >= limits.failures_in_a_row_max
        or _too_many(ours.failed_blocks, limits.hosts_per_block_max)
        or _too_many(ours.unread, MERGERS_PER_INPUT_MAX)
        or unreadable(ours)
    )


def _too_many(failures: dict[int, list[int]] | dict[str, list[int]], hosts: int) -> bool:
    """Whether something failed on so many hosts, or twice as often on fewer."""
    return any(len(set(one)) >= hosts or len(one) >= 2 * hosts for one in failures.values())
