"""When a campaign is done: a count, a precision, a deadline, a budget, or a combination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple, Union

from manyhands.model.checks import (
    is_span,
    is_time,
    require,
    require_count,
    require_seconds,
    require_text,
)
from manyhands.model.where import Where


@dataclass(frozen=True)
class Samples:
    """Done when so many samples are stored."""

    count: int

    def __post_init__(self) -> None:
        require_count("samples", self.count, 1)


@dataclass(frozen=True)
class Precision:
    """Done when a tally's mean is known well enough; the guards keep early luck from stopping it.

    `sums` of the partials are, in this order: how many samples were not zero, and the sums of the
    first to fourth powers of a sample's value, each rounded to a multiple of `unit` to its power.
    With a `where`, or if the partials have no sums, the merged result is judged by its worst cell.
    """

    tally: str
    relative: Optional[float] = None
    absolute: Optional[float] = None
    confidence: float = 0.6826894921370859  # one standard error
    unit: float = 2.0**-20
    samples_min: int = 1000
    nonzero_min: int = 30
    vov_max: float = 0.1
    where: Optional[Where] = None  # None: a single number; of an array, what is usual there

    def __post_init__(self) -> None:
        require_text("tally", self.tally)
        given = [one for one in (self.relative, self.absolute) if one is not None]
        require(len(given) == 1, "precision", given, "either relative or absolute, one of them")
        require(is_span(given[0]), "precision", given[0], "a finite number above 0")
        require(0 < self.confidence < 1, "confidence", self.confidence, "between 0 and 1")
        require(is_span(self.unit), "unit", self.unit, "a finite number above 0")
        require_count("samples_min", self.samples_min, 2)
        require_count("nonzero_min", self.nonzero_min, 1)
        require(is_span(self.vov_max), "vov_max", self.vov_max, "a finite number above 0")


@dataclass(frozen=True)
class Deadline:
    """Done when the answer must be readable, at a time of the pool's clock."""

    at_s: float

    def __post_init__(self) -> None:
        require_seconds("deadline", self.at_s)


@dataclass(frozen=True)
class Budget:
    """Done when the slots have worked so long in all."""

    core_hours: float

    def __post_init__(self) -> None:
        expected = "a finite number above 0, at most 1e12"
        require(is_time(self.core_hours), "core_hours", self.core_hours, expected)


@dataclass(frozen=True)
class AnyOf:
    """Done as soon as one of the rules is."""

    rules: Tuple[StopRule, ...]

    def __post_init__(self) -> None:
        require(len(self.rules) >= 1, "any_of", self.rules, "at least one rule")


@dataclass(frozen=True)
class AllOf:
    """Done when all of the rules are."""

    rules: Tuple[StopRule, ...]

    def __post_init__(self) -> None:
        require(len(self.rules) >= 1, "all_of", self.rules, "at least one rule")


StopRule = Union[Samples, Precision, Deadline, Budget, AnyOf, AllOf]


def samples(count: int) -> Samples:
    """Stop at a count of samples."""
    return Samples(count)


def any_of(*rules: StopRule) -> AnyOf:
    """Stop as soon as one rule is met."""
    return AnyOf(tuple(rules))


def all_of(*rules: StopRule) -> AllOf:
    """Stop when every rule is met."""
    return AllOf(tuple(rules))


def leaves(rule: StopRule) -> Tuple[StopRule, ...]:
    """The plain rules that a combination is made of, in the order in which they were given."""
    if isinstance(rule, (AnyOf, AllOf)):
        return tuple(leaf for one in rule.rules for leaf in leaves(one))
    return (rule,)
