"""The tally that a precision rule watches: its value and error while the campaign runs."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.judging import is_judged


@dataclass(frozen=True, slots=True)
class Measured:
    """A look at it."""

    samples: int  # that were looked at
    value: float | None  # None: an array, of which the worst cell counts
    error: float  # one standard error
    is_part: bool = False  # of the cell's value

    @property
    def relative_error(self) -> float | None:
        """The error as a part of the value."""
        if self.value is None:
            return self.error if self.is_part else None
        return self.error / abs(self.value) if self.value else None


def measured(record: CampaignRecord) -> Measured | None:
    """Its mean and standard error, from what is stored; or from the last look."""
    rule = record.campaign.precision
    if is_judged(record):
        worst, is_part = record.judgement.error, rule is not None and rule.relative is not None
        return None if worst is None else Measured(record.found.samples, None, worst, is_part)
    looks = None if record.blocks is None else record.blocks.looks
    sums = record.sums if looks is None else looks.before
    samples = record.stored if looks is None else looks.estimate.samples
    if rule is None or samples < 2 or len(sums) < 3:
        return None
    spread = max(samples * sums[2] - sums[1] * sums[1], 0)
    try:
        error = sqrt(spread / (samples * samples * (samples - 1))) * rule.unit
        return Measured(samples, sums[1] / samples * rule.unit, error)
    except OverflowError:
        return None
