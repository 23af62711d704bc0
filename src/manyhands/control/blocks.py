"""Exact mode: which blocks are free, leased, copied and accepted.

Leases are intervals, lowest free first. A block may be held by two tasks at most: its holder, and
an idle hand that copies it because the holder is overdue. Only acceptance decides what counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from manyhands.control.block_set import BlockSet
from manyhands.control.looks import Looks
from manyhands.control.records import Holding
from manyhands.model.coverage import BLOCK_LINE, Coverage
from manyhands.model.orders import Lease

Interval = tuple[int, int]
BEYOND_PERCENT = 102  # nobody works further ahead of the goal than this
UNBOUNDED = 1 << 62
SUSPECT_PATIENCE = 64  # how many blocks are leased beyond a failed one before it is tried again
STRAGGLERS_TRIED = 8  # how many overdue holders an idle hand is compared with at once
COPIES = 1 << 40  # segments of copies start here, beyond all segments of the grid


@dataclass(slots=True)
class Blocks:
    """The blocks of one campaign."""

    wanted: int | None  # how many there are; None: as many as the precision needs
    looks: Looks | None
    spans_max: int
    accepted: BlockSet = field(default_factory=BlockSet)
    free: BlockSet = field(default_factory=BlockSet)  # returned: below the frontier, nobody's
    copied: BlockSet = field(default_factory=BlockSet)  # held by two tasks
    poisoned: BlockSet = field(default_factory=BlockSet)
    frontier: int = 0  # no block from here on was ever leased
    holdings: dict[int, Holding] = field(default_factory=dict)
    stragglers: list[int] = field(default_factory=list)  # tasks of overdue pilots
    suspects: dict[int, list[int]] = field(default_factory=dict)  # block: pilots it failed on
    retried: BlockSet = field(default_factory=BlockSet)  # suspects that somebody computes again
    seen: dict[int, tuple[int, str, str]] = field(default_factory=dict)  # of single intervals
    copies_given: int = 0
    refused: int = 0  # blocks computed and not accepted

    def begin_behind(self, blocks: int) -> None:
        """The first so many are accepted already, in another campaign."""
        if blocks:
            self.accepted.add(0, blocks)
            self.frontier = blocks

    def goal(self) -> int | None:
        """The prefix to work towards, in blocks."""
        precise = self.looks.goal() if self.looks is not None else None
        if precise is None or self.wanted is None:
            return self.wanted if precise is None else precise
        return min(precise, self.wanted)

    def limit(self) -> int:
        """Blocks from here on are not leased now."""
        goal = self.goal()
        if goal is None:
            return UNBOUNDED
        return goal if goal == self.wanted else -(-goal * BEYOND_PERCENT // 100)

    def lease(self, task: int, count: int, pilot: int) -> tuple[Lease, ...]:
        """Up to `count` blocks for a task: one that failed on others first, else the lowest."""
        taken = (self._take_suspect(pilot) if self.suspects else []) or self._take(count)
        return self._give(task, taken)

    def copy(self, task: int, hands: int) -> tuple[Lease, ...]:
        """Copies, for an idle hand, of its part of the blocks that an overdue pilot holds.

        They are an increment of their own, so that nothing else is refused with them if the
        holder was first.
        """
        for _ in range(min(len(self.stragglers), STRAGGLERS_TRIED)):
            straggler = self.stragglers.pop()
            held = self.holdings[straggler].held
            taken = self._uncopied(held, -(-held.size // hands)) if straggler != task else []
            if taken:
                self.stragglers.append(straggler)
                for start, end in taken:
                    self.copied.add(start, end)
                    self.copies_given += end - start
                given = self._give(task, taken)
                label = COPIES * (straggler + 1)
                return tuple(Lease(one.start, one.end, label + one.segment) for one in given)
            self.stragglers.insert(0, straggler)
        return ()

    def overlaps_accepted(self, coverage: Coverage) -> bool:
        """Whether any block of the coverage was accepted before."""
        return any(self.accepted.overlaps(span.start, span.end) for span in coverage.spans)

    def may_offer(self, task: int, coverage: Coverage) -> bool:
        """Whether a task was ever given all of these blocks, and they are of one segment."""
        holding, looks = self.holdings.get(task), self.looks
        if holding is None or any(
            span.line != BLOCK_LINE or holding.ever.missing_in(span.start, span.end)
            for span in coverage.spans
        ):
            return False
        first, last = coverage.spans[0].start, coverage.spans[-1].end - 1
        return looks is None or looks.segment_of(first) == looks.segment_of(last)

    def accept(self, task: int, coverage: Coverage) -> None:
        """Blocks that were not accepted before now are."""
        held = self.holdings[task].held
        for span in coverage.spans:
            self.accepted.add(span.start, span.end)
            for others in (held, self.free, self.copied, self.poisoned, self.retried):
                others.remove(span.start, span.end)
            if self.suspects:
                self._clear_suspects(span.start, span.end)

    def remember(self, coverage: Coverage, digest: str, name: str) -> None:
        """Keep the digest of an interval, to compare with that of a copy."""
        if len(coverage.spans) == 1:
            self.seen[coverage.spans[0].start] = (coverage.spans[0].end, digest, name)

    def refuse(self, task: int, coverage: Coverage) -> None:
        """A partial was refused whole: those of its blocks that nobody else has are free."""
        holding = self.holdings[task]
        self.refused += coverage.size
        holding.leased -= coverage.size
        for span in coverage.spans:
            for start, end in _inside(holding.held, span.start, span.end):
                holding.held.remove(start, end)
                self._release(start, end)

    def give_back(self, task: int, intervals: tuple[Interval, ...]) -> bool:
        """The holder confirms that it will not compute these; False if it does not hold them."""
        holding = self.holdings[task]
        returned = False
        for low, high in intervals:
            for start, end in _inside(holding.held, low, high):
                holding.held.remove(start, end)
                holding.leased -= end - start
                self._release(start, end)
                returned = True
        return returned

    def abandon(self, task: int) -> None:
        """A task will bring nothing more: what it holds is free."""
        holding = self.holdings.get(task)
        if holding is None:
            return
        if task in self.stragglers:
            self.stragglers.remove(task)
        for start, end in holding.held.intervals():
            self._release(start, end)
        holding.held = BlockSet()

    def fail(self, task: int, block: int, pilot: int, hosts_max: int) -> bool:
        """A block failed on a pilot; True: on so many that it is poisoned."""
        holding = self.holdings[task]
        if not holding.ever.contains(block) or self.accepted.contains(block):
            return False
        if self.poisoned.contains(block):
            return False
        if block not in self.suspects and not self.free.contains(block):
            self.retried.add(block, block + 1)  # a copy of it, which is a second try
        pilots = self.suspects.setdefault(block, [])
        pilots.append(pilot)
        self.free.remove(block, block + 1)
        # Where there are fewer hosts than it takes, the same ones may try again, twice as often.
        if len(dict.fromkeys(pilots)) < hosts_max and len(pilots) < 2 * hosts_max:
            return False
        del self.suspects[block]
        self.retried.remove(block, block + 1)
        self.poisoned.add(block, block + 1)
        return True

    def prefix(self) -> int:
        """How many blocks from 0 on are accepted without a gap, or poisoned."""
        if not self.poisoned.size:
            return self.accepted.first_gap()
        end = self.accepted.first_gap()
        while self.poisoned.contains(end):
            end = self.accepted.first_gap(end + 1)
        return end

    def complete(self) -> bool:
        """Whether every block there is was accepted or is poisoned."""
        return self.wanted is not None and self.accepted.size + self.poisoned.size >= self.wanted

    def _take(self, count: int) -> list[Interval]:
        limit = self.limit()
        taken: list[Interval] = []
        while count > 0 and len(taken) < self.spans_max:
            piece = self.free.pop_lowest(count, limit) or self._take_new(count, limit)
            if piece is None:
                break
            taken.append(piece)
            count -= piece[1] - piece[0]
        return taken

    def _take_new(self, count: int, limit: int) -> Interval | None:
        start, end = self.frontier, min(self.frontier + count, limit)
        if end <= start:
            return None
        self.frontier = end
        return start, end

    def _take_suspect(self, pilot: int) -> list[Interval]:
        # Nobody else may ever come: at the very end, or when others would have asked by now, the
        # same pilot tries again.
        limit = self.limit()
        at_end = self.frontier >= limit and not self.free.overlaps(0, limit)
        for block, pilots in self.suspects.items():
            alone = at_end or self.frontier - block > SUSPECT_PATIENCE
            if not self.retried.contains(block) and (alone or pilot not in pilots):
                self.retried.add(block, block + 1)
                return [(block, block + 1)]
        return []

    def _give(self, task: int, taken: list[Interval]) -> tuple[Lease, ...]:
        if not taken:
            return ()
        holding = self.holdings.setdefault(task, Holding())
        leases = []
        for start, end in taken:
            holding.held.add(start, end)
            holding.ever.add_missing(start, end)
            holding.leased += end - start
            leases.extend(self._split(start, end))
        return tuple(leases)

    def _split(self, start: int, end: int) -> list[Lease]:
        if self.looks is None:
            return [Lease(start, end)]
        leases = []
        while start < end:
            segment = self.looks.segment_of(start)
            stop = min(end, self.looks.segment_end(segment))
            leases.append(Lease(start, stop, segment))
            start = stop
        return leases

    def _uncopied(self, held: BlockSet, count: int) -> list[Interval]:
        """Blocks that only their holder has: the oldest for a prefix, else the farthest."""
        oldest_first = self.looks is not None
        intervals = held.intervals()
        for low, high in intervals if oldest_first else reversed(intervals):
            pieces = [
                piece
                for gap in self.accepted.missing_in(low, high)
                for piece in self.copied.missing_in(*gap)
            ]
            if pieces:
                start, end = pieces[0] if oldest_first else pieces[-1]
                if oldest_first:
                    return [(start, min(end, start + count))]
                return [(max(start, end - count), end)]
        return []

    def _release(self, start: int, end: int) -> None:
        """One holder less: a copied block still has the other, an accepted one needs none."""
        for low, high in self.accepted.missing_in(start, end):
            for piece in self.copied.missing_in(low, high):
                for free in self.poisoned.missing_in(*piece):
                    self.free.add(*free)
                self.retried.remove(*piece)
            self.copied.remove(low, high)
        for block in [one for one in self.suspects if start <= one < end]:
            self.free.remove(block, block + 1)

    def _clear_suspects(self, start: int, end: int) -> None:
        for block in [one for one in self.suspects if start <= one < end]:
            del self.suspects[block]


def _inside(blocks: BlockSet, start: int, end: int) -> list[Interval]:
    """The parts of an interval that are in a set."""
    gaps = blocks.missing_in(start, end)
    parts = []
    for gap_start, gap_end in gaps:
        if start < gap_start:
            parts.append((start, gap_start))
        start = gap_end
    if start < end:
        parts.append((start, end))
    return parts
