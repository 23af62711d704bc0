"""Seeds from streams: a permutation, the same for ever, another for each campaign."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.model.streams import (
    pair,
    seed31,
    seed_below,
    stream_of_seed31,
    stream_of_seed_below,
)


@pytest.mark.parametrize("campaign_seed", [0, 2**128 - 1])
def test_small_ranges_are_permuted(campaign_seed: int) -> None:
    for size in range(1, 301):
        seeds = [seed_below(campaign_seed, stream, size) for stream in range(size)]
        assert sorted(seeds) == list(range(size))
        for stream in range(0, size, 7):
            assert stream_of_seed_below(campaign_seed, seeds[stream], size) == stream


def test_200_000_streams_have_200_000_seeds() -> None:
    seeds = [seed31(42, stream) for stream in range(200_000)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**31 for seed in seeds)
    # Spread evenly: 4,000 per bin expected, and 6 standard deviations are 376.
    bins = [0] * 50
    for seed in seeds:
        bins[seed * 50 >> 31] += 1
    assert max(abs(count - 4_000) for count in bins) < 376


@given(st.integers(0, 2**128 - 1), st.integers(0, 2**31 - 1))
def test_a_seed_leads_back_to_its_stream(campaign_seed: int, stream: int) -> None:
    assert stream_of_seed31(campaign_seed, seed31(campaign_seed, stream)) == stream


@given(st.data(), st.integers(0, 9), st.integers(1, 2**64))
def test_any_range_leads_back(data: st.DataObject, campaign_seed: int, size: int) -> None:
    stream = data.draw(st.integers(0, size - 1))
    seed = seed_below(campaign_seed, stream, size)
    assert 0 <= seed < size
    assert stream_of_seed_below(campaign_seed, seed, size) == stream


def test_campaigns_have_different_seeds() -> None:
    streams = range(1_000)
    ours = [seed31(1, stream) for stream in streams]
    for other in (0, 2, 257, 2**64 + 1):
        # Two random permutations agree on one place in 2^31.
        assert all(seed31(other, stream) != ours[stream] for stream in streams)


def test_seeds_never_change() -> None:
    assert [seed31(1, stream) for stream in range(3)] == [99405650, 1931177273, 1357058849]
    assert seed_below(1, 0, 2**64) == 13994476106553641245
    assert pair(1, 0, 2147483563, 2147483399) == (234138376, 1548138981)


def test_pairs_are_all_pairs() -> None:
    pairs = [pair(5, stream, 8, 12) for stream in range(7 * 11)]
    assert sorted(pairs) == list(product(range(1, 8), range(1, 12)))
    with pytest.raises(ValueError, match=r"^stream is 77"):
        pair(5, 77, 8, 12)


@given(st.integers(0, 2147483562 * 2147483398 - 1))
def test_a_pair_of_ranecu_is_in_its_range(stream: int) -> None:
    first, second = pair(3, stream, 2147483563, 2147483399)
    assert 1 <= first < 2147483563
    assert 1 <= second < 2147483399


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ((-1, 0, 10), "campaign_seed"),
        ((2**128, 0, 10), "campaign_seed"),
        ((True, 0, 10), "campaign_seed"),
        ((1, 10, 10), "stream"),
        ((1, -1, 10), "stream"),
        ((1, 0.5, 10), "stream"),
        ((1, 0, 0), "size"),
        ((1, 0, 2**64 + 1), "size"),
    ],
)
def test_what_has_no_seed_is_refused(arguments: Any, field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field} is .* must be a whole number from "):
        seed_below(*arguments)


def test_a_seed_out_of_range_has_no_stream() -> None:
    with pytest.raises(ValueError, match=r"^seed is 2147483648"):
        stream_of_seed31(1, 2**31)
    with pytest.raises(ValueError, match=r"^m1 is 1"):
        pair(1, 0, 1, 5)
