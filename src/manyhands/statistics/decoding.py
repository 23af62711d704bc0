"""Reads tallies from bytes that anybody may have sent.

Nothing is executed, and nothing is allocated before the header has been checked against the length
of the data. Whatever is not as it must be raises Malformed, with where and what.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from manyhands.model.checks import COUNT_MAX, is_count
from manyhands.model.malformed import Malformed, sentence, shown
from manyhands.statistics import bins, exact_sums, free_sums
from manyhands.statistics.audit import NAMES_MAX, require_name
from manyhands.statistics.contract import Array
from manyhands.statistics.encoding import FORMAT, Entry, Said
from manyhands.statistics.forms import BINNED, Form, Kind
from manyhands.statistics.grid import EXPONENT_MAX, EXPONENT_MIN
from manyhands.statistics.reference import TallyReference
from manyhands.statistics.returned import BadReturn, Floats
from manyhands.statistics.watching import Watch, is_additive, require_watchable

HEADER_BYTES_MAX = 1 << 24
AXES_MAX = 32  # numpy has at most 64
FLOAT = np.dtype("<f8")
HEADER = {"format", "exact", "samples", "watch", "sums", "tallies"}
ENTRY = {"name", "kind", "shape", "powers", "edges", "exponents", "centre", "empty", "numbers"}
POWERS = {Kind.MEAN: (2, 4), Kind.MOMENTS: (2, 4), Kind.BATCH: (2,)}
CENTRED = (Kind.MEAN, Kind.BATCH)


@dataclass(slots=True)
class Reader:
    """What is left of the arrays."""

    data: memoryview
    at: int = 0

    def take(self, place: str, dtype: np.dtype[Any], cells: int) -> Array:
        """The next array, in memory of its own and in this machine's byte order."""
        size = dtype.itemsize * cells
        _require(size <= len(self.data) - self.at, place, f"{cells} cells", "less: the data ends")
        found = np.frombuffer(self.data, dtype, cells, self.at)
        self.at += size
        return found.astype(dtype.newbyteorder("="))

    def floats(self, place: str, cells: int) -> Floats:
        """The next array of floats, all finite."""
        found = self.take(place, FLOAT, cells)
        _require(bool(np.all(np.isfinite(found))), place, "not finite", "finite numbers")
        return found


def parse(data: bytes | bytearray | memoryview) -> tuple[Said, list[Entry]]:
    """What `to_bytes` wrote: what holds for all, and each tally."""
    whole = memoryview(data).cast("B")
    first = bytes(whole[:HEADER_BYTES_MAX])
    end = first.find(b"\n")
    _require(end >= 0, "the data", "without a header", "one line of JSON, then arrays")
    header = _json(first[:end])
    _require_keys("the header", header, HEADER)
    said = _said(header)
    reader = Reader(whole, end + 1)
    listed = header["tallies"]
    valid = isinstance(listed, list) and len(listed) <= NAMES_MAX
    _require(valid, "tallies", shown(listed), f"a list of at most {NAMES_MAX}")
    entries = [_entry(f"tallies[{i}]", one, said, reader) for i, one in enumerate(listed)]
    _require(reader.at == len(whole), "the data", "longer than its header says", "as long")
    names = [one.name for one in entries]
    _require(names == sorted({*names}), "tallies", "unsorted or repeated", "sorted by name")
    _require_watched(said, {one.name: one.reference.form for one in entries})
    return said, entries


def _json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"no JSON ({sentence(error)})").within("the header") from error


def _said(header: Mapping[str, Any]) -> Said:
    _require(header["format"] == FORMAT, "format", shown(header["format"]), repr(FORMAT))
    exact, samples, sums = header["exact"], header["samples"], header["sums"]
    _require(type(exact) is bool, "exact", shown(exact), "true or false")
    valid = is_count(samples) and samples <= COUNT_MAX
    _require(valid, "samples", shown(samples), "a count")
    valid = isinstance(sums, list) and len(sums) <= 5 and all(type(one) is int for one in sums)
    _require(valid, "sums", shown(sums), "at most five whole numbers")
    return Said(exact, samples, _watch(header["watch"]), tuple(sums))


def _watch(found: Any) -> Watch | None:
    if found is None:
        return None
    _require_keys("watch", found, {"tally", "unit"})
    try:
        return Watch(found["tally"], found["unit"])
    except ValueError as error:
        raise Malformed(sentence(error)).within("watch") from error


def _entry(place: str, found: Any, said: Said, reader: Reader) -> Entry:
    _require_keys(place, found, ENTRY)
    try:
        name = require_name(found["name"])
    except BadReturn as error:
        raise Malformed(sentence(error)).within(place) from error
    reference = _reference(place, found, said, reader)
    form = reference.form
    arrays = {
        label: reader.take(f"{place}.{label}", dtype, form.cells)
        for label, dtype in _dtypes(form, said.exact).items()
    }
    numbers = _numbers(place, found["numbers"], form)
    _require_possible(place, said.samples, arrays, numbers)
    return Entry(name, reference, numbers, arrays)


