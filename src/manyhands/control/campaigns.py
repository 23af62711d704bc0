"""A campaign's life: how far it is, when its end is in sight, and when it is enough.

In free mode every hand simulates its own stream until the forecast says that quotas are due; the
campaign closes at the first instant at which enough is stored. In exact mode it closes when the
blocks of the wanted prefix are stored. Either way the answer holds exactly what was accepted.
"""

from __future__ import annotations

from manyhands.control.alarms import CAMPAIGN
from manyhands.control.blocks import Blocks
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.judging import Judging, exact_rule, is_judged, is_overdue, take
from manyhands.control.ledger import Ledger
from manyhands.control.life_cycles import Trail
from manyhands.control.looks import Looks
from manyhands.control.merging import Merging
from manyhands.control.pace import Tempo
from manyhands.control.records import Turn
from manyhands.control.state import State
from manyhands.control.stopping import (
    US_PER_S,
    Estimate,
    Prospect,
    Standing,
    goals,
    look,
    microseconds,
    satisfied,
    time_left_us,
)
from manyhands.model.campaign import Campaign, Ending, Mode, Split, Stage
from manyhands.model.commands import AnnounceStage
from manyhands.model.events import PrecisionJudged, PrecisionUnjudged
from manyhands.model.limits import Limits
from manyhands.model.stopping import Budget, Deadline, Samples, leaves

PPM = 1_000_000
IDLE_LOOK_US = 60 * US_PER_S  # how often a budget is looked at while nobody is counted on
ENDED = (Stage.DONE, Stage.FAILED, Stage.CANCELLED)
WANTING = (Stage.OPEN, Stage.DRAINING)


