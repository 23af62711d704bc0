"""A toy application whose results can be checked, at a cost that does not depend on the samples.

The value of the positions a … b-1 of a line is F(b) - F(a) modulo 2^64, where F is a mixing
function of the campaign's seed, the line and the position (splitmix64; Steele, Lea & Flood 2014).
Values add like tallies, and the sum over a whole campaign telescopes: a sample that is missing,
doubled or foreign shows. Sums for a precision rule are differences of prefixes too, of real draws'
sums: chunk by chunk (free mode) or block by block (exact mode), drawn when first asked for.
"""

from __future__ import annotations

import random
from functools import lru_cache
from math import factorial, sqrt

from manyhands.model.campaign import Campaign, Mode
from manyhands.model.coverage import BLOCK_LINE, Coverage, Span
from manyhands.model.events import PrecisionJudged

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
CHUNK = 256  # samples; between two ends of chunks, sums in free mode are interpolated
POWERS = 4

Sums = tuple[int, ...]


def mixed(number: int) -> int:
    """A permutation of 64 bits that leaves no pattern (the finalizer of splitmix64)."""
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & MASK
    return number ^ (number >> 31)


@lru_cache(maxsize=1 << 14)
def line_key(seed: int, line: int) -> int:
    """Where a line of a campaign begins."""
    return mixed(mixed(seed) + (line + 2) * GOLDEN & MASK)


def value(seed: int, coverage: Coverage) -> int:
    """What a run over these samples gives: a number of 64 bits that adds modulo 2^64."""
    total = 0
    for span in coverage.spans:
        key = line_key(seed, span.line)
        total += mixed(key + span.end * GOLDEN & MASK) - mixed(key + span.start * GOLDEN & MASK)
    return total & MASK


def digest(number: int, numeric_class: str = "") -> str:
    """The digest of an object that holds a value, on a host of a numeric class (exact mode)."""
    return f"{number:016x}{numeric_class}"


class Toy:
    """One campaign's application: values, digests and sums of any coverage."""

    __slots__ = ("_classed", "_lines", "_unit", "campaign", "seed")

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.seed = campaign.seed
        self._classed = campaign.mode is Mode.EXACT
        rule = campaign.precision
        self._unit = None if rule is None else rule.unit
        self._lines: dict[int, _Prefixes] = {}

    def digest(self, number: int, numeric_class: str) -> str:
        """As the pilot computes it, from a value."""
        return digest(number, numeric_class if self._classed else "")

    def class_digest(self, numeric_class: str) -> str:
        """The digest of block 0."""
        first = Coverage((Span(BLOCK_LINE, 0, 1),))
        return digest(value(self.seed, first), numeric_class)

    def samples(self, coverage: Coverage) -> int:
        """How many samples a coverage holds."""
        return self.campaign.samples_of(coverage)

    def sums(self, coverage: Coverage) -> Sums:
        """What a precision rule adds up; nothing for the others."""
        rule = self.campaign.precision
        return () if rule is None or rule.where is not None else self._totals(coverage)

    def judged(self, coverage: Coverage, look: int = 1, judged_us: int = 0) -> PrecisionJudged:
        """How precise these samples are together, as whoever merges them finds it."""
        samples, rule = self.samples(coverage), self.campaign.precision
        assert rule is not None
        _, first, second, *_ = self._totals(coverage)
        spread = samples * second - first * first
        error = None
        if samples > 1 and first > 0 and spread > 0:
            error = sqrt(spread / (samples * samples * (samples - 1))) * rule.unit
            error /= 1.0 if rule.relative is None else first / samples * rule.unit
        number = self.campaign.campaign
        return PrecisionJudged(number, look, samples, error, None, None, judged_us)

    def _totals(self, coverage: Coverage) -> Sums:
        """How many samples are not zero, and the sums of their powers."""
        totals = [0] * (POWERS + 1)
        for span in coverage.spans:
            start = self._prefix(span.line, span.start)
            end = self._prefix(span.line, span.end)
            totals = [t + b - a for t, a, b in zip(totals, start, end, strict=True)]
        return tuple(totals)

    def _prefix(self, line: int, position: int) -> Sums:
        prefixes = self._lines.get(line)
        if prefixes is None:
            assert self._unit is not None
            prefixes = _Prefixes(random.Random(line_key(self.seed, line)), self._unit)
            self._lines[line] = prefixes
        if not self._classed:
            return prefixes.between(position)
        while len(prefixes.ends) <= position:
            block = len(prefixes.ends) - 1
            count = self.campaign.samples_in
            prefixes.extend(count(block + 1) - count(block))
        return prefixes.ends[position]


class _Prefixes:
    """Sums over the first chunks of a line: how many samples are not zero, and of four powers."""

    __slots__ = ("_draws", "_scales", "ends")

    def __init__(self, draws: random.Random, unit: float) -> None:
        self._draws = draws
        self._scales = [unit**-power for power in range(1, POWERS + 1)]
        self.ends: list[Sums] = [(0,) * (POWERS + 1)]

    def between(self, position: int) -> Sums:
        """A prefix that may end inside a chunk."""
        chunk, inside = divmod(position, CHUNK)
        while len(self.ends) <= chunk + 1:
            self.extend(CHUNK)
        start, end = self.ends[chunk], self.ends[chunk + 1]
        return tuple(a + (b - a) * inside // CHUNK for a, b in zip(start, end, strict=True))

    def extend(self, samples: int) -> None:
        """Draw one more chunk of so many samples, each from an exponential distribution."""
        sums = _few(self._draws, samples) if samples <= CHUNK // 8 else _many(self._draws, samples)
        whole = [samples, *(round(s * scale) for s, scale in zip(sums, self._scales, strict=True))]
        self.ends.append(tuple(a + b for a, b in zip(self.ends[-1], whole, strict=True)))


def _few(draws: random.Random, samples: int) -> list[float]:
    values = [draws.expovariate(1.0) for _ in range(samples)]
    return [sum(x**power for x in values) for power in range(1, POWERS + 1)]


def _many(draws: random.Random, samples: int) -> list[float]:
    """Normal sums with the right means, variances and correlations, but never below any draws'."""
    root = sqrt(samples)
    normals = [draws.gauss(0.0, 1.0) for _ in range(POWERS)]
    sums = []
    for power, row in enumerate(_ROWS, 1):
        spread = sum(a * x for a, x in zip(row, normals, strict=False))
        sums.append(factorial(power) * samples + root * spread)
    first = max(sums[0], 0.5 * samples)
    # By Jensen's inequality, so that no variance is ever negative.
    return [first] + [max(s, first**p / samples ** (p - 1)) for p, s in enumerate(sums[1:], 2)]


def _cholesky() -> list[list[float]]:
    """The lower triangular root of the covariances of x, x², x³, x⁴, x exponential: j+k! - j!k!."""
    rows: list[list[float]] = []
    for j in range(1, POWERS + 1):
        row: list[float] = []
        for k in range(1, j + 1):
            left = factorial(j + k) - factorial(j) * factorial(k)
            other = rows[k - 1] if k < j else row
            left_over = left - sum(a * b for a, b in zip(row, other, strict=False))
            row.append(sqrt(left_over) if k == j else left_over / other[k - 1])
        rows.append(row)
    return rows


_ROWS = _cholesky()