def _reference(place: str, found: Mapping[str, Any], said: Said, reader: Reader) -> TallyReference:
    form = _form(place, found, reader)
    exponents, centre = found["exponents"], found["centre"]
    gridded = said.exact and form.kind not in BINNED
    length = max(form.powers, 1) if gridded else 0
    valid = isinstance(exponents, list) and len(exponents) == length
    valid = valid and all(
        type(one) is int and EXPONENT_MIN <= one <= EXPONENT_MAX for one in exponents
    )
    _require(valid, f"{place}.exponents", shown(exponents), f"{length} exponents of floats")
    centred = gridded and form.kind in CENTRED
    _require(centre is centred, f"{place}.centre", shown(centre), str(centred).lower())
    about = reader.floats(f"{place}.centre", form.cells) if centred else None
    empty = found["empty"]
    valid = empty is False or (empty is True and gridded)
    _require(valid, f"{place}.empty", shown(empty), "true or false, and false without a grid")
    return TallyReference(form, tuple(exponents), about, empty)


def _form(place: str, found: Mapping[str, Any], reader: Reader) -> Form:
    try:
        kind = Kind(found["kind"])
    except ValueError as error:
        raise Malformed(shown(found["kind"]), "a kind of tally").within(f"{place}.kind") from error
    shape, powers, count = found["shape"], found["powers"], found["edges"]
    valid = isinstance(shape, list) and len(shape) <= AXES_MAX
    valid = valid and all(is_count(one, 1) for one in shape) and prod(shape) <= COUNT_MAX
    _require(valid, f"{place}.shape", shown(shape), f"at most {AXES_MAX} counts from 1 on")
    valid = type(powers) is int and powers in POWERS.get(kind, (0,))
    _require(valid, f"{place}.powers", shown(powers), "as many as its kind has")
    return Form(kind, tuple(shape), powers, _edges(place, kind, shape, count, reader))


def _edges(
    place: str, kind: Kind, shape: list[int], count: Any, reader: Reader
) -> tuple[float, ...] | None:
    place = f"{place}.edges"
    if type(count) is int and count == 0 and kind is not Kind.HISTOGRAM:
        return None
    valid = kind in BINNED and is_count(count, 2) and shape == [count - 1]
    _require(valid, place, shown(count), "one more than there are bins")
    edges = reader.floats(place, count)
    _require(bool(np.all(np.diff(edges) > 0)), place, "not rising", "rising")
    return tuple(edges.tolist())


def _numbers(place: str, found: Any, form: Form) -> dict[str, int]:
    names = set() if form.kind is Kind.SUM else {"batches"}
    _require_keys(f"{place}.numbers", found, {"below", "above"} if form.kind in BINNED else names)
    for name, one in found.items():
        valid = is_count(one) and one <= COUNT_MAX
        _require(valid, f"{place}.numbers.{name}", shown(one), "a count")
    return dict(found)


def _require_possible(
    place: str, samples: int, arrays: Mapping[str, Array], numbers: Mapping[str, int]
) -> None:
    """Refuse numbers that no samples have."""
    most = max(numbers.values(), default=0)
    _require(most <= samples, f"{place}.numbers", str(most), f"at most the samples, {samples}")
    for label, array in arrays.items():
        at = f"{place}.{label}"
        if array.dtype.kind == "f":
            _require(bool(np.all(np.isfinite(array))), at, "not finite", "finite numbers")
        if label in ("m2", "m4"):
            _require(bool(np.all(array >= 0)), at, "negative", "a sum of squares")
        if label == "counts":
            valid = array.min() >= 0 and array.max() <= samples
            _require(bool(valid), at, "no count of samples", f"from 0 to {samples}")


def _require_watched(said: Said, forms: Mapping[str, Form]) -> None:
    """Refuse sums that no adding gives."""
    length = 0
    if said.watch is not None and forms:
        try:
            require_watchable(said.watch, forms)
        except BadReturn as error:
            raise Malformed(sentence(error)).within("watch") from error
        form = forms[said.watch.tally]
        if said.samples > 0 and is_additive(form):
            length = 5 if form.kind is Kind.MEAN else 1 + form.powers
    _require(len(said.sums) == length, "sums", shown(list(said.sums)), f"{length} numbers")
    _require(bool(forms) or said.samples == 0, "samples", str(said.samples), "0 without tallies")


def _dtypes(form: Form, exact: bool) -> dict[str, np.dtype[Any]]:
    """Which arrays a tally of a form has, in their order, and of what type."""
    if form.kind in BINNED:
        return bins.DTYPES
    return exact_sums.dtypes(form) if exact else free_sums.dtypes(form)


def _require_keys(place: str, found: Any, keys: set[str]) -> None:
    valid = isinstance(found, dict) and found.keys() == keys
    _require(valid, place, shown(found), f"an object with {', '.join(sorted(keys)) or 'nothing'}")


def _require(valid: bool, place: str, found: str, expected: str) -> None:
    if not valid:
        raise Malformed(found, expected).within(place)
