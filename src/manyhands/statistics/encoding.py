"""Tallies as bytes: one line of JSON that says what there is, then the arrays, little-endian.

Tallies stand sorted by name, so that equal ones are equal bytes. `decoding` reads it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyhands.statistics.contract import Array
from manyhands.statistics.reference import TallyReference
from manyhands.statistics.watching import Watch

FORMAT = "manyhands tallies 1"


@dataclass(frozen=True, slots=True)
class Said:
    """What holds for all tallies together."""

    exact: bool
    samples: int
    watch: Watch | None = None
    sums: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One tally as it is written and read."""

    name: str
    reference: TallyReference
    numbers: dict[str, int]
    arrays: dict[str, Array]

    def described(self) -> dict[str, Any]:
        """The header's part."""
        form = self.reference.form
        return {
            "name": self.name,
            "kind": form.kind.value,
            "shape": list(form.shape),
            "powers": form.powers,
            "edges": 0 if form.edges is None else len(form.edges),
            "exponents": list(self.reference.exponents),
            "centre": self.reference.centre is not None,
            "empty": self.reference.empty,
            "numbers": self.numbers,
        }

    def pieces(self) -> Iterator[memoryview]:
        """The arrays, in the order in which they are read again."""
        form, centre = self.reference.form, self.reference.centre
        if form.edges is not None:
            yield _piece(np.array(form.edges))
        if centre is not None:
            yield _piece(centre)
        for array in self.arrays.values():
            yield _piece(array)


def header(said: Said, entries: list[Entry]) -> bytes:
    """The first line."""
    watch = said.watch
    found = {
        "format": FORMAT,
        "exact": said.exact,
        "samples": said.samples,
        "watch": None if watch is None else {"tally": watch.tally, "unit": watch.unit},
        "sums": list(said.sums),
        "tallies": [one.described() for one in entries],
    }
    return json.dumps(found, separators=(",", ":"), sort_keys=True).encode() + b"\n"


def _piece(array: Array) -> memoryview:
    """An array's bytes, little-endian, without a copy where they are so already."""
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(little).data.cast("B")
