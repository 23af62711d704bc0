"""How many samples a precision takes, and how long that is: errors fall with the root of samples.

A forecast is only worth a sentence where it is bad news: see `far_off`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite

from manyhands.model.checks import is_span, require, require_count

FAR = 100  # so many times the samples so far are worth a warning
MINUTE_S, HOUR_S, DAY_S, YEAR_S = 60.0, 3600.0, 86_400.0, 365.25 * 86_400.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast all hands together are, and how many cores they have."""

    samples_per_s: float
    cores: int

    def __post_init__(self) -> None:
        require(is_span(self.samples_per_s), "samples_per_s", self.samples_per_s, "above 0")
        require_count("cores", self.cores, 1)

    def with_more(self, cores: int) -> Pace:
        """The pace with some more cores of the same kind."""
        faster = self.samples_per_s * (self.cores + cores) / self.cores
        return Pace(faster, self.cores + cores)


def samples_needed(samples: int, error: float, target: float) -> int | None:
    """Samples in all for an error of `target`, after so many gave `error`; None: cannot be told.

    Both are relative, or both absolute, and of the same confidence.
    """
    require(is_span(target), "target", target, "a finite number above 0")
    ratio = error / target
    if samples < 1 or not isfinite(ratio * ratio * samples):
        return None
    return max(ceil(samples * ratio * ratio), 1)


def time_left_s(needed: int, samples: int, pace: Pace) -> float:
    """How long the samples that are missing will take."""
    return max(needed - samples, 0) / pace.samples_per_s


def sentence(needed: int, samples: int, pace: Pace, more_cores: int = 40) -> str:
    """The time left in words, as it is and with more cores: what a user can decide by."""
    left = duration(time_left_s(needed, samples, pace))
    faster = duration(time_left_s(needed, samples, pace.with_more(more_cores)))
    return f"about {left}; with {more_cores} more cores {faster}"


def far_off(samples: int, error: float, target: float, pace: Pace) -> str | None:
    """The sentence, if more than a hundred times the samples so far are needed."""
    needed = samples_needed(samples, error, target)
    if needed is None or needed <= FAR * samples:
        return None
    return sentence(needed, samples, pace)


def duration(time_s: float) -> str:
    """A time in round words: one number and one unit."""
    for unit_s, name in (
        (YEAR_S, "year"),
        (DAY_S, "day"),
        (HOUR_S, "hour"),
        (MINUTE_S, "minute"),
    ):
        # From one and a half on, so that what is said is never more than a third off.
        if time_s >= 1.5 * unit_s:
            return f"{time_s / unit_s:,.0f} {name}s"
    count = max(round(time_s), 1)
    return f"{count} second" if count == 1 else f"{count} seconds"
