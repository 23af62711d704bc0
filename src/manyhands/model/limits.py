"""What is never exceeded: every number that bounds the deciding code, with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.model.checks import require, require_count, require_seconds


@dataclass(frozen=True)
class Limits:
    """The bounds of one pool; the defaults suit a laptop and a grid alike."""

    campaigns_max: int = 1000
    pilots_max: int = 2_000_000
    slots_per_pilot_max: int = 4096
    facts_per_message_max: int = 10_000
    tasks_per_campaign_max: int = 10_000_000
    silence_s_min: float = 60.0  # a pilot is lost after this long, or 3 periods if that is longer
    silence_periods: int = 3
    overdue_s_max: float = 10.0  # a report this late, or a quarter period, is not waited for
    reports_per_s: float = 200.0  # what the report periods of all pilots together aim at
    replies_per_s_max: float = 1000.0  # never more than this per campaign, even in the end-game
    reports_per_campaign: int = 300  # how many reports one pilot makes in a whole campaign
    period_s_min: float = 0.1
    period_s_max: float = 900.0
    lease_periods_max: int = 4  # how far ahead a task may hold blocks, in report periods
    spans_per_order_max: int = 64  # intervals in one lease, before the grid of looks cuts them
    claim_s_min: float = 60.0  # how long a merge task may take before its inputs return
    hosts_per_block_max: int = 3  # a block that fails on so many pilots is poisoned
    failures_in_a_row_max: int = 30  # so many failed tasks, nothing stored between: give up
    names_remembered_max: int = 1_000_000  # collected object names, the oldest forgotten first

    def __post_init__(self) -> None:
        for field, value in sorted(vars(self).items()):
            if field.endswith("_s") or "_s_" in field:
                require_seconds(field, value)
            else:
                require_count(field, value, 1)
        require(
            self.period_s_min <= self.period_s_max,
            "period_s_min",
            self.period_s_min,
            f"at most period_s_max ({self.period_s_max})",
        )
