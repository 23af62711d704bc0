"""Whether looks at merged results are about what is stored, and only the last answer counts."""

from __future__ import annotations

from manyhands.control.controller import Controller
from manyhands.control.judging import COST_FACTOR, UNREAD_MAX, exact_rule
from manyhands.control.stopping import Estimate, judged
from manyhands.model.commands import Command, JudgePrecision
from manyhands.model.coverage import EMPTY, Overlap
from manyhands.model.events import Event, PrecisionJudged, PrecisionUnjudged
from manyhands.simulator.shadow import CampaignShadow, Shadow, bits_of, require
from manyhands.simulator.store import StoredObject


class JudgingCheck:
    """What was asked of merged results, and what was answered."""

    def __init__(self, shadow: Shadow) -> None:
        self._shadow = shadow
        self._things: dict[str, StoredObject] = {}

    def stored(self, name: str, thing: StoredObject) -> None:
        """The store has a new object."""
        self._things[name] = thing

    def event(self, event: Event, commands: list[Command], controller: Controller) -> None:
        """An event was handled."""
        state = controller.state
        if isinstance(event, PrecisionJudged | PrecisionUnjudged):
            self._heard(event, state.now_us)
        for command in commands:
            if isinstance(command, JudgePrecision):
                self._asked(command, state.now_us, state.rearmed_us == state.now_us)

    def _asked(self, command: JudgePrecision, now_us: int, restarted: bool) -> None:
        ours = self._shadow.campaigns[command.campaign]
        require(ours.asked is None or restarted, "one look at a time", command)
        require(command.look > ours.look, "every look has its number", command, ours.look)
        require(now_us >= ours.dear_until_us, "dear looks are rare", command, now_us)
        coverage = EMPTY
        for one in command.partials:
            known = one.name in self._shadow.objects or self._shadow.gone.get(one.name)
            require(bool(known), "a look is about what is stored", one)
            same = one.digest == self._things[one.name].digest
            require(same, "a look is about what is stored", one)
            try:
                coverage |= self._things[one.name].coverage
            except Overlap as overlap:
                require(False, "no sample twice", command, overlap)
        samples = ours.campaign.samples_of(coverage)
        require(samples == command.samples, "a look is about what is stored", command, samples)
        if ours.exact:
            missing = ~bits_of(coverage) & ((1 << coverage.spans[-1].end) - 1)
            failed = sum(1 << block for block in ours.failed_blocks)
            require(not missing & ~failed, "a look is about a prefix", command)
        ours.look, ours.asked = command.look, command

    def _heard(self, event: PrecisionJudged | PrecisionUnjudged, now_us: int) -> None:
        """An answer, which counts if it is that to the last look."""
        ours = self._shadow.campaigns[event.campaign]
        if ours.ended or ours.asked is None or ours.asked.look != event.look:
            return
        rule = ours.asked.rule
        ours.asked = None
        if isinstance(event, PrecisionUnjudged):
            ours.unjudged += event.name in self._shadow.objects
            return
        ours.unjudged = 0
        ours.dear_until_us = now_us + COST_FACTOR * event.judged_us
        if ours.exact:
            rule = exact_rule(rule, ours.campaign.stop)
        ours.judged = judged(rule, event)


def found(ours: CampaignShadow) -> Estimate | None:
    """What the last look at a merged result has found; None: its rule needs no such look."""
    rule = ours.campaign.precision
    return None if rule is None or rule.where is None else ours.judged


def unreadable(ours: CampaignShadow) -> bool:
    """Whether what a look needs could not be read again and again."""
    return ours.unjudged >= UNREAD_MAX
