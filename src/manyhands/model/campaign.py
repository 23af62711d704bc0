"""A user's Monte-Carlo computation: what is wanted, and how the hands are to share it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Optional

from manyhands.model.checks import (
    require,
    require_count,
    require_seconds,
    require_seconds_or_none,
    require_text,
)
from manyhands.model.coverage import Coverage
from manyhands.model.stopping import AllOf, AnyOf, Precision, Samples, StopRule, leaves

BLOCKS_BY_DEFAULT = 4096
SEED_BITS = 64


class Mode(Enum):
    """How samples are numbered."""

    FREE = "free"  # every task simulates its own stream; the fastest
    EXACT = "exact"  # samples come in blocks, block i from stream i: the same bits on any hands


class Stage(Enum):
    """Where a campaign stands; see control/life_cycles.py for who moves it."""

    OPEN = "open"
    DRAINING = "draining"  # the end is in sight: tasks have quotas
    CLOSED = "closed"  # nothing more is accepted; what was is being merged
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Split(Enum):
    """Who decides how many samples a task is given."""

    DYNAMIC = "dynamic"  # nobody: every task works until the campaign is done
    STATIC = "static"  # equal shares; what a lost task did not store goes to another pilot
    CHUNKS = "chunks"  # self-scheduling: a fixed number of samples at a time
    EARLY_BINDING = "early_binding"  # equal shares, each bound to one pilot; never given again


class Ending(Enum):
    """How a campaign in free mode comes to its end."""

    FORECAST = "forecast"  # quotas towards a forecast; closed at the first instant stored >= N
    PUBLISHED = "published"  # all stop at reported >= N; closed when all have stored (S000 alg. 1)
    PUBLISHED_FIRST = "published_first"  # all stop at reported >= N; closed at stored >= N


@dataclass(frozen=True)
class Splitting:
    """A splitting policy with its one number: tasks for equal shares, samples for chunks."""

    kind: Split = Split.DYNAMIC
    tasks: int = 0
    samples: int = 0

    def __post_init__(self) -> None:
        shares = self.kind in (Split.STATIC, Split.EARLY_BINDING)
        chunks = self.kind is Split.CHUNKS
        require_count("splitting.tasks", self.tasks, 1 if shares else 0)
        require_count("splitting.samples", self.samples, 1 if chunks else 0)


@dataclass(frozen=True)
class Pace:
    """How often pilots report and store; None leaves it to the rules."""

    report_s: Optional[float] = None
    checkpoint_s: Optional[float] = None  # None: with every report
    checkpoints: bool = True  # False: only at the end, as the first published algorithm

    def __post_init__(self) -> None:
        require_seconds_or_none("report_s", self.report_s)
        require_seconds_or_none("checkpoint_s", self.checkpoint_s)


@dataclass(frozen=True)
class Merging:
    """How many merge tasks may run at once (0: none), and how many partials each may take."""

    mergers: int = 0
    inputs: int = 10
    lease_s: float = 240.0

    def __post_init__(self) -> None:
        require_count("merging.mergers", self.mergers)
        require_count("merging.inputs", self.inputs, 2)
        require_seconds("merging.lease_s", self.lease_s)


@dataclass(frozen=True)
class Campaign:
    """What was asked for. Its identity in exact mode is its seed and its size of block."""

    campaign: int
    name: str
    seed: int
    stop: StopRule
    mode: Mode = Mode.FREE
    block_samples: int = 0  # exact mode: 0 means the default for this stop rule
    splitting: Splitting = field(default_factory=Splitting)
    ending: Ending = Ending.FORECAST
    over_commit: float = 0.002  # how far quotas together pass N, so that no slow upload is awaited
    pace: Pace = field(default_factory=Pace)
    merging: Merging = field(default_factory=Merging)
    growing: bool = False  # its outputs grow with the samples: stored as increments
    skip_poisoned: int = 0  # how many blocks may be left out of the answer, and be named in it
    classes: bool = True  # exact mode: a pilot proves its numeric class on block 0 first
    begins_at: int = 0  # the first block or stream; those before are in what this one extends
    numeric_class: str = ""  # exact mode: the only one that may work; empty: whichever comes first

    def __post_init__(self) -> None:
        require_count("campaign", self.campaign)
        require_text("name", self.name)
        require_count("seed", self.seed)
        require(self.seed < 1 << SEED_BITS, "seed", self.seed, f"below 2**{SEED_BITS}")
        require_count("block_samples", self.block_samples)
        require_count("skip_poisoned", self.skip_poisoned)
        require_count("begins_at", self.begins_at)
        require(0 <= self.over_commit <= 0.5, "over_commit", self.over_commit, "between 0 and 0.5")
        self._check_mode()
        self._check_stop()
        if self.mode is Mode.EXACT and self.block_samples == 0:
            object.__setattr__(self, "block_samples", default_block_samples(self.samples_wanted))
        self._check_beginning()

    def _check_mode(self) -> None:
        exact = self.mode is Mode.EXACT
        free_only = "free mode only: set mode to free"
        require(
            exact or self.block_samples == 0,
            "block_samples",
            self.block_samples,
            "0 in free mode, which has no blocks",
        )
        require(
            exact or self.skip_poisoned == 0,
            "skip_poisoned",
            self.skip_poisoned,
            "0 in free mode, which has no blocks",
        )
        dynamic = self.splitting.kind is Split.DYNAMIC
        require(dynamic or not exact, "splitting", self.splitting.kind.value, free_only)
        require(self.ending is Ending.FORECAST or not exact, "ending", self.ending.value, free_only)

    def _check_beginning(self) -> None:
        before = self.begins_at * self.block_samples
        more = isinstance(self.stop, Samples) and self.stop.count > before
        valid = self.begins_at == 0 or self.mode is Mode.FREE or more
        expected = "0, or before the last block that a count of samples asks for"
        require(valid, "begins_at", self.begins_at, expected)

    def _check_stop(self) -> None:
        precise = [one for one in leaves(self.stop) if isinstance(one, Precision)]
        require(len(precise) <= 1, "stop", self.stop, "with at most one precision rule in it")
        plain = not isinstance(self.stop, (AnyOf, AllOf)) or all(
            not isinstance(one, (AnyOf, AllOf)) for one in self.stop.rules
        )
        require(
            plain or self.mode is Mode.FREE,
            "stop",
            self.stop,
            "a rule, or one any_of or all_of of plain rules, in exact mode",
        )
        if self.splitting.kind is not Split.DYNAMIC or self.ending is not Ending.FORECAST:
            require(
                isinstance(self.stop, Samples),
                "stop",
                self.stop,
                "a count of samples with this splitting or ending",
            )

    @property
    def samples_wanted(self) -> Optional[int]:
        """The count after which no more samples can be needed, if the stop rule has one."""
        if isinstance(self.stop, Samples):
            return self.stop.count
        if isinstance(self.stop, AnyOf):
            counts = [one.count for one in self.stop.rules if isinstance(one, Samples)]
            return min(counts) if counts else None
        return None

    @property
    def precision(self) -> Optional[Precision]:
        """The precision rule somewhere in the stop rule, if there is one."""
        for one in leaves(self.stop):
            if isinstance(one, Precision):
                return one
        return None

    @property
    def blocks_wanted(self) -> Optional[int]:
        """How many blocks hold all the samples that can be needed (exact mode)."""
        wanted = self.samples_wanted
        return None if wanted is None else -(-wanted // self.block_samples)

    def samples_in(self, blocks: int) -> int:
        """How many samples the first `blocks` blocks hold; the last block may be shorter."""
        whole = blocks * self.block_samples
        wanted = self.samples_wanted
        return whole if wanted is None else min(whole, wanted)

    def samples_of(self, coverage: Coverage) -> int:
        """How many samples a coverage holds: its positions, or what is in its blocks."""
        if self.mode is Mode.FREE:
            return coverage.size
        return sum(self.samples_in(one.end) - self.samples_in(one.start) for one in coverage.spans)


def default_block_samples(samples_wanted: Optional[int]) -> int:
    """The size of a block where nobody chose one: about 4,096 blocks, a power of two each."""
    if samples_wanted is None:
        return BLOCKS_BY_DEFAULT
    whole = -(-samples_wanted // BLOCKS_BY_DEFAULT)
    return 1 << max(whole - 1, 0).bit_length()