class Campaigns:
    """The stages of all campaigns, and their forecasts."""

    def __init__(
        self,
        limits: Limits,
        tempo: Tempo,
        state: State,
        trail: Trail,
        ledger: Ledger,
        merging: Merging,
    ) -> None:
        self._limits = limits
        self._tempo = tempo
        self._state = state
        self._trail = trail
        self._ledger = ledger
        self._merging = merging
        self._judging = Judging(state, trail)

    def submit(self, campaign: Campaign, turn: Turn) -> None:
        """Somebody wants it; a repeat changes nothing."""
        known = self._state.campaigns.get(campaign.campaign)
        if known is not None:
            assert known.campaign == campaign, f"two campaigns are number {campaign.campaign}"
            return
        record = CampaignRecord(campaign, turn.now_us)
        if campaign.mode is Mode.EXACT:
            precise = campaign.precision is not None
            looks = Looks(campaign.block_samples) if precise else None
            record.blocks = Blocks(campaign.blocks_wanted, looks, self._limits.spans_per_order_max)
            record.blocks.begin_behind(campaign.begins_at)
            record.numeric_class = campaign.numeric_class
        elif campaign.precision is not None:
            record.look_at = campaign.precision.samples_min
        if campaign.splitting.kind is not Split.DYNAMIC:
            record.unassigned = campaign.samples_wanted or 0
        if isinstance(campaign.stop, Samples):
            wanted = campaign.stop.count
            if record.blocks is not None:
                wanted = (record.blocks.wanted or 0) - campaign.begins_at
            record.goal = self._over(record, wanted)
        record.period_us = microseconds(campaign.pace.report_s or 0)
        self._state.campaigns[campaign.campaign] = record
        self._state.active.append(campaign.campaign)
        turn.commands.append(AnnounceStage(campaign.campaign, Stage.OPEN, "submitted"))
        self.check(record, turn)  # a deadline may have passed already
        self.rearm(record, turn)

    def cancel(self, number: int, turn: Turn) -> None:
        """Its owner wants no more of it."""
        record = self._state.campaigns.get(number)
        if record is not None and record.stage not in ENDED:
            self._move(record, "cancelled", "cancelled by its owner", turn)

    def fail(self, record: CampaignRecord, reason: str, turn: Turn) -> None:
        """It cannot be done."""
        if record.stage not in ENDED:
            self._move(record, "failed", reason, turn)

    def left_us(self, record: CampaignRecord, now_us: int) -> int | None:
        """How long until everybody's results are due; None if it cannot be told."""
        if record.goal:
            return record.count.time_to(record.goal, now_us)
        blocks, stop = record.blocks, record.campaign.stop
        # Who has reached the goal of the last look goes on without one until the next is taken.
        estimate = Estimate() if is_overdue(record) else record.found
        times: dict[int, int | None] = {}
        for samples in goals(stop, estimate):
            goal = samples if blocks is None else -(-samples // record.campaign.block_samples)
            times[samples] = record.count.time_to(self._over(record, goal), now_us)
        prospect = Prospect(record.count.tasks, record.upload_us, times)
        standing = self._standing(record, now_us)
        standing.estimate = estimate
        return time_left_us(stop, standing, prospect)

    def report_us(
        self, record: CampaignRecord, left_us: int | None, round_trip_us: int, turn: Turn
    ) -> int:
        """When a task of this campaign should report again; opens and ends the end-game."""
        tempo, living = self._tempo, self._state.living
        period_us = record.period_us
        if not period_us:
            # A forecast is made of what is known so far: nobody is silent for longer than that.
            elapsed_us = turn.now_us - record.submitted_us
            seen_us = elapsed_us * tempo.reports_per_campaign
            makespan_us = 0 if left_us is None else min(elapsed_us + left_us, seen_us)
            period_us = tempo.period_us(living, makespan_us, round_trip_us)
        draining = record.stage is Stage.DRAINING
        if draining or (left_us is not None and left_us < 2 * period_us):
            draining = self._is_draining(record, left_us, period_us, turn)
        if draining and left_us is not None:
            return tempo.draining_us(period_us, living, left_us, round_trip_us)
        return period_us

    def _is_draining(
        self, record: CampaignRecord, left_us: int | None, period_us: int, turn: Turn
    ) -> bool:
        """Whether quotas are due: the end is in sight, and was not lost from sight again."""
        if record.stage is Stage.OPEN and record.campaign.ending is Ending.FORECAST:
            self._move(record, "end in sight", "the end is in sight", turn)
        elif record.stage is Stage.DRAINING and (left_us is None or left_us > 3 * period_us):
            self._move(record, "end out of sight", "quotas cannot be met any more", turn)
        return record.stage is Stage.DRAINING

    def grown(self, record: CampaignRecord, turn: Turn) -> None:
        """More is stored: is it enough?"""
        if record.stage not in WANTING:
            return
        blocks, rule = record.blocks, record.campaign.precision
        if is_judged(record):
            self._go_on(record, turn)
            return
        if blocks is not None and blocks.looks is not None:
            self._look_at_prefix(record, blocks, blocks.looks)
        elif rule is not None and record.stored >= record.look_at:
            take(record, look(rule, record.stored, record.sums))
        self.check(record, turn)

    def judged(self, fact: PrecisionJudged, turn: Turn) -> None:
        """A look at the merged result was taken."""
        record = self._judging.answered(fact, turn)
        if record is not None:
            self.release_segments(record)
            self._go_on(record, turn)

    def unjudged(self, fact: PrecisionUnjudged, turn: Turn) -> None:
        """A look at the merged result could not be taken."""
        found = self._judging.failed(fact, turn)
        if found is not None:
            record, problem = found
            if problem:
                self.fail(record, problem, turn)
            else:
                self._go_on(record, turn)

    def ask_again(self, turn: Turn) -> None:
        """Looks that were under way before a restart are asked for again."""
        self._judging.ask_again(turn)

    def check(self, record: CampaignRecord, turn: Turn) -> None:
        """Close it if its stop rule is satisfied, by the count or by the clock."""
        if record.stage not in WANTING:
            return
        if record.campaign.ending is Ending.PUBLISHED:
            if record.stopping and record.alive == 0 and record.stored >= self._wanted(record):
                self.close(record, "everybody has stored", turn)
            return
        blocks = record.blocks
        if blocks is not None and blocks.poisoned.size and blocks.complete():
            self.close(record, "every block was accepted or is poisoned", turn)
        elif satisfied(record.campaign.stop, self._standing(record, turn.now_us)):
            self.close(record, "the stop rule is satisfied", turn)

    def close(self, record: CampaignRecord, reason: str, turn: Turn) -> None:
        """Nothing more is accepted; what was can be merged."""
        record.closed_us = turn.now_us
        self._move(record, "enough", reason, turn)
        blocks = record.blocks
        if blocks is None:
            self.merged(record, turn)
            return
        if blocks.looks is not None and blocks.looks.final_blocks is not None:
            record.final_blocks = blocks.looks.final_blocks
            self._drop_beyond(record, blocks.looks, turn)
        elif blocks.looks is not None:
            blocks.looks.summed = len(blocks.looks.points)
            self.release_segments(record)
        poisoned = [
            one
            for one in blocks.poisoned.intervals()
            if record.final_blocks is None or one[0] < record.final_blocks
        ]
        if sum(end - start for start, end in poisoned) > record.campaign.skip_poisoned:
            first = poisoned[0][0]
            self.fail(record, f"block {first} failed on every host that tried it", turn)
        else:
            self.merged(record, turn)

    def merged(self, record: CampaignRecord, turn: Turn) -> None:
        """A merge has ended, or none is needed: done when one partial holds all."""
        if record.stage is Stage.CLOSED:
            if record.unreadable:
                self.fail(record, f"partial {record.unreadable[0]} cannot be read", turn)
            elif self._merging.finished(record):
                self._move(record, "merged", "one result holds all that was accepted", turn)

    def surface(self, number: int, turn: Turn) -> None:
        """A campaign's alarm rings: a deadline, or a budget that should be used up."""
        record = self._state.campaigns[number]
        if record.alarm_us <= turn.now_us:
            record.alarm_us = 1 << 62
            self._go_on(record, turn)

    def rearm(self, record: CampaignRecord, turn: Turn) -> None:
        """Look again when a deadline comes or the budget should be used up."""
        if record.stage not in WANTING:
            return
        standing = self._standing(record, turn.now_us)
        times = [record.judgement.not_before_us]
        for rule in leaves(record.campaign.stop):
            if isinstance(rule, Deadline):
                times.append(microseconds(rule.at_s))
            elif isinstance(rule, Budget):
                left_us = microseconds(rule.core_hours * 3600) - standing.used_us
                tasks = record.count.tasks
                least_us = US_PER_S if tasks else IDLE_LOOK_US
                times.append(turn.now_us + max(left_us // max(tasks, 1), least_us))
        later = [one for one in times if one > turn.now_us]
        if later and min(later) < record.alarm_us:
            record.alarm_us = min(later)
            self._state.alarms.set(record.alarm_us, CAMPAIGN, record.campaign.campaign)

    def release_segments(self, record: CampaignRecord) -> None:
        """Segments below the last look may be merged."""
        blocks, shelf = record.blocks, record.shelf
        if blocks is None or blocks.looks is None:
            return
        for segment in [one for one in shelf.beyond if one < blocks.looks.summed]:
            for name in shelf.beyond.pop(segment):
                self._ledger.shelve(record, self._state.partials[name])

    def _over(self, record: CampaignRecord, goal: int) -> int:
        """Quotas together pass the goal a little, so that nobody's slow upload is waited for."""
        if record.blocks is not None:
            return goal
        return goal + int(goal * record.campaign.over_commit)

    def _wanted(self, record: CampaignRecord) -> int:
        return record.campaign.samples_wanted or 0

    def _standing(self, record: CampaignRecord, now_us: int) -> Standing:
        return Standing(now_us, record.samples, record.used_us, record.found)

    def _go_on(self, record: CampaignRecord, turn: Turn) -> None:
        """End it, or ask for what its next look needs, and see when to look again."""
        self.check(record, turn)
        if record.stage in WANTING:
            self._judging.ask(record, turn)
            self.rearm(record, turn)

    def _look_at_prefix(self, record: CampaignRecord, blocks: Blocks, looks: Looks) -> None:
        rule, before = record.campaign.precision, looks.summed
        assert rule is not None
        least = exact_rule(rule, record.campaign.stop)
        looks.advance(least, blocks.prefix(), blocks.poisoned)
        if looks.summed != before:
            self.release_segments(record)

    def _drop_beyond(self, record: CampaignRecord, looks: Looks, turn: Turn) -> None:
        """The answer ends at the prefix that satisfied the rule; what lies beyond is not in it."""
        self.release_segments(record)
        for segment in list(record.shelf.beyond):
            for name in record.shelf.beyond.pop(segment):
                partial = self._state.partials[name]
                record.refused += partial.coverage.size
                record.stored -= partial.coverage.size
                self._ledger.retire(partial, "dropped", turn)

    def _move(self, record: CampaignRecord, happening: str, reason: str, turn: Turn) -> None:
        record.stage = self._trail.step("campaign", record.stage, happening)
        record.reason = reason
        number = record.campaign.campaign
        turn.commands.append(AnnounceStage(number, record.stage, reason))
        if record.stage not in WANTING:
            record.judgement.samples = 0  # nobody waits for the answer any more
        if record.stage in ENDED:
            self._state.active.remove(number)
