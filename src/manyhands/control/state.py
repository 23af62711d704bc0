"""All that the master remembers; a snapshot is this, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field

from manyhands.control.alarms import Alarms
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.records import (
    ClaimRecord,
    PartialRecord,
    PilotRecord,
    TaskRecord,
)


@dataclass(slots=True)
class State:
    """One pool: its pilots, its campaigns, and what they have stored."""

    now_us: int = 0
    rearmed_us: int = 0  # leases run from here at the earliest: the last restart
    pilots: dict[int, PilotRecord] = field(default_factory=dict)
    tasks: dict[int, TaskRecord] = field(default_factory=dict)
    campaigns: dict[int, CampaignRecord] = field(default_factory=dict)
    active: list[int] = field(default_factory=list)  # campaigns that have not ended
    partials: dict[str, PartialRecord] = field(default_factory=dict)  # accepted and needed
    given_up: dict[str, bool] = field(default_factory=dict)  # name: was it ever accepted
    deleting: dict[str, bool] = field(default_factory=dict)  # ordered, not yet confirmed
    claims: dict[int, ClaimRecord] = field(default_factory=dict)
    alarms: Alarms = field(default_factory=Alarms)
    next_task: int = 0
    next_claim: int = 0
    living: int = 0  # pilots that are live or overdue
    idle: int = 0  # slots of theirs for which there is no work
