"""What holds of the master's memory after every event, whatever anybody said."""

from __future__ import annotations

from manyhands.control.blocks import Blocks
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.controller import Controller
from manyhands.control.count import RunningCount
from manyhands.control.records import (
    RATE_BITS,
    ClaimState,
    PartialRecord,
    PartialState,
    PilotState,
    TaskRecord,
    TaskState,
)
from manyhands.control.state import State
from manyhands.model.campaign import Stage
from manyhands.model.coverage import Coverage

ACTIVE = (TaskState.RUNNING, TaskState.ENDING)
WANTING = (Stage.OPEN, Stage.DRAINING)
NEEDED = (
    PartialState.OPEN,
    PartialState.SEALED,
    PartialState.CLAIMED,
    PartialState.QUARANTINED,
)


def check(controller: Controller) -> None:
    """Assert all of it; the cost is that of the whole state."""
    state = controller.state
    tasks: dict[int, list[TaskRecord]] = {number: [] for number in state.campaigns}
    partials: dict[int, list[PartialRecord]] = {number: [] for number in state.campaigns}
    for task in state.tasks.values():
        tasks[task.campaign].append(task)
    for name, partial in state.partials.items():
        assert name == partial.name
        assert name not in state.given_up, f"{name} is needed and given up"
        assert partial.state in NEEDED
        partials[partial.campaign].append(partial)
    for number, record in state.campaigns.items():
        _check_count(record, tasks[number])
        _check_ledger(record, partials[number], tasks[number])
        _check_shelf(record, partials[number])
        if record.blocks is not None:
            _check_blocks(record, record.blocks, partials[number])
    _check_pilots(state)
    _check_claims(state)
    ended = (Stage.DONE, Stage.FAILED, Stage.CANCELLED)
    active = [number for number, one in state.campaigns.items() if one.stage not in ended]
    assert sorted(state.active) == sorted(active)


def _check_count(record: CampaignRecord, tasks: list[TaskRecord]) -> None:
    """Running sums are what they would be if they were made anew."""
    counted = [task for task in tasks if task.counted]
    again = RunningCount(
        level=sum((task.position << RATE_BITS) - task.rate * task.heard_us for task in counted),
        slope=sum(task.rate for task in counted),
        reported=sum(task.position for task in counted),
        tasks=len(counted),
        settled=sum(task.accepted for task in tasks if not task.counted),
    )
    assert record.count == again, f"{record.count} should be {again}"
    assert all(task.state in ACTIVE for task in counted)
    assert record.alive == sum(task.state in ACTIVE for task in tasks)


def _check_ledger(
    record: CampaignRecord, partials: list[PartialRecord], tasks: list[TaskRecord]
) -> None:
    # Overlap is raised if two accepted partials hold a common sample.
    accepted = Coverage.of(span for one in partials for span in one.coverage.spans)
    assert record.stored == accepted.size
    streams = [task.stream for task in tasks if task.stream >= 0]
    assert len(streams) == len(dict.fromkeys(streams)), "two tasks on one stream"
    by_name = {one.name: one for one in partials}
    for task in tasks:
        assert 0 <= task.seal <= task.accepted
        if record.stage not in WANTING:
            continue  # what lay beyond the final prefix may have been dropped
        if not task.open_name:
            assert task.seal == task.accepted
            continue
        opened = by_name[task.open_name]
        assert opened.state is PartialState.OPEN
        assert (opened.task, opened.start, opened.end) == (task.task, task.seal, task.accepted)
    if all(one.task >= 0 for one in partials):
        sums = [0] * len(record.sums)
        for partial in partials:
            for i, one in enumerate(partial.sums):
                sums[i] += one
        assert record.stage not in WANTING or record.sums == sums


