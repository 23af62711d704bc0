"""What must hold when a world has ended: the answers are whole, and they are the right ones."""

from __future__ import annotations

from manyhands.control.block_set import BlockSet
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.controller import Controller
from manyhands.control.judging import exact_rule
from manyhands.control.looks import Looks
from manyhands.control.stopping import judged
from manyhands.model.campaign import Stage
from manyhands.model.coverage import BLOCK_LINE, Coverage, Overlap, Span
from manyhands.model.stopping import Samples
from manyhands.simulator import toy
from manyhands.simulator.shadow import CampaignShadow, Shadow, bits_of, require
from manyhands.simulator.toy import Toy
from manyhands.simulator.world import World


def check_end(shadow: Shadow, world: World, stages: dict[int, Stage]) -> None:
    """Whatever became of the campaigns, their objects are there; the answers are checked."""
    controller = world.master.controller
    assert isinstance(controller, Controller)
    for number, ours in shadow.campaigns.items():
        names = tuple(ours.objects)
        for name in names:
            require(name in world.store.objects, "what is needed is kept", name)
        try:
            coverage, value = world.store.union(names)
        except Overlap as overlap:
            require(False, "no sample twice", number, overlap)
            return
        require(coverage.size == ours.stored, "counts shown = counts held", number, ours.stored)
        expected = toy.value(ours.campaign.seed, coverage)
        require(value == expected, "the answer is that of its samples", number, value, expected)
        if stages.get(number) is Stage.DONE and not world.master.away:
            record = controller.state.campaigns[number]
            require(record.stage is Stage.DONE, "an end is the end", record.stage)
            _check_answer(ours, record, coverage, world.physics.toys[number])


def _check_answer(
    ours: CampaignShadow, record: CampaignRecord, coverage: Coverage, application: Toy
) -> None:
    stored = ours.stored
    require(stored == record.stored, "counts shown = counts held", stored, record.stored)
    if ours.campaign.merging.mergers and stored:
        require(len(ours.objects) == 1, "merged = accepted at the end", list(ours.objects))
    if not ours.exact:
        return
    prefix = record.final_blocks
    if prefix is None and isinstance(ours.campaign.stop, Samples):
        prefix = ours.campaign.blocks_wanted
    if prefix is None:
        return
    assert record.blocks is not None
    poisoned = [one for one in record.blocks.poisoned.intervals() if one[0] < prefix]
    wanted = (1 << prefix) - 1
    for start, end in poisoned:
        wanted &= ~((1 << end) - (1 << start))
    require(bits_of(coverage) == wanted, "the answer is the prefix", prefix, coverage.size)
    if ours.campaign.precision is not None and not poisoned:
        alone = prefix_alone(application)
        require(prefix in (alone, ours.campaign.blocks_wanted), "the same stop on any hands", alone)
    if not poisoned:
        whole = Coverage((Span(BLOCK_LINE, 0, prefix),))
        one_process = toy.value(ours.campaign.seed, whole)
        mine = toy.value(ours.campaign.seed, coverage)
        require(mine == one_process, "the same bits on any hands", mine, one_process)


def prefix_alone(application: Toy) -> int:
    """At how many blocks a precision rule stops a single process."""
    campaign = application.campaign
    assert campaign.precision is not None
    rule = exact_rule(campaign.precision, campaign.stop)
    looks = Looks(campaign.block_samples)
    segment, prefix = 0, 0
    while True:
        end = looks.segment_end(segment)
        if rule.where is None:
            looks.add(segment, application.sums(Coverage((Span(BLOCK_LINE, prefix, end),))))
            looks.advance(rule, end, BlockSet())
        elif looks.due(end) is not None:
            whole = Coverage((Span(BLOCK_LINE, 0, end),))
            looks.take(judged(rule, application.judged(whole)))
        segment, prefix = segment + 1, end
        if looks.final_blocks is not None:
            return looks.final_blocks
