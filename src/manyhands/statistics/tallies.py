"""Tallies: all that a result says, as sufficient statistics that merge without losing anything.

In free mode they are means and powers of deviations in floats: merging is exact within rounding.
In exact mode they are integers on grids that block 0 gives: whatever the order and the grouping of
the blocks, the bits are the same. Counts and histograms are whole numbers in both.

>>> tallies = Tallies.free()
>>> tallies.add({"dose": mean([1.0, 2.0, 3.0])}, samples=3)
3
>>> tallies.results()["dose"].value
2.0
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

from manyhands.model.checks import COUNT_MAX
from manyhands.statistics.audit import (
    checked,
    difference,
    require_same,
    require_whole,
)
from manyhands.statistics.bins import BinCounts
from manyhands.statistics.contract import Accumulator, GridOverflow
from manyhands.statistics.decoding import parse
from manyhands.statistics.encoding import Entry, Said, header
from manyhands.statistics.exact_sums import ExactSums
from manyhands.statistics.forms import BINNED, Form, Kind
from manyhands.statistics.free_sums import FreeSums, FreeTotal
from manyhands.statistics.reference import Reference, TallyReference
from manyhands.statistics.results import TallyResult
from manyhands.statistics.returned import BadReturn, Binned, Returned, Total
from manyhands.statistics.watching import Watch, require_watchable, sums_of

DIGEST_BYTES = 32

__all__ = ["GridOverflow", "MergeRefused", "Reference", "Tallies", "TooManySamples", "Watch"]


class MergeRefused(ValueError):
    """Two sets of tallies that cannot be added; one line names what differs."""


class TooManySamples(ValueError):
    """More samples than whole numbers of 64 bits can count."""


class Tallies:
    """The merged statistics of some samples; `add` and `merge` change it, or leave it as it was."""

    __slots__ = ("samples", "reference", "watch", "_held", "_sums", "_like")

    def __init__(
        self, held: dict[str, Accumulator], reference: Reference | None, watch: Watch | None
    ) -> None:
        self.samples = 0
        self.reference = reference
        self.watch = watch
        self._held = held
        self._sums: tuple[int, ...] = ()
        self._like: Mapping[str, Form] = {}

    @classmethod
    def free(cls, watch: Watch | None = None, like: Mapping[str, Form] | None = None) -> Tallies:
        """An empty set for free mode: it takes returns `like` these, or like the first."""
        made = cls({}, None, watch)
        made._like = like or {}
        return made

    @classmethod
    def exact(cls, reference: Reference, watch: Watch | None = None) -> Tallies:
        """An empty set for exact mode."""
        if watch is not None:
            require_watchable(watch, reference.forms)
        held = {name: _zero(one) for name, one in reference.tallies.items()}
        return cls(held, reference, watch)

    @property
    def names(self) -> tuple[str, ...]:
        """The tallies' names, sorted."""
        return tuple(sorted(self._held))

    @property
    def forms(self) -> dict[str, Form]:
        """What every further return must have."""
        return {name: one.form for name, one in self._held.items()}

    def add(self, returned: object, samples: int) -> int:
        """Add what `advance(samples, stream)` returned; the number of samples that it holds.

        Raises BadReturn or GridOverflow, and is then unchanged.
        """
        found = checked(returned, samples)
        if self.reference is not None:
            require_whole(found.samples, samples)
        if expected := self.forms or self._like:
            require_same(expected, found.forms)
        elif self.watch is not None:
            require_watchable(self.watch, found.forms)
        sums = () if self.watch is None else sums_of(self.watch, found.tallies[self.watch.tally])
        more = {name: self._accumulated(name, one) for name, one in found.tallies.items()}
        self._take(more, found.samples, sums)
        return found.samples

    def merge(self, other: Tallies) -> None:
        """Add another set, which stays as it is.

        Raises MergeRefused or GridOverflow, and is then unchanged.
        """
        if found := self._unlike(other):
            raise MergeRefused(f"two results cannot be merged: {found}")
        if other.samples > 0:
            # What is taken over must not be shared, nor read while it is written.
            apart = other.copy() if other is self or not self._held else other
            self._take(apart._held, apart.samples, apart._sums)

    def copy(self) -> Tallies:
        """The same, in memory of its own."""
        held = {name: one.copy() for name, one in self._held.items()}
        return Tallies(held, self.reference, self.watch)._with(self.samples, self._sums)

    def as_free(self) -> Tallies:
        """The same numbers as floats, which merge with those of another block 0, and lose VOV."""
        held: dict[str, Accumulator] = {}
        for name, one in self._held.items():
            held[name] = one.as_free(self.samples) if isinstance(one, ExactSums) else one.copy()
        return Tallies(held, None, None)._with(self.samples, ())

    def results(self) -> dict[str, TallyResult]:
        """What each tally says, by name."""
        return {name: self.result(name) for name in self.names}

    def result(self, name: str) -> TallyResult:
        """What one tally says."""
        return self._held[name].result(self.samples)

    def sums(self) -> tuple[int, ...]:
        """The numbers that a precision rule adds up; none if nothing is watched or held."""
        return self._sums

    def to_bytes(self) -> bytes:
        """All of it, for a file or the network; `from_bytes` needs nothing else."""
        return b"".join([header(self._said(), self._entries()), *self._pieces()])

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Tallies:
        """Read what `to_bytes` wrote; anything else raises Malformed."""
        said, entries = parse(data)
        held = {one.name: _read(one, said.exact) for one in entries}
        reference = None
        if said.exact:
            reference = Reference({one.name: one.reference for one in entries})
        return cls(held, reference, said.watch)._with(said.samples, said.sums)

    def digest(self) -> str:
        """A digest of what is held: equal for equal bits, whatever the order of merging.

        It covers each tally's name, form, grids, centres and numbers, and how many samples there
        are; not which samples: that is the coverage, which whoever knows it adds.
        """
        hasher = blake2b(digest_size=DIGEST_BYTES)
        said = self._said()
        hasher.update(header(Said(said.exact, said.samples), self._entries()))
        for piece in self._pieces():
            hasher.update(piece)
        return hasher.hexdigest()

    def _said(self) -> Said:
        return Said(self.reference is not None, self.samples, self.watch, self._sums)

    def _entries(self) -> list[Entry]:
        return [
            Entry(name, self._reference(name), one.numbers(), one.arrays())
            for name, one in sorted(self._held.items())
        ]

    def _pieces(self) -> list[memoryview]:
        return [piece for one in self._entries() for piece in one.pieces()]

    def _reference(self, name: str) -> TallyReference:
        if self.reference is not None:
            return self.reference.tallies[name]
        return TallyReference(self._held[name].form)

    def _with(self, samples: int, sums: tuple[int, ...]) -> Tallies:
        self.samples, self._sums = samples, sums
        return self

    def _unlike(self, other: Tallies) -> str:
        """What differs, in words, if these cannot be added."""
        modes = ["free" if one.reference is None else "exact" for one in (self, other)]
        if modes[0] != modes[1]:
            return f"one is of {modes[0]} mode and the other of {modes[1]} mode"
        if self.watch != other.watch:
            return f"one watches {_watched(self.watch)} and the other {_watched(other.watch)}"
        if self._held and other._held:
            if found := difference(self.forms, other.forms, "in one", "in the other"):
                return found
        if self.reference is not None and other.reference is not None:
            if name := self.reference.difference(other.reference):
                return f"tally {name!r} has another grid or centre in each: their block 0 differ"
        return ""

    def _accumulated(self, name: str, one: Returned) -> Accumulator:
        """The statistics of one return."""
        if isinstance(one, Binned):
            return BinCounts.of(one)
        if self.reference is not None:
            return ExactSums.of(name, one, self.reference.tallies[name])
        found = FreeTotal.of(one) if isinstance(one, Total) else FreeSums.of(one)
        if isinstance(found, FreeSums) and not found.mergeable:
            raise BadReturn(f"tally {name!r} has values whose powers are too large for a float")
        return found

    def _take(self, more: dict[str, Accumulator], samples: int, sums: tuple[int, ...]) -> None:
        """Add statistics of the same tallies, all or none; kept as they are if there are none."""
        if self.samples + samples > COUNT_MAX:
            raise TooManySamples(f"{self.samples} + {samples} samples are more than {COUNT_MAX}")
        if self._held:
            self._merge_all(more, samples)
        else:
            self._held = more
        self.samples += samples
        self._sums = tuple(map(sum, zip(self._sums, sums, strict=True))) if self._sums else sums

    def _merge_all(self, more: dict[str, Accumulator], samples: int) -> None:
        done: list[str] = []
        for name, one in self._held.items():
            try:
                one.merge(more[name], self.samples, samples)
            except GridOverflow as error:
                for merged in done:
                    self._held[merged].unmerge(more[merged])
                raise GridOverflow(name) from error
            done.append(name)


def _zero(reference: TallyReference) -> Accumulator:
    if reference.form.kind in BINNED:
        return BinCounts.zero(reference.form)
    return ExactSums.zero(reference)


def _read(one: Entry, exact: bool) -> Accumulator:
    """The statistics that an entry holds; its arrays are taken over."""
    form = one.reference.form
    if form.kind in BINNED:
        return BinCounts(form, one.arrays["counts"], **one.numbers)
    if exact:
        return ExactSums.read(one.reference, one.arrays, one.numbers)
    if form.kind is Kind.SUM:
        return FreeTotal(form, one.arrays["total"])
    return FreeSums(form, list(one.arrays.values()), **one.numbers)


def _watched(watch: Watch | None) -> str:
    return "nothing" if watch is None else f"{watch.tally!r} in units of {watch.unit!r}"
