"""Every order that the deciding code returns, in the imperative; repeating one does no harm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple, Union

from manyhands.model.campaign import Stage
from manyhands.model.failures import FailureCause
from manyhands.model.orders import MergeInput, Order
from manyhands.model.stopping import Precision


@dataclass(frozen=True)
class Reply:
    """Answer a pilot's message; it speaks again after `report_in_s` at the latest."""

    __slots__ = ("incarnation", "number", "orders", "pilot", "report_in_s")
    pilot: int
    incarnation: int
    number: int
    orders: Tuple[Order, ...]
    report_in_s: float


@dataclass(frozen=True)
class WakeAt:
    """Send a tick at this time, or soon after."""

    time_s: float


@dataclass(frozen=True)
class DeleteObject:
    """Nothing needs this object any more, and the journal says so: delete it, then say it is."""

    name: str


@dataclass(frozen=True)
class ReportIncident:
    """Somebody should know: a named failure, with whom and what it concerns."""

    cause: FailureCause
    pilot: Optional[int]
    task: Optional[int]
    detail: str


@dataclass(frozen=True)
class AnnounceStage:
    """A campaign moved to another stage; `reason` says why in words."""

    campaign: int
    stage: Stage
    reason: str


@dataclass(frozen=True)
class JudgePrecision:
    """Say how precise these partials are together, in this order, by what the rule asks.

    They hold so many `samples`. Until the answer, or the next such order for this campaign, none
    of them may vanish, whatever is ordered to be deleted.
    """

    campaign: int
    look: int
    samples: int
    rule: Precision
    partials: Tuple[MergeInput, ...]


Command = Union[Reply, WakeAt, DeleteObject, ReportIncident, AnnounceStage, JudgePrecision]