def _check_shelf(record: CampaignRecord, partials: list[PartialRecord]) -> None:
    """Each partial that nobody merges stands in one place, where it belongs."""
    shelf = record.shelf
    beyond = [name for names in shelf.beyond.values() for name in names]
    places = [*shelf.settled, *shelf.open, *beyond]
    assert len(places) == len(dict.fromkeys(places)), "a partial stands in two places"
    waiting = [
        one.name for one in partials if one.state in (PartialState.OPEN, PartialState.SEALED)
    ]
    assert sorted(places) == sorted(waiting)
    torn = [one.name for one in partials if one.state is PartialState.QUARANTINED]
    assert sorted(record.unreadable) == sorted(torn)


def _check_blocks(record: CampaignRecord, blocks: Blocks, partials: list[PartialRecord]) -> None:
    for one in (blocks.accepted, blocks.free, blocks.copied, blocks.poisoned, blocks.retried):
        one.check()
    if record.stage in WANTING:
        size = sum(one.coverage.size for one in partials)
        assert blocks.accepted.size == size + record.campaign.begins_at
        for partial in partials:
            for span in partial.coverage.spans:
                assert not blocks.accepted.missing_in(span.start, span.end)
    for start, end in blocks.free.intervals():
        assert end <= blocks.frontier
        assert not blocks.accepted.overlaps(start, end)
        assert not blocks.poisoned.overlaps(start, end)
    for start, end in blocks.poisoned.intervals():
        assert not blocks.accepted.overlaps(start, end)
    for holding in blocks.holdings.values():
        holding.held.check()
        holding.ever.check()
        for start, end in holding.held.intervals():
            assert not holding.ever.missing_in(start, end)
            assert not blocks.free.overlaps(start, end), "a held block is free"
    if record.stage in WANTING:
        _check_nobody_forgot_a_block(blocks)


def _check_nobody_forgot_a_block(blocks: Blocks) -> None:
    """Below the frontier a block is accepted, poisoned, free, held, or waits to be tried again."""
    whole = [blocks.accepted, blocks.poisoned, blocks.free]
    whole += [holding.held for holding in blocks.holdings.values()]
    gaps = [(0, blocks.frontier)] if blocks.frontier else []
    for one in whole:
        gaps = [left for gap in gaps for left in one.missing_in(*gap)]
    for start, end in gaps:
        for block in range(start, end):
            assert block in blocks.suspects, f"block {block} is nobody's"
            assert not blocks.retried.contains(block), f"nobody tries block {block} again"


def _check_pilots(state: State) -> None:
    alive = (PilotState.LIVE, PilotState.OVERDUE)
    pilots = state.pilots.values()
    assert state.living == sum(one.state in alive for one in pilots)
    assert state.idle == sum(one.idle for one in pilots)
    for pilot in pilots:
        assert len(pilot.tasks) + len(pilot.claims) + pilot.proving + pilot.idle <= pilot.slots
        for number in pilot.tasks:
            task = state.tasks[number]
            assert task.pilot == pilot.pilot
            assert task.state in (*ACTIVE, TaskState.LOST)
            if pilot.state is PilotState.LIVE and task.state in ACTIVE:
                assert task.counted
        if pilot.state not in alive:
            lost = [state.tasks[one].state is TaskState.LOST for one in pilot.tasks]
            assert all(lost), f"{pilot.pilot} is {pilot.state.value}, and works"
            assert not pilot.claims
            assert pilot.idle == 0
        else:
            due = (pilot.armed_us, 0, pilot.pilot) in state.alarms.heap
            assert due, f"nobody would notice that pilot {pilot.pilot} is silent"
    for task in state.tasks.values():
        if task.state in ACTIVE:
            assert task.task in state.pilots[task.pilot].tasks


def _check_claims(state: State) -> None:
    active = [one for one in state.claims.values() if one.state is ClaimState.ACTIVE]
    held = [name for one in active for name in one.inputs]
    claimed = [one.name for one in state.partials.values() if one.state is PartialState.CLAIMED]
    assert sorted(held) == sorted(claimed)
    for claim in active:
        assert claim.claim in state.pilots[claim.pilot].claims
    for number, record in state.campaigns.items():
        assert record.shelf.claims == sum(one.campaign == number for one in active)
