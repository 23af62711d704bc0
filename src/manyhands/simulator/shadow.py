"""The truth about what counts, kept a second time: from what was said, never from the core's state.

The shadow hears the same facts and the orders that answered them, and judges every partial by the
protocol's table itself. Sets of blocks are the bits of whole numbers: nothing is shared with the
core's intervals.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from manyhands.control.stopping import Estimate
from manyhands.model.campaign import Campaign, Mode
from manyhands.model.commands import JudgePrecision, Reply
from manyhands.model.coverage import BLOCK_LINE, EMPTY, Coverage
from manyhands.model.facts import PartialStored
from manyhands.model.failures import Refusal
from manyhands.model.orders import Lease

OPEN, SEALED, CLAIMED = 0, 1, 2


class Violation(Exception):
    """A promise that was broken: which, and by what."""

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(rule, detail)
        self.rule = rule
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.rule}: {self.detail}"


def require(kept: bool, rule: str, *detail: object) -> None:
    """Refuse to go on if a promise was broken."""
    if not kept:
        raise Violation(rule, " ".join(str(one) for one in detail))


@dataclass(slots=True)
class Object:
    """An accepted partial that is still needed."""

    name: str
    campaign: int
    task: int  # -1: merged
    start: int
    end: int
    coverage: Coverage
    digest: str
    state: int
    claim: int = -1
    sums: tuple[int, ...] = ()


@dataclass(slots=True)
class TaskShadow:
    """What a task was given, and what became of it."""

    task: int
    campaign: int
    pilot: int
    stream: int
    limit: int | None
    seal: int = 0
    accepted: int = 0
    open: str = ""
    active: bool = True
    returned: bool = False  # its share was given back
    over: bool = False  # it said so, or its pilot did: it never comes back
    kept: int = 0  # what it had stored when it was last given up
    position: int = 0
    ever: int = 0  # blocks, as bits
    held: int = 0


@dataclass(slots=True)
class PilotShadow:
    """What is known of a pilot from its messages."""

    incarnation: int
    slots: int
    number: int = 0
    reply: Reply | None = None
    heard_us: int = 0
    removed: bool = False
    gone: bool = False
    lost: bool = False
    tasks: dict[int, None] = field(default_factory=dict)
    claims: dict[int, None] = field(default_factory=dict)
    proving: int = 0
    classes: dict[int, str] = field(default_factory=dict)  # campaign: digest of block 0


@dataclass(slots=True)
class CampaignShadow:
    """What is known of a campaign from what was ordered."""

    campaign: Campaign
    deadline_us: int  # when the clock alone closes it
    ended: bool = False  # nothing is accepted any more
    stored: int = 0
    refused: int = 0
    sums: Counter[int] = field(default_factory=Counter)  # of all that was accepted, by place
    streams: dict[int, int] = field(default_factory=dict)  # stream: its task
    tasks: list[TaskShadow] = field(default_factory=list)
    numeric_class: str = ""  # of all that was accepted
    accepted: int = 0  # blocks, as bits
    held_once: int = 0
    held_twice: int = 0
    leased: int = 0
    claims: int = 0
    objects: dict[str, Object] = field(default_factory=dict)
    failures: int = 0  # tasks that failed since something was accepted
    failed_blocks: dict[int, list[int]] = field(default_factory=dict)  # block: pilots
    unread: dict[str, list[int]] = field(default_factory=dict)  # object: mergers
    look: int = 0  # at the merged result: how many were ordered
    asked: JudgePrecision | None = None  # the one that is under way
    judged: Estimate = field(default_factory=Estimate)  # by the last that was taken
    unjudged: int = 0  # looks in a row that could not read what is needed
    dear_until_us: int = 0

    @property
    def exact(self) -> bool:
        """Whether it counts blocks."""
        return self.campaign.mode is Mode.EXACT


@dataclass(slots=True)
class ClaimShadow:
    """A merge that was ordered."""

    claim: int
    campaign: int
    pilot: int
    inputs: tuple[str, ...]
    granted_us: int
    active: bool = True
    output: str = ""


class Shadow:
    """All campaigns, tasks, objects and claims of a world."""

    def __init__(self) -> None:
        self.campaigns: dict[int, CampaignShadow] = {}
        self.pilots: dict[int, PilotShadow] = {}
        self.tasks: dict[int, TaskShadow] = {}
        self.objects: dict[str, Object] = {}  # accepted and needed
        self.gone: dict[str, bool] = {}  # given up: was it ever accepted
        self.claims: dict[int, ClaimShadow] = {}
        self.ended_claims: list[int] = []  # since the last event
        self.useless: dict[str, None] = {}  # since the last event: to be deleted now

    # ---- partials ------------------------------------------------------------------------

    def verdict(self, pilot: int, fact: PartialStored) -> tuple[Refusal | None, int]:
        """What the protocol's table says of a partial, and where its task's next one starts."""
        task = self.tasks.get(fact.task)
        if self.pilots[pilot].removed:
            return Refusal.REMOVED, 0 if task is None else task.seal
        if task is None or task.pilot != pilot or not self._is_own(task, fact):
            return Refusal.UNKNOWN, 0 if task is None else task.seal
        if fact.name in self.objects or self.gone.get(fact.name):
            return None, task.seal
        if fact.name in self.gone:
            return Refusal.COLLECTED, task.seal
        campaign = self.campaigns[task.campaign]
        if campaign.ended:
            return Refusal.CLOSED, task.seal
        opened = self.objects[task.open] if task.open else None
        if opened is not None and self._is_impostor(opened, fact):
            return Refusal.IMPOSTOR, task.seal
        behind = self._is_behind(task, fact)
        if not (fact.start == task.seal or behind) or fact.end <= task.accepted:
            return Refusal.ELSEWHERE, task.seal
        if campaign.exact:
            bits = bits_of(fact.coverage)
            before = 0 if opened is None or behind else bits_of(opened.coverage)
            if before & ~bits:
                return Refusal.ELSEWHERE, task.seal
            if campaign.accepted & (bits & ~before):
                return Refusal.HAVE, task.seal
        return None, fact.end if fact.final else task.seal

    def accept(self, fact: PartialStored) -> None:
        """Count a partial that was not counted before."""
        task = self.tasks[fact.task]
        campaign = self.campaigns[task.campaign]
        self._check_class(campaign, task)
        fresh = bits_of(fact.coverage) if campaign.exact else 0
        if self._is_behind(task, fact):
            self.seal(task)
        if task.open:
            opened = self.objects[task.open]
            require(opened.state == OPEN, "supersede", fact.name, "replaces", opened)
            if campaign.exact:
                fresh &= ~bits_of(opened.coverage)
            campaign.sums.subtract(dict(enumerate(opened.sums)))
            self.give_up(opened.name, True)
        gained = fact.end - task.accepted
        if campaign.exact:
            require(not campaign.accepted & fresh, "no sample twice", fact)
            require(fresh.bit_count() == gained, "coverage is what is new", fact, gained)
            campaign.accepted |= fresh
            campaign.held_once &= ~fresh
            campaign.held_twice &= ~fresh
            task.held &= ~fresh
        campaign.stored += gained
        campaign.failures = 0
        campaign.sums.update(dict(enumerate(fact.sums)))
        state = SEALED if fact.final else OPEN
        self._put(fact.name, task.campaign, task.task, fact, state)
        task.accepted = fact.end
        task.open = "" if fact.final else fact.name
        if fact.final:
            task.seal = fact.end

    def give_up(self, name: str, accepted: bool) -> None:
        """An object is of no use any more, for ever."""
        found = self.objects.pop(name, None)
        if found is not None:
            del self.campaigns[found.campaign].objects[name]
        self.gone[name] = accepted
        self.useless[name] = None

    def _check_class(self, campaign: CampaignShadow, task: TaskShadow) -> None:
        proven = self.pilots[task.pilot].classes.get(task.campaign, "")
        campaign.numeric_class = campaign.numeric_class or proven
        require(proven == campaign.numeric_class, "one numeric class", task, proven)

    def other_class(self, fact: PartialStored, chosen: str) -> bool:
        """Whether a pilot of another class than the one now chosen offers this."""
        task = self.tasks[fact.task]
        proven = self.pilots[task.pilot].classes.get(task.campaign, "")
        ours = self.campaigns[task.campaign].numeric_class
        return "" not in (proven, chosen) and proven != chosen and ours in ("", chosen)

    def _is_impostor(self, opened: Object, fact: PartialStored) -> bool:
        return opened.coverage == fact.coverage and opened.digest != fact.digest

    def seal(self, task: TaskShadow) -> None:
        """What a task has stored will not be replaced any more."""
        task.seal = task.accepted
        self.objects[task.open].state = SEALED
        task.open = ""

    def _is_behind(self, task: TaskShadow, fact: PartialStored) -> bool:
        """Whether the open partial was a whole increment, and this is the next."""
        return fact.final and bool(task.open) and fact.start == task.accepted

    def _put(self, name: str, campaign: int, task: int, fact: PartialStored, state: int) -> None:
        thing = Object(
            name,
            campaign,
            task,
            fact.start,
            fact.end,
            fact.coverage,
            fact.digest,
            state,
            sums=fact.sums,
        )
        self.objects[name] = self.campaigns[campaign].objects[name] = thing

    def _is_own(self, task: TaskShadow, fact: PartialStored) -> bool:
        if task.stream < 0:
            lines = all(span.line == BLOCK_LINE for span in fact.coverage.spans)
            return lines and not bits_of(fact.coverage) & ~task.ever
        spans = fact.coverage.spans
        return len(spans) == 1 and (spans[0].line, spans[0].start) == (task.stream, fact.start)

    # ---- blocks --------------------------------------------------------------------------

    def lease(self, task: TaskShadow, leases: tuple[Lease, ...]) -> int:
        """Blocks are given to a task; those that another task holds."""
        campaign = self.campaigns[task.campaign]
        bits = 0
        for lease in leases:
            one = (1 << lease.end) - (1 << lease.start)
            require(not bits & one, "a block is given once", task, lease)
            bits |= one
        require(not campaign.accepted & bits, "no accepted block is given", task, leases)
        require(not campaign.held_twice & bits, "no block is held by three", task, leases)
        require(not task.held & bits, "a block is given once", task, leases)
        shared = campaign.held_once & bits
        campaign.held_twice |= shared
        campaign.held_once |= bits
        campaign.leased |= bits
        task.held |= bits
        task.ever |= bits
        return shared

    def release(self, task: TaskShadow, bits: int) -> None:
        """A task does not hold these blocks any more."""
        campaign = self.campaigns[task.campaign]
        bits &= task.held
        task.held &= ~bits
        bits &= ~campaign.accepted
        twice = campaign.held_twice & bits
        campaign.held_twice &= ~twice
        campaign.held_once &= ~(bits & ~twice)

    def holders(self, campaign: CampaignShadow, bits: int, but: TaskShadow) -> list[TaskShadow]:
        """Which other tasks hold any of these blocks."""
        return [one for one in campaign.tasks if one.held & bits and one is not but]

    # ---- tasks and claims ----------------------------------------------------------------

    def stop(self, task: TaskShadow, over: bool) -> None:
        """A task is given up (it may come back), or is over for good."""
        if task.active:
            task.active = False
            if not task.returned:
                task.kept = task.accepted
            task.returned = True
            if task.held:
                self.release(task, task.held)
        if over:
            task.over = True
            self.pilots[task.pilot].tasks.pop(task.task, None)

    def drop_pilot(self, pilot: PilotShadow, lost: bool) -> None:
        """A pilot is lost, or all that it did has ended."""
        for number in list(pilot.tasks):
            self.stop(self.tasks[number], over=not lost)
        for number in list(pilot.claims):
            self.end_claim(self.claims[number])

    def end_claim(self, claim: ClaimShadow) -> None:
        """A claim has ended without its output: the inputs can be claimed again."""
        require(claim.active, "a claim ends once", claim)
        claim.active = False
        self.ended_claims.append(claim.claim)
        self.pilots[claim.pilot].claims.pop(claim.claim, None)
        self.campaigns[claim.campaign].claims -= 1
        for name in claim.inputs:
            self.objects[name].state = SEALED
            self.objects[name].claim = -1

    def merge(self, claim: ClaimShadow, name: str, digest: str) -> None:
        """The output of a claim takes the place of its inputs."""
        require(claim.active, "an ended claim brings nothing", claim, name)
        coverage = EMPTY
        for one in claim.inputs:
            thing = self.objects[one]
            require(thing.claim == claim.claim, "inputs are the claim's own", thing, claim)
            coverage |= thing.coverage
            self.give_up(one, True)
        claim.active = False
        claim.output = name
        self.pilots[claim.pilot].claims.pop(claim.claim, None)
        campaign = self.campaigns[claim.campaign]
        campaign.claims -= 1
        thing = Object(name, claim.campaign, -1, 0, 0, coverage, digest, SEALED)
        self.objects[name] = campaign.objects[name] = thing


def bits_of(coverage: Coverage) -> int:
    """The blocks of a coverage as bits."""
    bits = 0
    for span in coverage.spans:
        bits |= (1 << span.end) - (1 << span.start)
    return bits
