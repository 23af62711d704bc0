"""Which samples a result holds, and whether two results may be added.

A coverage is a set of disjoint intervals on *lines*. In free mode a line is a stream and its
positions are the samples of that stream; in exact mode the only line is BLOCK_LINE, on which
position i is the whole of block i. Coverage alone decides whether a sample may be counted: a union
of two that overlap is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

from manyhands.model.checks import is_count, require, require_count

BLOCK_LINE = -1


@dataclass(frozen=True)
class Span:
    """The positions from `start` to before `end` of one line."""

    __slots__ = ("end", "line", "start")  # by hand: slots=True is not in Python 3.9
    __compact__ = True  # travels as [line, start, end]
    line: int
    start: int
    end: int

    def __post_init__(self) -> None:
        # The path of every message: one test if all is well, and the explanation only if not.
        line, start, end = self.line, self.start, self.end
        if not (type(line) is type(start) is type(end) is int and line >= -1 and 0 <= start < end):
            _refuse(self)

    def __reduce__(self) -> tuple[type[Span], tuple[int, int, int]]:
        # A frozen class with slots cannot be filled after its birth, as pickle and copy would do.
        return Span, (self.line, self.start, self.end)


class Overlap(ValueError):
    """Two results hold a common sample, so they must not be added."""

    def __init__(self, span: Span) -> None:
        super().__init__(span)
        self.span = span

    def __str__(self) -> str:
        return f"coverage overlaps at {self.span}: spans that are added must be disjoint"


@dataclass(frozen=True)
class Coverage:
    """A set of samples: spans in the order of (line, start), neighbours merged."""

    __slots__ = ("spans",)
    spans: tuple[Span, ...]

    def __post_init__(self) -> None:
        require(type(self.spans) is tuple, "spans", self.spans, "a tuple of Span")
        previous = None
        for span in self.spans:
            if type(span) is not Span:
                require(False, "spans", span, "spans only")
            if previous is not None and (previous.line, previous.end) >= (span.line, span.start):
                expected = f"on a later line than {previous}, or after a gap"
                require(False, "spans", span, f"{expected} (Coverage.of sorts and merges)")
            previous = span

    def __reduce__(self) -> tuple[type[Coverage], tuple[tuple[Span, ...]]]:
        return Coverage, (self.spans,)

    @staticmethod
    def of(spans: Iterable[Span]) -> Coverage:
        """The coverage of disjoint spans in any order; Overlap if two have a common position."""
        return Coverage(tuple(_merged(sorted(spans, key=_place))))

    @property
    def size(self) -> int:
        """How many positions it holds."""
        return sum(span.end - span.start for span in self.spans)

    def spans_on(self, line: int) -> tuple[Span, ...]:
        """Its spans on one line, in order."""
        return tuple(span for span in self.spans if span.line == line)

    def overlaps(self, other: Coverage) -> bool:
        """Whether the two have a common position."""
        return next(_common(self.spans, other.spans), None) is not None

    def issubset(self, other: Coverage) -> bool:
        """Whether the other holds every position of this one."""
        return next(_remaining(self.spans, other.spans), None) is None

    def __bool__(self) -> bool:
        return bool(self.spans)

    def __or__(self, other: Coverage) -> Coverage:
        """The disjoint union; Overlap names the first common span."""
        # Two sorted runs, which Python's merge sort joins in linear time.
        return Coverage.of(self.spans + other.spans)

    def __and__(self, other: Coverage) -> Coverage:
        """The positions of both."""
        return Coverage(tuple(_common(self.spans, other.spans)))

    def __sub__(self, other: Coverage) -> Coverage:
        """The positions of this one that the other lacks."""
        return Coverage(tuple(_remaining(self.spans, other.spans)))


EMPTY = Coverage(())

_place = attrgetter("line", "start")


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    """Sorted spans with neighbours joined; a new Span is made only where one grew."""
    last: Span | None = None
    for span in spans:
        if last is None:
            last = span
        elif last.line != span.line or last.end < span.start:
            yield last
            last = span
        elif last.end == span.start:
            last = Span(span.line, last.start, span.end)
        else:
            raise Overlap(Span(span.line, span.start, min(last.end, span.end)))
    if last is not None:
        yield last


def _common(left: tuple[Span, ...], right: tuple[Span, ...]) -> Iterator[Span]:
    """What both hold: one sweep over both, which always leaves the span that ends first."""
    i = j = 0
    while i < len(left) and j < len(right):
        a, b = left[i], right[j]
        start, end = max(a.start, b.start), min(a.end, b.end)
        if a.line == b.line and start < end:
            yield Span(a.line, start, end)
        if (a.line, a.end) <= (b.line, b.end):
            i += 1
        else:
            j += 1


def _remaining(left: tuple[Span, ...], right: tuple[Span, ...]) -> Iterator[Span]:
    """What only the left holds: each of its spans without the cuts that fall into it."""
    j = 0
    for span in left:
        line, start = span.line, span.start
        while j < len(right) and (right[j].line, right[j].end) <= (line, start):
            j += 1
        while j < len(right) and (right[j].line, right[j].start) < (line, span.end):
            if start < right[j].start:
                yield Span(line, start, right[j].start)
            start = right[j].end
            if start >= span.end:
                break  # this cut may reach into the next span too, so it stays the current one
            j += 1
        if start < span.end:
            yield Span(line, start, span.end)


def _refuse(span: Span) -> None:
    """Say which field is wrong: those before it are right."""
    require(is_count(span.line, BLOCK_LINE), "line", span.line, "a stream, or -1 for blocks")
    require_count("start", span.start)
    require_count("end", span.end, span.start + 1)
