"""One task's run: what it computes next, and how far it has come.

Its *position* counts all that it has computed: samples of its stream in free mode, whole blocks in
exact mode, in the order in which it computed them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic

from manyhands.model.coverage import BLOCK_LINE, Span
from manyhands.runtime.brief import Brief
from manyhands.runtime.child.parts import Parts, Result

NEVER = 1 << 62
NOTHING_S = 0.001  # a batch this short is mostly start-up
TRIES = 5  # the fastest of so many batches says what a sample costs
ENOUGH_S = 0.25  # or of so long
TRIED_S = 0.02  # batches up to this long are all tried
WORTH = 0.99  # a size must be so much cheaper than a smaller one to be worth more
LONG = 2.0  # a batch so much longer than wanted is made smaller at once
AGAIN_S = 20.0  # of work, and it is found out again: who disturbed it may have gone
SAMPLES_AT_ONCE_MAX = 1 << 40


@dataclass(frozen=True, slots=True)
class Step:
    """What to compute at once: samples of a stream, or a whole block."""

    stream: int
    samples: int
    span: Span  # the positions on its line
    segment: int


class BatchSize:
    """How many samples to compute at once in free mode; found while running.

    Sizes are doubled as long as batches are short, whatever they cost, so that no disturbance
    decides, and then while that makes a sample cheaper. The smallest is taken whose samples cost
    hardly more than the cheapest: start-up costs of a batch vanish, and arrays still fit into the
    processor's cache. No batch is to take longer than `wanted_s`.
    """

    def __init__(self, wanted_s: float) -> None:
        self._wanted_s = wanted_s
        self._costs: list[float] = []  # of a sample, at this size
        self._found: dict[int, float] = {}  # by size, the least of them
        self._settled = False
        self._worked_s = 0.0  # since then
        self.samples = 1

    def measured(self, samples: int, seconds: float) -> None:
        """So many samples took so long."""
        if seconds > LONG * self._wanted_s and samples > 1:
            self._settle(max(round(samples * self._wanted_s / seconds), 1))
        if samples != self.samples:
            return  # a batch that was cut short tells little
        if self._settled:
            self._worked_s += seconds
            if self._worked_s > AGAIN_S:
                self._begin_again()
        elif seconds < NOTHING_S:
            self._grow()
        else:
            self._costs.append(seconds / samples)
            if len(self._costs) >= TRIES or sum(self._costs) * samples >= ENOUGH_S:
                self._judge(min(self._costs))

    def _judge(self, cost: float) -> None:
        worth = cost < WORTH * min(self._found.values(), default=float("inf"))
        self._found[self.samples] = cost
        next_s = 2 * cost * self.samples
        if next_s <= TRIED_S or (worth and next_s <= self._wanted_s):
            self._grow()
        else:
            enough = min(self._found.values()) / WORTH
            self._settle(min(size for size, cost in self._found.items() if cost <= enough))

    def _grow(self) -> None:
        self.samples = min(2 * self.samples, SAMPLES_AT_ONCE_MAX)
        self._costs.clear()

    def _settle(self, samples: int) -> None:
        self.samples = samples
        self._settled, self._worked_s = True, 0.0

    def _begin_again(self) -> None:
        self.samples = max(self.samples // 4, 1)
        self._settled = False
        self._costs.clear()
        self._found.clear()


class Run(Generic[Result]):
    """What a task was told to compute, and what it has."""

    def __init__(
        self, task: int, stream: int, limit: int | None, parts: Parts[Result], block: BlockSize
    ) -> None:
        self.task = task
        self.stream = stream
        self.limit = NEVER if limit is None else limit
        self.parts = parts
        self.position = 0
        self.busy_us = 0
        self.watch = NEVER
        self.ended = False
        self.held = False  # until the pilot has heard where it is
        self._block = block
        self._leases: deque[tuple[int, int, int]] = deque()  # first block, end of blocks, segment

    @property
    def exact(self) -> bool:
        """Whether it computes blocks."""
        return self.stream < 0

    def lease(self, leases: Iterable[tuple[int, int, int]]) -> None:
        """More blocks, behind those it has."""
        self._leases.extend(leases)

    def trim(self, leases: Iterable[tuple[int, int, int]]) -> None:
        """Behind the next block, which the pilot takes to be in hand, it has only these now."""
        step = self._next_block()
        self._leases.clear()
        if step is not None:
            self._leases.append((step.stream, step.stream + 1, step.segment))
        self._leases.extend(leases)

    def next_step(self, batch: int) -> Step | None:
        """What to compute now; None if there is nothing to do."""
        if self.ended or self.held:
            return None
        if self.exact:
            return self._next_block()
        # A quota and a limit are met to the sample.
        end = min(self.limit, self.watch if self.watch > self.position else NEVER)
        samples = min(batch, end - self.position)
        if samples <= 0:
            return None
        return Step(
            self.stream, samples, Span(self.stream, self.position, self.position + samples), 0
        )

    def done(self, step: Step, samples: int, busy_us: int) -> None:
        """A step was computed, so many samples of it, and its result is in the parts."""
        self.busy_us += busy_us
        span = step.span
        if self.exact:
            self.position += 1
            first, end, segment = self._leases[0]
            self._leases[0] = (first + 1, end, segment)
        else:
            self.position += samples
            span = Span(span.line, span.start, self.position)
        self.parts.grow(span, self.position)

    def block_in_hand(self) -> int | None:
        """Which block it is at, in exact mode."""
        step = self._next_block() if self.exact else None
        return None if step is None else step.stream

    def _next_block(self) -> Step | None:
        while self._leases and self._leases[0][0] >= self._leases[0][1]:
            self._leases.popleft()
        if not self._leases:
            return None
        block, _, segment = self._leases[0]
        return Step(block, self._block.samples(block), Span(BLOCK_LINE, block, block + 1), segment)


@dataclass(frozen=True, slots=True)
class BlockSize:
    """How many samples a block holds; the last of a count may hold fewer."""

    block_samples: int
    samples_wanted: int | None
    short_blocks: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def of(brief: Brief) -> BlockSize:
        """Those of a campaign."""
        return BlockSize(brief.block_samples, brief.samples_wanted, brief.short_blocks)

    def samples(self, block: int) -> int:
        """The samples of this block."""
        if str(block) in self.short_blocks:
            return self.short_blocks[str(block)]
        if self.samples_wanted is None:
            return self.block_samples
        return min(self.block_samples, self.samples_wanted - block * self.block_samples)
