"""Looks at a precision that needs the merged result: asked for, answered, asked for again.

Whoever acts for the master merges and measures; what it found comes back as an event. One look of
a campaign is under way at a time, and only the answer to the last one asked for counts. Looks that
are dear are rare: the next comes no sooner than ten times what the last one took.
"""

from __future__ import annotations

from dataclasses import replace

from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.life_cycles import Row, Trail
from manyhands.control.records import PartialRecord, Turn
from manyhands.control.state import State
from manyhands.control.stopping import US_PER_S, Estimate, judged
from manyhands.model.commands import JudgePrecision
from manyhands.model.events import PrecisionJudged, PrecisionUnjudged
from manyhands.model.orders import MergeInput
from manyhands.model.stopping import AllOf, Precision, Samples, StopRule

COST_FACTOR = 10  # a look takes at most one part in so many of the time between two
AGAIN_US = US_PER_S  # how soon something that could not be read is read again
UNREAD_MAX = 3  # looks in a row
LOOK_GROWTH_PERCENT = 105


class Judging:
    """What is asked of merged results, and what the answers say."""

    def __init__(self, state: State, trail: Trail) -> None:
        self._state = state
        self._trail = trail

    def ask(self, record: CampaignRecord, turn: Turn) -> None:
        """Ask for the next look if it is due and none is under way."""
        judgement = record.judgement
        end = None if judgement.samples or not is_judged(record) else self._due(record)
        if end is None:
            return
        if record.blocks is not None and record.blocks.looks is not None:
            record.blocks.looks.waiting = True
        if turn.now_us < judgement.not_before_us:
            return
        number = record.campaign.campaign
        partials = sorted(
            (
                one
                for one in self._state.partials.values()
                if one.campaign == number and (not end or one.coverage.spans[-1].end <= end)
            ),
            key=_start,
        )
        rule = record.campaign.precision
        assert rule is not None
        self._trail.row(Row.JUDGE_ASKED)
        judgement.look += 1
        judgement.samples = sum(record.campaign.samples_of(one.coverage) for one in partials)
        inputs = tuple(MergeInput(one.name, one.digest) for one in partials)
        turn.commands.append(
            JudgePrecision(number, judgement.look, judgement.samples, rule, inputs)
        )

    def ask_again(self, turn: Turn) -> None:
        """After a restart nobody knows what became of the looks that were under way."""
        for number in self._state.active:
            record = self._state.campaigns[number]
            if record.judgement.samples:
                record.judgement.samples = 0
                self.ask(record, turn)

    def answered(self, fact: PrecisionJudged, turn: Turn) -> CampaignRecord | None:
        """A look was taken: the campaign that knows more now."""
        record = self._waiting(fact.campaign, fact.look)
        if record is None or record.judgement.samples != fact.samples:
            self._trail.row(Row.JUDGED_LATE)
            return None
        self._trail.row(Row.JUDGED)
        judgement, rule = record.judgement, record.campaign.precision
        assert rule is not None
        judgement.samples = judgement.unread = 0
        judgement.not_before_us = turn.now_us + COST_FACTOR * fact.judged_us
        judgement.error = fact.error
        if record.blocks is not None and record.blocks.looks is not None:
            record.blocks.looks.take(judged(exact_rule(rule, record.campaign.stop), fact))
        else:
            take(record, judged(rule, fact))
        return record

    def failed(self, fact: PrecisionUnjudged, turn: Turn) -> tuple[CampaignRecord, str] | None:
        """A look came to nothing: the campaign, and why it can never be taken, if so."""
        record = self._waiting(fact.campaign, fact.look)
        if record is None:
            self._trail.row(Row.JUDGED_LATE)
            return None
        self._trail.row(Row.UNJUDGED)
        judgement = record.judgement
        judgement.samples = 0
        if fact.name in self._state.partials:
            judgement.unread += 1
            judgement.not_before_us = turn.now_us + AGAIN_US
            if judgement.unread >= UNREAD_MAX:
                return record, f"partial {fact.name} cannot be read"
        return record, fact.problem

    def _waiting(self, number: int, look: int) -> CampaignRecord | None:
        record = self._state.campaigns.get(number)
        if record is None or not record.judgement.samples or record.judgement.look != look:
            return None
        return record

    def _due(self, record: CampaignRecord) -> int | None:
        """The block at which the look that is due ends; 0: it is about all that is stored."""
        blocks = record.blocks
        if blocks is None or blocks.looks is None:
            return 0 if record.stored >= record.look_at else None
        return blocks.looks.due(blocks.prefix())


def is_judged(record: CampaignRecord) -> bool:
    """Whether the precision of a campaign needs the merged result."""
    rule = record.campaign.precision
    if rule is None or rule.where is not None:
        return rule is not None
    return bool(record.stored) and not record.sums


def is_overdue(record: CampaignRecord) -> bool:
    """Whether as much is stored as the last look asked for: only the next one can tell more."""
    goal = record.found.goal
    return goal is not None and goal <= record.samples and is_judged(record)


def take(record: CampaignRecord, estimate: Estimate) -> None:
    """Free mode: a look has found this; the next comes after 5 % more, or at the forecast."""
    record.estimate = estimate
    later = -(-estimate.samples * LOOK_GROWTH_PERCENT // 100)
    record.look_at = min(later, max(estimate.goal or later, estimate.samples + 1))


def exact_rule(rule: Precision, stop: StopRule) -> Precision:
    """A precision rule as prefixes are judged by it: none is met that holds too few samples."""
    if not isinstance(stop, AllOf):
        return rule
    least = [one.count for one in stop.rules if isinstance(one, Samples)]
    return replace(rule, samples_min=max([rule.samples_min, *least]))


def _start(partial: PartialRecord) -> tuple[int, int]:
    first = partial.coverage.spans[0]
    return first.line, first.start
