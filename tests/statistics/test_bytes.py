"""Tallies as bytes: all comes back, and what is no such bytes is refused as Malformed only."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.model.malformed import Malformed
from manyhands.statistics.returned import mean
from manyhands.statistics.tallies import Tallies
from tests.statistics.returns import WATCH, block, exact, free

BLOCKS = [block(i) for i in range(3)]
FREE = free(BLOCKS)
EXACT = exact(BLOCKS, BLOCKS[0])
CUT = 97  # every so many bytes


@pytest.mark.parametrize(
    "tallies",
    [FREE, EXACT, Tallies.free(), Tallies.free(WATCH), exact([], BLOCKS[0])],
    ids=["free", "exact", "empty", "watched", "exact without samples"],
)
def test_all_comes_back_from_bytes(tallies: Tallies) -> None:
    data = tallies.to_bytes()
    again = Tallies.from_bytes(data)
    assert again.to_bytes() == data
    assert again.digest() == tallies.digest()
    assert again.samples == tallies.samples
    assert again.sums() == tallies.sums()
    assert again.watch == tallies.watch
    assert again.names == tallies.names


@pytest.mark.parametrize("tallies", [FREE, EXACT], ids=["free", "exact"])
def test_what_comes_back_goes_on_the_same(tallies: Tallies) -> None:
    one, other = tallies.copy(), Tallies.from_bytes(bytearray(tallies.to_bytes()))
    for each in (one, other):
        each.add(block(7), 8)
        each.merge(tallies)
    assert one.to_bytes() == other.to_bytes()
    results = other.results()
    assert np.array_equal(results["image"].value, one.results()["image"].value)


def test_the_order_in_which_tallies_were_returned_leaves_no_trace() -> None:
    backwards = [dict(reversed(one.items())) for one in BLOCKS]
    assert free(backwards).to_bytes() == FREE.to_bytes()


def test_the_digest_is_not_changed_by_what_is_watched() -> None:
    unwatched = Tallies.free()
    for one in BLOCKS:
        unwatched.add(one, 8)
    assert unwatched.digest() == FREE.digest()


@pytest.mark.parametrize("tallies", [FREE, EXACT], ids=["free", "exact"])
def test_bytes_cut_short_or_too_long_are_malformed(tallies: Tallies) -> None:
    data = tallies.to_bytes()
    for end in [*range(0, len(data), CUT), len(data) - 1]:
        with pytest.raises(Malformed):
            Tallies.from_bytes(data[:end])
    with pytest.raises(Malformed):
        Tallies.from_bytes(data + b"x")


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([FREE, EXACT]), st.data())
def test_changed_bytes_are_malformed_or_read_without_harm(
    tallies: Tallies, draw: st.DataObject
) -> None:
    data = bytearray(tallies.to_bytes())
    for _ in range(draw.draw(st.integers(1, 3))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    with suppress(Malformed):  # and nothing else is raised
        Tallies.from_bytes(data).results()


@given(st.binary(max_size=200))
def test_any_other_bytes_are_malformed(data: bytes) -> None:
    with pytest.raises(Malformed):
        Tallies.from_bytes(data)


def _deep(header: dict[str, Any]) -> bytes:
    return b"[" * 100_000


def _change(**fields: Any) -> Callable[[dict[str, Any]], bytes]:
    return lambda header: json.dumps(header | fields).encode()


def _tally(index: int, **fields: Any) -> Callable[[dict[str, Any]], bytes]:
    def act(header: dict[str, Any]) -> bytes:
        header["tallies"][index] |= fields
        return json.dumps(header).encode()

    return act


@pytest.mark.parametrize(
    "change",
    [
        _deep,
        _change(format="manyhands tallies 2"),
        _change(samples=-1),
        _change(samples=10**30),
        _change(samples=1.0),
        _change(samples=1),
        _change(exact=1),
        _change(sums=[1, 2]),
        _change(sums=[1, 2, 3, 4, 0.5]),
        _change(watch={"tally": "none", "unit": 1.0}),
        _change(watch={"tally": "image", "unit": 1.0}),
        _change(watch={"tally": "score", "unit": 0}),
        _change(watch={"tally": "score"}),
        _change(watch=None),
        _change(tallies={}),
        _change(tallies=[]),
        _change(more=1),
        _tally(0, name="a/b"),
        _tally(0, name="image"),
        _tally(0, name=["x"]),
        _tally(0, kind="median"),
        _tally(0, kind=[]),
        _tally(0, shape=[2**40, 2**20]),
        _tally(0, shape=[2**62, 2**62]),
        _tally(0, shape=[-2, -3]),
        _tally(0, shape=[1] * 40),
        _tally(0, shape="23"),
        _tally(0, powers=4),
        _tally(0, edges=3),
        _tally(0, exponents=[0]),
        _tally(0, exponents=[10**9, 0]),
        _tally(0, centre=None),
        _tally(0, empty=1),
        _tally(5, empty=True),
        _tally(0, numbers={}),
        _tally(0, numbers={"batches": -1}),
        _tally(0, numbers={"batches": 10**9}),
        _tally(6, edges=2**60),
        _tally(5, edges=0),
        _tally(5, numbers={"below": 0, "above": "x"}),
    ],
)
@pytest.mark.parametrize("tallies", [FREE, EXACT], ids=["free", "exact"])
def test_a_header_that_lies_is_malformed(
    tallies: Tallies, change: Callable[[dict[str, Any]], bytes]
) -> None:
    line, _, arrays = tallies.to_bytes().partition(b"\n")
    with pytest.raises(Malformed):
        Tallies.from_bytes(change(json.loads(line)) + b"\n" + arrays)


def test_numbers_that_are_none_are_malformed() -> None:
    data = FREE.to_bytes()
    start = data.index(b"\n") + 1
    for wrong in (np.nan, np.inf):
        poisoned = data[:start] + np.float64(wrong).tobytes() + data[start + 8 :]
        with pytest.raises(Malformed, match="not finite"):
            Tallies.from_bytes(poisoned)


def test_a_sum_of_squares_below_zero_is_malformed() -> None:
    tallies = Tallies.free()
    tallies.add({"x": mean([1.0, 2.0])}, 2)
    data = tallies.to_bytes()
    with pytest.raises(Malformed, match="m2 is negative"):
        Tallies.from_bytes(data[:-8] + np.float64(-1.0).tobytes())
