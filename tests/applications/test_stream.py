"""Streams: the same for ever, another for each block or batch, and an end instead of a repeat."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator, Philox, SeedSequence

from manyhands.applications.stream import SeedsExhausted, Stream

RANECU = (2_147_483_563, 2_147_483_399)


def test_a_block_draws_the_same_for_ever() -> None:
    block = Stream(2024, 7)
    drawn = block.numpy().integers(0, 2**63, 3).tolist()
    assert drawn == [2373273962958036987, 3583731378700922458, 442261273691026277]
    seeds = (block.seed31(), block.seed32(), block.seed64(), block.pair(*RANECU))
    assert seeds == (1840412718, 679516269, 11051112314423624589, (800541268, 1043788249))


def test_batches_draw_the_same_for_ever() -> None:
    task = Stream(2024, 7, batch=0)
    first = (task.seed31(), task.seed32(), task.seed64(), task.pair(*RANECU))
    assert first == (279096103, 4192219022, 4767120244154539586, (1238783086, 597093357))
    task.next_batch()
    second = (task.seed31(), task.seed32(), task.seed64(), task.pair(*RANECU))
    assert second == (1595701463, 2722327223, 10368632587693451125, (338784699, 128964082))


def test_the_generator_is_philox_of_seed_and_number() -> None:
    mine = Generator(Philox(SeedSequence(2**127, spawn_key=(3,)))).random(5)
    assert Stream(2**127, 3).numpy().random(5).tolist() == mine.tolist()
    assert Stream(2**127, 3, batch=9).numpy().random(5).tolist() == mine.tolist()


def test_the_generator_goes_on_through_batches() -> None:
    task = Stream(1, 2, batch=0)
    parts = list(task.numpy().random(3))
    task.next_batch()
    parts += list(task.numpy().random(2))
    assert parts == Stream(1, 2).numpy().random(5).tolist()


def test_a_seed_is_the_same_when_asked_again() -> None:
    task = Stream(1, 2, batch=5)
    assert task.seed64() == task.seed64() == Stream(1, 2, batch=5).seed64()


@pytest.mark.parametrize("kind", [Stream.seed31, Stream.seed32, Stream.seed64])
def test_no_two_batches_have_one_seed(kind: Callable[[Stream], int]) -> None:
    seeds = [kind(Stream(5, number, batch)) for number in range(60) for batch in range(60)]
    assert len(set(seeds)) == len(seeds)


@given(st.data())
def test_a_pair_belongs_to_one_batch(data: st.DataObject) -> None:
    m1, m2 = data.draw(st.integers(2, 60)), data.draw(st.integers(2, 60))
    batches = 1 << (((m1 - 1) * (m2 - 1)).bit_length() - 1) // 2
    streams = (m1 - 1) * (m2 - 1) // batches
    every = [(number, batch) for number in range(streams) for batch in range(batches)]
    pairs = [Stream(5, number, batch).pair(m1, m2) for number, batch in every]
    assert len(set(pairs)) == len(pairs)
    assert all(0 < first < m1 and 0 < second < m2 for first, second in pairs)
    for number, batch in [(streams + 1, 0), (0, batches)]:
        with pytest.raises(SeedsExhausted):
            Stream(5, number, batch).pair(m1, m2)


@pytest.mark.parametrize(
    ("kind", "streams", "batches"),
    [
        (Stream.seed31, 2**16, 2**15),
        (Stream.seed32, 2**16, 2**16),
        (Stream.seed64, 2**32, 2**32),
    ],
)
def test_beyond_the_last_seed_there_is_none(
    kind: Callable[[Stream], int], streams: int, batches: int
) -> None:
    assert kind(Stream(1, streams - 1, batches - 1)) >= 0
    with pytest.raises(SeedsExhausted, match=f"{streams} streams of {batches} batches"):
        kind(Stream(1, streams, 0))
    with pytest.raises(SeedsExhausted, match=f"batch {batches} of stream 0"):
        kind(Stream(1, 0, batches))


def test_beyond_the_last_block_there_is_no_seed() -> None:
    assert Stream(1, 2**31 - 1).seed31() >= 0
    with pytest.raises(SeedsExhausted, match="block 2147483648 has no seed: there are 2147483648"):
        Stream(1, 2**31).seed31()


def test_a_block_has_no_batches() -> None:
    with pytest.raises(AssertionError):
        Stream(1, 2).next_batch()


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Stream(-1, 0), "seed"),
        (lambda: Stream(2**128, 0), "seed"),
        (lambda: Stream(1, -1), "number"),
        (lambda: Stream(1, 0, -1), "batch"),
        (lambda: Stream(1, 0).pair(1, 5), "m1"),
        (lambda: Stream(1, 0).pair(5, 1), "m2"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Callable[[], object], field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field} is "):
        make()


def test_it_says_what_it_is() -> None:
    assert repr(Stream(1, 2)) == "Stream(seed=1, number=2)"
    assert repr(Stream(1, 2, 3)) == "Stream(seed=1, number=2, batch=3)"
