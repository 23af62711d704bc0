"""What makes no sense is refused when it is made: the field, the value, and what would be valid."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, nan

import pytest

from manyhands.model.campaign import (
    Campaign,
    Ending,
    Merging,
    Mode,
    Pace,
    Split,
    Splitting,
    default_block_samples,
)
from manyhands.model.coverage import Coverage, Span
from manyhands.model.events import (
    CampaignCancelled,
    MessageReceived,
    ObjectCollected,
    ObjectDeleted,
    PilotExited,
    PilotRemoved,
)
from manyhands.model.facts import (
    ClassProven,
    LeaseCut,
    MergeFailed,
    MergeStored,
    PartialStored,
    PilotRegistered,
    TaskEnded,
    TaskFailed,
    TaskProgressed,
    WorkRequested,
)
from manyhands.model.failures import FailureCause
from manyhands.model.limits import Limits
from manyhands.model.orders import Lease
from manyhands.model.stopping import (
    AllOf,
    AnyOf,
    Budget,
    Deadline,
    Precision,
    Samples,
    StopRule,
    all_of,
    any_of,
    leaves,
)

CRASHED = FailureCause.APPLICATION_CRASHED
SOME = Coverage((Span(0, 0, 9),))


def campaign(stop: StopRule | None = None, **more: object) -> Campaign:
    """One that is in order but for what is given."""
    given: dict[str, object] = {"campaign": 1, "name": "name", "seed": 2, **more}
    return Campaign(stop=stop or Samples(100), **given)  # type: ignore[arg-type]


exact = partial(campaign, mode=Mode.EXACT)
precise = partial(Precision, "dose")


def stored(start: int = 0, end: int = 9, name: str = "n", **more: object) -> PartialStored:
    """One that is in order but for what is given."""
    given: dict[str, object] = {
        "task": 0,
        "digest": "d",
        "coverage": SOME,
        "final": False,
        "sums": (),
        "upload_us": 1,
        **more,
    }
    return PartialStored(start=start, end=end, name=name, **given)  # type: ignore[arg-type]


Case = tuple[Callable[[], object], str, str]

CAMPAIGNS: list[Case] = [
    (lambda: campaign(campaign=-1), "campaign is -1", "a whole number, 0 or more"),
    (lambda: campaign(campaign=True), "campaign is True", "a whole number"),
    (lambda: campaign(name=""), "name is ''", "a text of 1 to 1024 characters"),
    (lambda: campaign(name="x" * 1025), "name is 'xxx", "a text of 1 to 1024 characters"),
    (lambda: campaign(seed=-1), "seed is -1", "a whole number, 0 or more"),
    (lambda: campaign(seed=1 << 64), f"seed is {1 << 64}", "below 2**64"),
    (lambda: campaign(seed=1.5), "seed is 1.5", "a whole number"),
    (lambda: campaign(over_commit=0.6), "over_commit is 0.6", "between 0 and 0.5"),
    (lambda: campaign(over_commit=-0.1), "over_commit is -0.1", "between 0 and 0.5"),
    (lambda: campaign(over_commit=nan), "over_commit is nan", "between 0 and 0.5"),
    (lambda: campaign(block_samples=5), "block_samples is 5", "0 in free mode"),
    (lambda: campaign(skip_poisoned=1), "skip_poisoned is 1", "0 in free mode"),
    (lambda: exact(block_samples=-1), "block_samples is -1", "a whole number, 0 or more"),
    (lambda: exact(splitting=Splitting(Split.CHUNKS, samples=1)), "splitting", "free mode only"),
    (lambda: exact(ending=Ending.PUBLISHED), "ending is 'published'", "free mode only"),
    (lambda: campaign(all_of(precise(relative=1.0), precise(relative=1.0))), "stop", "at most one"),
    (lambda: exact(any_of(all_of(Samples(1)))), "stop", "a rule, or one any_of or all_of"),
    (lambda: campaign(Deadline(1.0), ending=Ending.PUBLISHED), "stop", "a count of samples"),
    (
        lambda: campaign(Deadline(1.0), splitting=Splitting(Split.STATIC, tasks=1)),
        "stop",
        "a count of samples",
    ),
    (lambda: Splitting(Split.STATIC), "splitting.tasks is 0", "1 or more"),
    (lambda: Splitting(Split.EARLY_BINDING), "splitting.tasks is 0", "1 or more"),
    (lambda: Splitting(Split.CHUNKS, tasks=3), "splitting.samples is 0", "1 or more"),
    (lambda: Pace(report_s=0), "report_s is 0", "None, or seconds above 0"),
    (lambda: Pace(report_s=inf), "report_s is inf", "None, or seconds above 0"),
    (lambda: Pace(checkpoint_s=-1.0), "checkpoint_s is -1.0", "None, or seconds above 0"),
    (lambda: Merging(-1), "merging.mergers is -1", "0 or more"),
    (lambda: Merging(1, 1), "merging.inputs is 1", "2 or more"),
    (lambda: Merging(1, 2, 0.0), "merging.lease_s is 0.0", "seconds above 0"),
]

RULES: list[Case] = [
    (lambda: Samples(0), "samples is 0", "1 or more"),
    (lambda: Samples(1.0), "samples is 1.0", "a whole number"),  # type: ignore[arg-type]
    (lambda: Deadline(-1.0), "deadline is -1.0", "seconds above 0"),
    (lambda: Deadline(nan), "deadline is nan", "seconds above 0"),
    (lambda: Deadline(1e300), "deadline is 1e+300", "seconds above 0"),
    (lambda: Budget(0.0), "core_hours is 0.0", "above 0"),
    (lambda: Budget(1e305), "core_hours is 1e+305", "above 0"),
    (lambda: Pace(report_s=1e303), "report_s is 1e+303", "seconds above 0"),
    (lambda: AnyOf(()), "any_of is ()", "at least one rule"),
    (lambda: AllOf(()), "all_of is ()", "at least one rule"),
    (lambda: Precision("", relative=0.1), "tally is ''", "a text of 1"),
    (lambda: precise(), "precision is []", "either relative or absolute"),
    (lambda: precise(relative=0.1, absolute=1.0), "precision is [0.1, 1.0]", "one of them"),
    (lambda: precise(relative=0.0), "precision is 0.0", "a finite number above 0"),
    (lambda: precise(absolute=inf), "precision is inf", "a finite number above 0"),
    (lambda: precise(relative=0.1, confidence=1.0), "confidence is 1.0", "between 0 and 1"),
    (lambda: precise(relative=0.1, unit=0.0), "unit is 0.0", "above 0"),
    (lambda: precise(relative=0.1, samples_min=1), "samples_min is 1", "2 or more"),
    (lambda: precise(relative=0.1, nonzero_min=0), "nonzero_min is 0", "1 or more"),
    (lambda: precise(relative=0.1, vov_max=-1.0), "vov_max is -1.0", "above 0"),
]

LIMITS: list[Case] = [
    (lambda: Limits(pilots_max=0), "pilots_max is 0", "1 or more"),
    (lambda: Limits(silence_periods=True), "silence_periods is True", "a whole number"),
    (lambda: Limits(silence_s_min=0.0), "silence_s_min is 0.0", "seconds above 0"),
    (lambda: Limits(reports_per_s=-1.0), "reports_per_s is -1.0", "above 0"),
    (lambda: Limits(period_s_min=10.0, period_s_max=5.0), "period_s_min is 10.0", "at most"),
    (lambda: Limits(claim_s_min=inf), "claim_s_min is inf", "above 0"),
]

FACTS: list[Case] = [
    (lambda: PilotRegistered(0), "slots is 0", "1 or more"),
    (lambda: PilotRegistered(1, "x" * 201), "site is 'xxx", "at most 200 characters"),
    (lambda: ClassProven(-1, "d"), "campaign is -1", "0 or more"),
    (lambda: ClassProven(1, ""), "digest is ''", "a text of 1 to 400"),
    (lambda: WorkRequested(0), "slots is 0", "1 or more"),
    (lambda: TaskProgressed(-1, 0, 0), "task is -1", "0 or more"),
    (lambda: TaskProgressed(0, -1, 0), "position is -1", "0 or more"),
    (lambda: TaskProgressed(0, 0, -1), "busy_us is -1", "0 or more"),
    (lambda: TaskProgressed(0, 1 << 63, 0), f"position is {1 << 63}", f"at most {1 << 62}"),
    (lambda: TaskProgressed(0, 0, 1 << 63), f"busy_us is {1 << 63}", "at most"),
    (lambda: TaskEnded(-1), "task is -1", "0 or more"),
    (lambda: TaskFailed(0, CRASHED, -1), "block is -1", "0 or more"),
    (lambda: LeaseCut(0, ((3, 3),)), "blocks is (3, 3)", "0 <= start < end"),
    (lambda: LeaseCut(0, ((-1, 3),)), "blocks is (-1, 3)", "0 <= start < end"),
    (lambda: MergeStored(-1, "n", "d"), "claim is -1", "0 or more"),
    (lambda: MergeStored(0, "", "d"), "name is ''", "a text of 1 to 400"),
    (lambda: MergeFailed(-1, CRASHED), "claim is -1", "0 or more"),
    (lambda: stored(task=-1), "task is -1", "0 or more"),
    (lambda: stored(start=-1), "start is -1", "0 or more"),
    (lambda: stored(start=9), "end is 9", "10 or more"),
    (lambda: stored(name="x" * 401), "name is 'xxx", "a text of 1 to 400"),
    (lambda: stored(sums=(1,) * 65), "sums is 65", "at most 64 numbers"),
    (lambda: stored(sums=(1, 1 << 1024)), f"sums is {1 << 1024}", "at most 1024 bits"),
    (lambda: stored(sums=(-(1 << 1024),)), f"sums is {-(1 << 1024)}", "at most 1024 bits"),
    (lambda: stored(end=1 << 63), f"end is {1 << 63}", "at most"),
    (lambda: stored(upload_us=1 << 63), f"upload_us is {1 << 63}", "at most"),
    (lambda: stored(upload_us=-1), "upload_us is -1", "0 or more"),
    (lambda: stored(end=8), "coverage is 9", "of size 8"),
    (lambda: Lease(3, 3), "lease is 3..3", "hold a block"),
]

EVENTS: list[Case] = [
    (lambda: MessageReceived(-1, 0, 1, ()), "pilot is -1", "0 or more"),
    (lambda: MessageReceived(0, -1, 1, ()), "incarnation is -1", "0 or more"),
    (lambda: MessageReceived(0, 0, 0, ()), "number is 0", "1 or more"),
    (lambda: MessageReceived(0, 0, 1, (), -1), "round_trip_us is -1", "0 or more"),
    (lambda: MessageReceived(0, 0, 1, (), 1 << 63), f"round_trip_us is {1 << 63}", "at most"),
    (lambda: CampaignCancelled(-1), "campaign is -1", "0 or more"),
    (lambda: PilotExited(-1, 0), "pilot is -1", "0 or more"),
    (lambda: PilotExited(0, -1), "incarnation is -1", "0 or more"),
    (lambda: PilotRemoved(-1), "pilot is -1", "0 or more"),
    (lambda: ObjectCollected(""), "name is ''", "a text of 1"),
    (lambda: ObjectDeleted(""), "name is ''", "a text of 1"),
]


@pytest.mark.parametrize(("make", "found", "valid"), [*CAMPAIGNS, *RULES, *LIMITS, *FACTS, *EVENTS])
def test_it_is_refused_with_the_field_the_value_and_what_would_be_valid(
    make: Callable[[], object], found: str, valid: str
) -> None:
    with pytest.raises(ValueError, match=" but must ") as refused:
        make()
    assert str(refused.value).startswith(found)
    assert valid in str(refused.value)


def test_a_block_size_that_nobody_chose_follows_from_the_stop_rule() -> None:
    assert exact(Samples(4096)).block_samples == 1
    assert exact(Samples(10**7)).block_samples == 4096
    assert exact(Deadline(1.0)).block_samples == 4096
    assert [default_block_samples(one) for one in (1, 4097, 8192, 8193)] == [1, 2, 2, 4]


def test_what_a_rule_wants_at_most_is_known() -> None:
    both = campaign(any_of(Samples(50), Samples(40), Deadline(1.0)))
    assert both.samples_wanted == 40
    assert campaign(all_of(Samples(50), Deadline(1.0))).samples_wanted is None
    assert exact(Samples(95), block_samples=10).blocks_wanted == 10
    assert exact(Samples(95), block_samples=10).samples_in(10) == 95
    assert exact(Samples(95), block_samples=10).samples_in(9) == 90
    rule = all_of(any_of(Samples(1), Deadline(2.0)), precise(relative=0.1))
    assert [type(one) for one in leaves(rule)] == [Samples, Deadline, Precision]
    assert campaign(rule).precision == precise(relative=0.1)
