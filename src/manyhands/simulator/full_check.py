"""The whole state of the deciding code, against the shadow and against itself."""

from __future__ import annotations

from manyhands.control.block_set import BlockSet
from manyhands.control.blocks import Blocks
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.controller import Controller
from manyhands.control.count import RunningCount
from manyhands.control.records import (
    RATE_BITS,
    PartialState,
    PilotState,
    TaskRecord,
    TaskState,
)
from manyhands.model.campaign import Split
from manyhands.simulator.shadow import (
    CLAIMED,
    OPEN,
    SEALED,
    CampaignShadow,
    Shadow,
    require,
)

ACTIVE = (TaskState.RUNNING, TaskState.ENDING)
ALIVE = (PilotState.LIVE, PilotState.OVERDUE)
STATES = {
    PartialState.OPEN: OPEN,
    PartialState.SEALED: SEALED,
    PartialState.CLAIMED: CLAIMED,
    PartialState.QUARANTINED: SEALED,
}


def check_all(shadow: Shadow, controller: Controller) -> None:
    """Compare everything."""
    state = controller.state
    tasks: dict[int, list[TaskRecord]] = {number: [] for number in state.campaigns}
    for task in state.tasks.values():
        tasks[task.campaign].append(task)
    alive = sum(one.state in ALIVE for one in state.pilots.values())
    require(state.living == alive, "sums are kept", "living", state.living, alive)
    idle = sum(one.idle for one in state.pilots.values())
    require(state.idle == idle, "sums are kept", "idle", state.idle, idle)
    _check_objects(shadow, controller)
    for number, record in state.campaigns.items():
        ours = shadow.campaigns[number]
        _check_count(record, tasks[number], controller)
        _check_tasks(shadow, record, tasks[number])
        _check_shelf(ours, record)
        require(record.stored == ours.stored, "counts shown = counts held", number)
        sums = [ours.sums[place] for place in range(len(record.sums))]
        require(record.sums == sums, "sums are kept", number, record.sums, sums)
        if record.blocks is not None:
            _check_blocks(ours, record.blocks)


def _check_count(record: CampaignRecord, tasks: list[TaskRecord], controller: Controller) -> None:
    """The running sums are what they would be if they were made anew."""
    anew = RunningCount()
    for task in tasks:
        live = controller.state.pilots[task.pilot].state is PilotState.LIVE
        counted = task.state in ACTIVE and live
        require(task.counted == counted, "who is there is counted", task)
        if task.counted:
            anew.level += (task.position << RATE_BITS) - task.rate * task.heard_us
            anew.slope += task.rate
            anew.reported += task.position
            anew.tasks += 1
        else:
            anew.settled += task.accepted
    require(record.count == anew, "sums are kept", record.campaign.campaign, record.count, anew)
    active = sum(one.state in ACTIVE for one in tasks)
    require(record.alive == active, "sums are kept", "alive", record.alive, active)
    kind = record.campaign.splitting.kind
    if kind in (Split.STATIC, Split.CHUNKS):
        require(record.unassigned >= 0, "a share is granted once", record.unassigned)


def _check_tasks(shadow: Shadow, record: CampaignRecord, tasks: list[TaskRecord]) -> None:
    for task in tasks:
        ours = shadow.tasks.get(task.task)
        require(ours is not None, "a task was ordered", task)
        assert ours is not None
        theirs = (task.pilot, task.stream, task.seal, task.accepted, task.open_name)
        mine = (ours.pilot, ours.stream, ours.seal, ours.accepted, ours.open)
        require(theirs == mine, "tasks are as they were ordered", theirs, mine)
        require((task.state in ACTIVE) == ours.active, "who is there is counted", task, ours)
    require(record.tasks_started == len(tasks), "sums are kept", "tasks", record.tasks_started)


def _check_objects(shadow: Shadow, controller: Controller) -> None:
    theirs = controller.state.partials
    require(theirs.keys() == shadow.objects.keys(), "merged ⊆ accepted", "names differ")
    for name, partial in theirs.items():
        ours = shadow.objects[name]
        same = partial.coverage == ours.coverage and partial.digest == ours.digest
        require(same, "an object holds what it held", partial, ours)
        require(STATES.get(partial.state) == ours.state, "never un-sealed", partial, ours)


def _check_shelf(ours: CampaignShadow, record: CampaignRecord) -> None:
    """Every needed object waits in one place, or is claimed."""
    shelf = record.shelf
    beyond = [name for names in shelf.beyond.values() for name in names]
    places = [*shelf.settled, *shelf.open, *beyond, *record.unreadable]
    places += [name for name, thing in ours.objects.items() if thing.state == CLAIMED]
    require(len(places) == len(ours.objects), "every object has its place", len(places))
    require(dict.fromkeys(places).keys() == ours.objects.keys(), "every object has its place")
    require(shelf.claims == ours.claims, "sums are kept", "claims", shelf.claims, ours.claims)


def _check_blocks(ours: CampaignShadow, blocks: Blocks) -> None:
    """Every block below the frontier is somewhere, and in one place only."""
    for one in (blocks.accepted, blocks.free, blocks.copied, blocks.poisoned, blocks.retried):
        one.check()
    free, poisoned = _bits(blocks.free), _bits(blocks.poisoned)
    suspects = sum(1 << block for block in blocks.suspects)
    held = ours.held_once
    require(_bits(blocks.accepted) == ours.accepted, "accepted blocks are those accepted")
    copied = ours.held_twice
    require(_bits(blocks.copied) == copied, "copies are known", blocks.copied.intervals())
    taken = ours.accepted | held | poisoned | suspects
    require(not free & taken, "what is free is nobody's", blocks.free.intervals())
    everything = (1 << blocks.frontier) - 1
    missing = everything & ~(free | taken)
    require(missing == 0, "no block is forgotten", bin(missing)[:100])
    require(ours.leased <= everything, "nothing lies beyond the frontier", blocks.frontier)
    theirs = 0
    for number, holding in blocks.holdings.items():
        holding.held.check()
        theirs |= _bits(holding.held)
        require(not holding.held.size or number >= 0, "blocks are held by tasks", number)
    require(theirs & ~ours.accepted == held, "what is held is known")


def _bits(blocks: BlockSet) -> int:
    bits = 0
    for start, end in blocks.intervals():
        bits |= (1 << end) - (1 << start)
    return bits
