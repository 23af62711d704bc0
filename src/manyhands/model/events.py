"""Every fact that the deciding code is told, in the past tense. The journal is a list of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Optional, Tuple, Union

from manyhands.model.campaign import Campaign
from manyhands.model.checks import (
    COUNT_MAX,
    require,
    require_at_most,
    require_count,
    require_text,
)
from manyhands.model.facts import Fact
from manyhands.model.failures import FailureCause


@dataclass(frozen=True)
class MessageReceived:
    """A pilot's message: one is outstanding at a time, numbered from 1 in each incarnation.

    `round_trip_us`: what the pilot measured between its last messages and their replies.
    """

    pilot: int
    incarnation: int
    number: int
    facts: Tuple[Fact, ...]
    round_trip_us: int = 0

    def __post_init__(self) -> None:
        if not (
            self.pilot >= 0 < self.number
            and self.incarnation >= 0 <= self.round_trip_us <= COUNT_MAX
        ):
            _refuse_message(self)


def _refuse_message(message: MessageReceived) -> None:
    require_count("pilot", message.pilot)
    require_count("incarnation", message.incarnation)
    require_count("number", message.number, 1)
    require_count("round_trip_us", message.round_trip_us)
    require_at_most(COUNT_MAX, round_trip_us=message.round_trip_us)


@dataclass(frozen=True)
class CampaignSubmitted:
    """Somebody wants a campaign."""

    campaign: Campaign


@dataclass(frozen=True)
class CampaignCancelled:
    """Its owner wants no more of it; what is merged stays readable."""

    campaign: int

    def __post_init__(self) -> None:
        require_count("campaign", self.campaign)


@dataclass(frozen=True)
class Ticked:
    """Time has passed; early, late and repeated ticks do no harm."""


@dataclass(frozen=True)
class MasterRestarted:
    """The deciding thread did not run for a while: every lease and claim starts anew in full."""


@dataclass(frozen=True)
class PilotExited:
    """A pilot's process is known to have ended (a child of ours, a job that its system ended)."""

    pilot: int
    incarnation: int
    cause: FailureCause = FailureCause.PILOT_EXITED

    def __post_init__(self) -> None:
        require_count("pilot", self.pilot)
        require_count("incarnation", self.incarnation)


@dataclass(frozen=True)
class PilotRemoved:
    """Somebody decided that this pilot may neither work nor deliver any more."""

    pilot: int
    cause: FailureCause = FailureCause.PILOT_REMOVED

    def __post_init__(self) -> None:
        require_count("pilot", self.pilot)


@dataclass(frozen=True)
class ObjectCollected:
    """An object that nothing refers to is given up; only after this fact may it be deleted."""

    name: str

    def __post_init__(self) -> None:
        require_text("name", self.name)


@dataclass(frozen=True)
class ObjectDeleted:
    """The store no longer has an object that was ordered to be deleted."""

    name: str

    def __post_init__(self) -> None:
        require_text("name", self.name)


@dataclass(frozen=True)
class PrecisionJudged:
    """How precise the partials of a look are together: one standard error, of the worst cell.

    `error` is a part of the value if the rule's is, and None where a cell can never be precise.
    `batches`: how many there are, if the error is one between batches. `vov`: of the worst cell,
    where four moments are kept.
    """

    campaign: int
    look: int
    samples: int
    error: Optional[float]
    batches: Optional[int]
    vov: Optional[float]
    judged_us: int

    def __post_init__(self) -> None:
        require_count("campaign", self.campaign)
        require_count("look", self.look, 1)
        require_count("samples", self.samples, 1)
        for name in ("error", "vov"):
            value = getattr(self, name)
            valid = value is None or 0 <= value < inf
            require(valid, name, value, "None, or a finite number, 0 or more")
        if self.batches is not None:
            require_count("batches", self.batches, 1)
        require_count("judged_us", self.judged_us)
        require_at_most(COUNT_MAX, samples=self.samples, judged_us=self.judged_us)


@dataclass(frozen=True)
class PrecisionUnjudged:
    """A look came to nothing: this object could not be read, or else the rule fits no result."""

    campaign: int
    look: int
    name: str
    problem: str

    def __post_init__(self) -> None:
        require_count("campaign", self.campaign)
        require_count("look", self.look, 1)
        one = bool(self.name) != bool(self.problem)
        require(one, "name", self.name, "given, or else the problem")


Event = Union[
    MessageReceived,
    CampaignSubmitted,
    CampaignCancelled,
    Ticked,
    MasterRestarted,
    PilotExited,
    PilotRemoved,
    ObjectCollected,
    ObjectDeleted,
    PrecisionJudged,
    PrecisionUnjudged,
]
