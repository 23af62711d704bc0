"""What the master remembers of one campaign."""

from __future__ import annotations

from dataclasses import dataclass, field

from manyhands.control.blocks import Blocks
from manyhands.control.count import RunningCount
from manyhands.control.records import NEVER_US
from manyhands.control.stopping import Estimate
from manyhands.model.campaign import Campaign, Stage


@dataclass(slots=True)
class Shelf:
    """The accepted partials of a campaign that no merge task holds, by who should go first."""

    settled: dict[str, bool] = field(default_factory=dict)  # sealed, or of tasks that have ended
    open: dict[str, bool] = field(default_factory=dict)  # of tasks that still replace them
    beyond: dict[int, list[str]] = field(default_factory=dict)  # exact: segments not looked at yet
    claims: int = 0  # that are active


@dataclass(slots=True)
class Judgement:
    """What a precision rule has to be told of merged results: one answer at a time."""

    look: int = 0  # how many were asked for
    samples: int = 0  # that the outstanding one is about; 0: none is
    not_before_us: int = 0  # the next is not asked for sooner
    unread: int = 0  # how many in a row found something that cannot be read
    error: float | None = None  # that the last one found, for reports


@dataclass(slots=True)
class CampaignRecord:
    """A campaign as the master sees it."""

    campaign: Campaign
    submitted_us: int
    goal: int = 0  # positions that a plain count of samples asks of all quotas; 0: another rule
    period_us: int = 0  # the report period, if the campaign fixes it
    stage: Stage = Stage.OPEN
    reason: str = ""
    count: RunningCount = field(default_factory=RunningCount)
    blocks: Blocks | None = None
    shelf: Shelf = field(default_factory=Shelf)
    stored: int = 0  # positions accepted
    refused: int = 0  # positions that came after the close
    sums: list[int] = field(default_factory=list)  # of all accepted partials
    estimate: Estimate = field(default_factory=Estimate)
    judgement: Judgement = field(default_factory=Judgement)
    look_at: int = 0  # free mode: how many samples the next look needs
    unassigned: int = 0  # samples in no task's share
    tasks_started: int = 0
    alive: int = 0  # tasks that may still bring something: running or ending
    shares: dict[int, int] = field(default_factory=dict)  # pilot: how many it was given
    stopping: bool = False  # published algorithm: everybody is told to stop
    failures_in_a_row: int = 0
    used_us: int = 0  # slot time that was reported
    upload_us: int = 0  # how long an upload takes, lately
    numeric_class: str = ""
    unreadable: list[str] = field(default_factory=list)  # accepted, but no merger could read them
    closed_us: int = 0
    final_blocks: int | None = None  # exact mode: the answer holds blocks 0 to before this
    alarm_us: int = NEVER_US

    @property
    def found(self) -> Estimate:
        """What the last look at a precision found."""
        looks = None if self.blocks is None else self.blocks.looks
        return self.estimate if looks is None else looks.estimate

    @property
    def samples(self) -> int:
        """How many samples are stored."""
        return (
            self.stored
            if self.blocks is None
            else self.campaign.samples_in(self.blocks.accepted.size)
        )
