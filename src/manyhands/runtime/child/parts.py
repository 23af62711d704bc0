"""What a run has computed and not yet handed over, in parts that can be put together again.

An upload asks for a coverage that ends where the pilot last heard the run to be, or where an
earlier upload or a segment ended, while the run goes on. So results are kept in parts that end at
such places; when the pilot has heard of a later place, those before it are joined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from manyhands.model.coverage import EMPTY, Coverage, Span


class Mergeable(Protocol):
    """A result to which another can be added."""

    def merge(self, other: Any) -> None:
        """Add another result, which stays as it is."""

    def copy(self) -> Any:
        """A result that may change without this one."""


Result = TypeVar("Result", bound=Mergeable)


@dataclass(slots=True)
class Part(Generic[Result]):
    """A stretch of positions of one segment, with its result."""

    end: int  # the raw position behind it
    segment: int
    coverage: Coverage
    result: Result
    kept: bool = False  # an upload ended here, and may be asked for again


class Parts(Generic[Result]):
    """The parts of one run, in the order in which they were computed."""

    def __init__(self, make: Callable[[], Result]) -> None:
        self._make = make
        self._parts: list[Part[Result]] = []
        self._growing = False  # the last part is still open

    def open_result(self, segment: int) -> Result:
        """Where the next batch or block is to be added."""
        if not (self._growing and self._parts[-1].segment == segment):
            end = self._parts[-1].end if self._parts else 0
            self._parts.append(Part(end, segment, EMPTY, self._make()))
            self._growing = True
        return self._parts[-1].result

    def grow(self, span: Span, end: int) -> None:
        """That was added: these positions are now in it."""
        last = self._parts[-1]
        last.coverage |= Coverage((span,))
        last.end = end

    def close(self) -> None:
        """The pilot will hear of this place: what comes next begins a new part."""
        self._growing = False

    def heard(self, end: int) -> None:
        """The pilot knows of this place: no upload will end before it that did not already."""
        joined: list[Part[Result]] = []
        for part in self._parts:
            last = joined[-1] if joined else None
            alike = last is not None and not last.kept and last.segment == part.segment
            open_part = self._growing and part is self._parts[-1]
            if last is not None and alike and part.end <= end and not open_part:
                last.result.merge(part.result)
                last.coverage |= part.coverage
                last.end, last.kept = part.end, part.kept
            else:
                joined.append(part)
        self._parts = joined

    def take(self, coverage: Coverage) -> Result:
        """The result with exactly this coverage; what was computed before it is forgotten."""
        chosen = [part for part in self._parts if part.coverage.issubset(coverage)]
        found = EMPTY
        for part in chosen:
            found |= part.coverage
        assert found == coverage, f"{coverage} is asked for, but the parts hold {self._parts}"
        first, last = self._parts.index(chosen[0]), chosen[-1]
        if self._growing and last is self._parts[-1]:
            self._growing = False
        self._parts = self._parts[first:]
        last.kept = True
        whole: Result = chosen[0].result.copy()
        for part in chosen[1:]:
            whole.merge(part.result)
        return whole
