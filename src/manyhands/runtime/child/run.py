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
TRIES = 3  # the fastest of so many batches says what a sample costs
TRYING_S = 0.01  # and of so long
WORTH = 0.99  # a size must be so much cheaper than a smaller one to be worth more
MISSES = 2  # sizes in a row that are not worth it, so that one disturbance does not decide
LONG = 2.0  # a batch so much longer than wanted is made smaller at once
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

    It doubles while that makes a sample cheaper, so start-up costs of a batch vanish and arrays
    still fit into the processor's cache; and no batch is to take longer than `wanted_s`.
    """

    def __init__(self, wanted_s: float) -> None:
        self._wanted_s = wanted_s
        self._costs: list[float] = []  # of a sample, at this size
        self._best = (float("inf"), 1)  # the cost of a sample, and the size at which it was found
        self._misses = 0
        self._settled = False
        self.samples = 1

    def measured(self, samples: int, seconds: float) -> None:
        """So many samples took so long."""
        if seconds > LONG * self._wanted_s and samples > 1:
            self._settle(max(round(samples * self._wanted_s / seconds), 1))
        if samples != self.samples or self._settled:
            return  # a batch that was cut short tells little
        self._costs.append(seconds / samples)
        tried = len(self._costs) >= TRIES and sum(self._costs) * samples >= TRYING_S
        if seconds < NOTHING_S or tried:
            self._judge(min(self._costs))

    def _judge(self, cost: float) -> None:
        best_cost, best_samples = self._best
        short = cost * self.samples < NOTHING_S
        if short or cost < best_cost * WORTH:
            self._best, self._misses = (cost, self.samples), 0
        else:
            self._misses += 1
        if self._misses >= MISSES:
            self._settle(best_samples)
        elif 2 * cost * self.samples > self._wanted_s:
            self._settle(self._best[1])
        else:
            self.samples = min(2 * self.samples, SAMPLES_AT_ONCE_MAX)
            self._costs.clear()

    def _settle(self, samples: int) -> None:
        self.samples = samples
        self._settled = True


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
