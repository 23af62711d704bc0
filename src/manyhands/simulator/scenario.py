"""The input of a simulated world: campaigns, pilots, network, store, master and what befalls them.

A scenario is plain frozen data and checked whole at birth. Times are seconds of the simulated
clock, from 0. Nothing is in it that the deciding code could know: faults belong to the scenario.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from manyhands.model.campaign import Campaign, Stage
from manyhands.model.checks import require, require_count, require_seconds, require_text
from manyhands.model.failures import FailureCause
from manyhands.model.limits import Limits
from manyhands.simulator.host import SpeedProfile


@dataclass(frozen=True, slots=True)
class Submission:
    """A campaign, when it is submitted, and when its owner wants no more of it.

    That is at a time (`cancelled_s`), or as soon as it has come to a stage (`cancelled_in`).
    """

    campaign: Campaign
    submitted_s: float = 0.0
    cancelled_s: float | None = None
    cancelled_in: Stage | None = None

    def __post_init__(self) -> None:
        _require_time("submitted_s", self.submitted_s)
        _require_time_or_none("cancelled_s", self.cancelled_s, self.submitted_s)


@dataclass(frozen=True, slots=True)
class PilotPlan:
    """A pilot's whole life, told in advance.

    `death_s`: its process ends without a word; somebody sees it `exit_seen_s` later, or nobody
    does. With `restart_s`, the pilot comes back so long after that, as its next incarnation, with
    what it finds stored and not answered; as a `ghost`, the old process did not die but goes on
    beside it. `silences`: (from, until) when nothing passes between it and the world, while it goes
    on. `stranger`: its first message never says who it is. `finds_otherwise`: when it restarts,
    it stores what its last life stored once more, in other bytes; `finds_foreign`: it takes what
    another pilot stored for its own. `walltime_s`: its process is killed then, and told so
    `notice_s` before.
    """

    pilot: int
    arrival_s: float
    profile: SpeedProfile
    slots: int = 1
    site: str = ""
    death_s: float | None = None
    exit_seen_s: float | None = None
    restart_s: float | None = None
    ghost: bool = False
    silences: tuple[tuple[float, float], ...] = ()
    walltime_s: float | None = None
    notice_s: float = 60.0
    removed_s: float | None = None
    slow_factor: float = 1.0
    upload_s: tuple[float, float] = (5.0, 30.0)
    fails_task_p: float = 0.0
    crash_causes: tuple[FailureCause, ...] = (FailureCause.APPLICATION_CRASHED,)
    numeric_class: str = "a"
    stranger: bool = False
    finds_otherwise: bool = False
    finds_foreign: bool = False

    def __post_init__(self) -> None:
        require_count("pilot", self.pilot)
        require_count("slots", self.slots, 1)
        _require_time("arrival_s", self.arrival_s)
        _require_time_or_none("death_s", self.death_s, self.arrival_s)
        _require_time_or_none("walltime_s", self.walltime_s, self.arrival_s)
        _require_time_or_none("removed_s", self.removed_s, self.arrival_s)
        _require_time_or_none("exit_seen_s", self.exit_seen_s)
        _require_time_or_none("restart_s", self.restart_s)
        _require_time("notice_s", self.notice_s)
        dies = self.death_s is not None
        require(dies or self.restart_s is None, "restart_s", self.restart_s, "None without death_s")
        comes_back = self.restart_s is not None
        for name in ("ghost", "finds_otherwise", "finds_foreign"):
            told = getattr(self, name)
            require(comes_back or not told, name, told, "False without restart_s")
        _require_windows("silences", self.silences)
        require(self.slow_factor > 0, "slow_factor", self.slow_factor, "above 0")
        _require_range("upload_s", self.upload_s)
        _require_share("fails_task_p", self.fails_task_p)
        require(bool(self.crash_causes), "crash_causes", self.crash_causes, "at least one cause")
        require_text("numeric_class", self.numeric_class)

    def lives(self, faults_end_s: float = inf) -> list[tuple[float, float]]:
        """When it computes, as (from, until): faults that would come after their end do not."""
        last_s = _if_before(self.walltime_s, faults_end_s)
        death_s = _if_before(self.death_s, faults_end_s)
        if death_s >= last_s or self.restart_s is None:
            return [(self.arrival_s, min(death_s, last_s))]
        back_s = death_s + self.restart_s
        lives = [(self.arrival_s, death_s), (back_s, last_s)]
        return [(start, end) for start, end in lives if start < end]


@dataclass(frozen=True, slots=True)
class Network:
    """Messages take a lognormal time each way; some are lost, some come twice, the copy later."""

    latency_median_s: float = 0.5
    latency_sigma: float = 1.0
    loss_p: float = 0.0
    duplicate_p: float = 0.0
    reorder_extra_s: float = 0.0

    def __post_init__(self) -> None:
        require_seconds("latency_median_s", self.latency_median_s)
        require(self.latency_sigma >= 0, "latency_sigma", self.latency_sigma, "0 or more")
        _require_share("loss_p", self.loss_p)
        _require_share("duplicate_p", self.duplicate_p)
        _require_share("loss_p + duplicate_p", self.loss_p + self.duplicate_p)
        _require_time("reorder_extra_s", self.reorder_extra_s)


@dataclass(frozen=True, slots=True)
class StorePlan:
    """How the store fails: uploads that end in an error, or in an object that is not whole.

    `twice_p`: the message that says so is delivered again, up to `twice_s` later.
    `rotten_p`: of the downloads that fail, those of an object that nobody can read any more.
    `misnamed_p`: of the merges, those whose output is announced by the name of an input.
    `misjudged_p`: of the looks at merged results, those that do not hold on to what they are about,
    and those during which the last answer comes again. `judge_s`: how long a look takes.
    """

    fail_p: float = 0.0
    torn_p: float = 0.0
    twice_p: float = 0.0
    twice_s: float = 600.0
    fetch_fail_p: float = 0.0
    rotten_p: float = 0.0
    misnamed_p: float = 0.0
    misjudged_p: float = 0.0
    judge_s: tuple[float, float] = (0.1, 1.0)
    delete_s: tuple[float, float] = (0.1, 5.0)
    objects_max: int | None = None

    def __post_init__(self) -> None:
        for name in ("fail_p", "torn_p", "twice_p", "fetch_fail_p", "rotten_p", "misnamed_p"):
            _require_share(name, getattr(self, name))
        _require_share("misjudged_p", self.misjudged_p)
        _require_range("judge_s", self.judge_s)
        require_seconds("twice_s", self.twice_s)
        _require_range("delete_s", self.delete_s)
        if self.objects_max is not None:
            require_count("objects_max", self.objects_max, 1)

    @property
    def reliable(self) -> bool:
        """Whether it takes everything, whole."""
        return self.objects_max is None and not (self.fail_p or self.torn_p)


@dataclass(frozen=True, slots=True)
class MasterPlan:
    """When the master is away, what it saves, and how often unreferenced objects are given up.

    `collect_late_s`: so long, at most, after it was seen to be unreferenced an object is given up.
    `cut_at_event`: it is killed when it has journaled so many events, before it decides on the
    last one, and is away for `cut_outage_s`. `clock_back_s`: how far the clock of whoever takes
    over may be behind the true time.
    """

    outages: tuple[tuple[float, float], ...] = ()
    snapshot_every: int = 1000
    collect_every_s: float | None = None
    collect_age_s: float = 600.0
    collect_late_s: float = 0.0
    cut_at_event: int | None = None
    cut_outage_s: float = 5.0
    clock_back_s: float = 0.0

    def __post_init__(self) -> None:
        _require_windows("outages", self.outages)
        require_count("snapshot_every", self.snapshot_every, 1)
        if self.collect_every_s is not None:
            require_seconds("collect_every_s", self.collect_every_s)
        _require_time("collect_age_s", self.collect_age_s)
        _require_time("collect_late_s", self.collect_late_s)
        if self.cut_at_event is not None:
            require_count("cut_at_event", self.cut_at_event, 1)
        require_seconds("cut_outage_s", self.cut_outage_s)
        _require_time("clock_back_s", self.clock_back_s)

    @property
    def may_be_away(self) -> bool:
        """Whether its state can ever be lost."""
        return bool(self.outages) or self.cut_at_event is not None


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything that a world is a function of.

    `poisoned`: (campaign, block) pairs that fail wherever they are computed. `broken_s`: (from,
    until) when the application fails wherever it runs. From `faults_end_s` on
    nothing new goes wrong, though poisoned blocks stay so. The world ends `linger_s` after the last
    campaign ended, at `until_s` at the latest.
    """

    seed: int
    campaigns: tuple[Submission, ...]
    pilots: tuple[PilotPlan, ...]
    until_s: float
    network: Network = field(default_factory=Network)
    store: StorePlan = field(default_factory=StorePlan)
    master: MasterPlan = field(default_factory=MasterPlan)
    limits: Limits = field(default_factory=Limits)
    faults_end_s: float = inf
    poisoned: tuple[tuple[int, int], ...] = ()
    broken_s: tuple[float, float] | None = None
    linger_s: float = 0.0

    def __post_init__(self) -> None:
        require_count("seed", self.seed)
        require_seconds("until_s", self.until_s)
        require(self.faults_end_s >= 0, "faults_end_s", self.faults_end_s, "0 or more")
        _require_time("linger_s", self.linger_s)
        if self.broken_s is not None:
            _require_windows("broken_s", (self.broken_s,))
        _require_distinct("campaigns", [one.campaign.campaign for one in self.campaigns])
        _require_distinct("pilots", [plan.pilot for plan in self.pilots])
        require(bool(self.campaigns), "campaigns", self.campaigns, "at least one")


def _if_before(time_s: float | None, end_s: float) -> float:
    return inf if time_s is None or time_s >= end_s else time_s


def _require_time(name: str, value: float) -> None:
    require(0 <= value < inf, name, value, "a finite number of seconds, 0 or more")


def _require_time_or_none(name: str, value: float | None, least: float = 0.0) -> None:
    valid = value is None or least <= value < inf
    require(valid, name, value, f"None, or finite and at least {least} s")


def _require_share(name: str, value: float) -> None:
    require(0 <= value <= 1, name, value, "a probability between 0 and 1")


def _require_range(name: str, value: tuple[float, float]) -> None:
    require(0 <= value[0] <= value[1] < inf, name, value, "(least, most) in seconds")


def _require_windows(name: str, windows: Sequence[tuple[float, float]]) -> None:
    previous = 0.0
    for start, end in windows:
        require(previous <= start < end, name, (start, end), f"(from, until) after {previous} s")
        previous = end


def _require_distinct(name: str, numbers: list[int]) -> None:
    require(len(set(numbers)) == len(numbers), name, numbers, "numbered differently, each")
