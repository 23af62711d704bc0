"""Exact mode: one digest, whoever adds what, in whatever order and grouping."""

from __future__ import annotations

import random
import subprocess
import sys
from fractions import Fraction
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.statistics.contract import GridOverflow
from manyhands.statistics.reference import Reference
from manyhands.statistics.returned import (
    BadReturn,
    ShortReturn,
    counts,
    mean,
    moments,
    total,
)
from manyhands.statistics.tallies import MergeRefused, Tallies
from tests.statistics.returns import block, exact, free

# Other bytes mean that results of two versions can no longer be compared: say so to users.
KNOWN_DIGEST = "7203969c41d060852c9907ba5049fd962545494b934d01372f059880bb09825f"
BLOCKS = [block(i) for i in range(12)]


@pytest.fixture(scope="module")
def expected() -> Tallies:
    """All blocks, one after the other."""
    return exact(BLOCKS, BLOCKS[0])


def test_sixty_groupings_have_one_digest(expected: Tallies) -> None:
    digests = {_grouped(random.Random(seed)).digest() for seed in range(60)}
    assert digests == {expected.digest()}


@given(st.permutations(range(12)), st.integers(1, 11))
def test_merging_commutes_bit_by_bit(order: list[int], cut: int) -> None:
    parts = [[BLOCKS[i] for i in order[:cut]], [BLOCKS[i] for i in order[cut:]]]
    found = [exact(part, BLOCKS[0]) for part in parts]
    other = [one.copy() for one in found]
    found[0].merge(found[1])
    other[1].merge(other[0])
    assert found[0].to_bytes() == other[1].to_bytes()


def test_another_sample_is_another_digest(expected: Tallies) -> None:
    assert exact([*BLOCKS[:11], block(99)], BLOCKS[0]).digest() != expected.digest()
    assert exact(BLOCKS[:11], BLOCKS[0]).digest() != expected.digest()


def test_the_digest_of_a_known_result_never_changes() -> None:
    returned = {"x": mean([0.5, 1.5, -1.0, 3.0]), "n": counts(4, [[1, 2]]), "e": total(-0.75)}
    tallies = Tallies.exact(Reference.of_block(returned, 4))
    tallies.add(returned, 4)
    assert tallies.digest() == KNOWN_DIGEST


def test_before_any_sample_nothing_is_known() -> None:
    found = exact([], BLOCKS[0]).results()
    assert found["score"].value == 0.0
    assert found["score"].relative_error == inf
    assert found["energy"].error is None


def test_exact_and_free_mode_agree(expected: Tallies) -> None:
    plain = free(BLOCKS)
    assert plain.sums() == expected.sums()
    for name, found in expected.results().items():
        one = plain.results()[name]
        assert np.allclose(found.value, one.value, rtol=1e-12)
        if found.error is not None and one.error is not None:
            assert np.allclose(found.error, one.error, rtol=1e-9)
        if found.vov is not None and one.vov is not None:
            assert np.allclose(found.vov, one.vov, rtol=1e-6)
        assert (found.batches, found.outside) == (one.batches, one.outside)


@given(
    st.integers(2, 10**8),
    st.lists(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3), min_size=1, max_size=5),
)
def test_results_come_from_the_integers_without_loss(centre: int, parts: list[list[float]]) -> None:
    blocks = [[centre + one for one in part] for part in parts]
    values = [Fraction(one) for part in blocks for one in part]
    reference = Reference.of_block({"x": mean(blocks[0])}, 3)
    tallies = Tallies.exact(reference)
    for part in blocks:
        tallies.add({"x": mean(part)}, 3)
    found = tallies.results()["x"]
    n = len(values)
    average = sum(values) / n
    assert found.value == pytest.approx(float(average), rel=1e-15, abs=1e-15)
    expected = float(sum((one - average) ** 2 for one in values))
    # A block's own sums are floats; what comes after loses nothing but the grid's unit.
    lost = n * (1e-15 + 2.0 ** (reference.tallies["x"].exponents[1] - 76))
    assert found.error is not None
    assert found.error**2 * n * (n - 1) == pytest.approx(expected, rel=1e-14, abs=lost)


def test_a_small_spread_of_large_values_is_not_rounded_away() -> None:
    draw = np.random.default_rng(4)
    blocks = [1e6 + draw.normal(0, 1e-3, 100) for _ in range(20)]
    tallies = Tallies.exact(Reference.of_block({"x": mean(blocks[0])}, 100))
    for part in blocks:
        tallies.add({"x": mean(part)}, 100)
    expected = np.std(np.concatenate(blocks) - 1e6, ddof=1) / sqrt(2000)
    assert tallies.results()["x"].error == pytest.approx(expected, rel=1e-10, abs=0)


def test_sums_of_a_kernel_keep_all_their_bits() -> None:
    blocks = [(5, 1e6 * 5 + k, 5e12 + 2e6 * k + k * k + 3) for k in range(4)]
    tallies = Tallies.exact(Reference.of_block({"x": moments(*blocks[0])}, 5))
    for one in blocks:
        tallies.add({"x": moments(*one)}, 5)
    s1, s2 = (sum(Fraction(one[k]) for one in blocks) for k in (1, 2))
    expected = sqrt((s2 - s1 * s1 / 20) / 20 / 19)
    found = tallies.results()["x"]
    assert found.error == pytest.approx(expected, rel=1e-15)
    assert found.value == float(s1 / 20)


def test_totals_are_exact() -> None:
    tallies = Tallies.exact(Reference.of_block({"e": total(1.0)}, 1))
    for value in (1.0, 2.0**-60, -1.0):
        tallies.add({"e": total(value)}, 1)
    assert tallies.results()["e"].value == 2.0**-60


def test_a_short_block_is_refused() -> None:
    reference = Reference.of_block({"x": mean([1.0, 2.0])}, 2)
    with pytest.raises(ShortReturn, match="returned 1 of 2 samples"):
        Tallies.exact(reference).add({"x": mean([1.0])}, 2)
    with pytest.raises(ShortReturn):
        Reference.of_block({"x": mean([1.0])}, 2)


def test_other_tallies_than_block_0_are_refused() -> None:
    tallies = Tallies.exact(Reference.of_block({"x": mean([1.0, 2.0])}, 2))
    with pytest.raises(BadReturn, match="x before and y now"):
        tallies.add({"y": mean([1.0, 2.0])}, 2)


def test_leaving_the_grid_is_named_and_leaves_no_trace() -> None:
    reference = Reference.of_block({"n": counts(1, [1]), "a": total(1.0), "x": total(1.0)}, 1)
    tallies = Tallies.exact(reference)
    with pytest.raises(GridOverflow, match="'x' grew beyond 2\\^51"):
        tallies.add({"n": counts(1, [1]), "a": total(1.0), "x": total(2.0**51)}, 1)
    tallies.add({"n": counts(1, [1]), "a": total(1.0), "x": total(0.75 * 2.0**51)}, 1)
    before = tallies.to_bytes()
    with pytest.raises(GridOverflow, match="'x'"):
        tallies.merge(tallies.copy())
    with pytest.raises(GridOverflow, match="'x'"):
        tallies.add({"n": counts(1, [1]), "a": total(1.0), "x": total(2.0**50)}, 1)
    assert tallies.to_bytes() == before
    tallies.add({"n": counts(1, [1]), "a": total(1.0), "x": total(-(2.0**50))}, 1)
    assert tallies.results()["x"].value == 2.0**49


def test_a_mean_that_leaves_the_grid_takes_back_its_first_power() -> None:
    tallies = Tallies.exact(Reference.of_block({"x": moments(1, 1.0, 1.0)}, 1))
    tallies.add({"x": moments(2, 1.0, 2.0**50.5)}, 2)
    before = tallies.to_bytes()
    with pytest.raises(GridOverflow):
        tallies.add({"x": moments(2, 1.0, 2.0**50.5)}, 2)
    assert tallies.to_bytes() == before


def test_values_that_cancel_in_block_0_do_not_narrow_the_grid() -> None:
    tallies = Tallies.exact(Reference.of_block({"x": mean([1.0, -1.0])}, 2))
    tallies.add({"x": mean([3.0, 5.0])}, 2)
    assert tallies.results()["x"].value == 4.0


def test_an_empty_block_0_has_the_grid_of_one() -> None:
    reference = Reference.of_block({"x": mean([0.0, 0.0])}, 2)
    assert reference.tallies["x"].exponents == (0, 0)
    tallies = Tallies.exact(reference)
    tallies.add({"x": mean([0.0, 3.0])}, 2)
    assert tallies.results()["x"].value == 1.5


def test_what_the_grid_of_an_empty_block_0_would_lose_is_refused() -> None:
    tallies = Tallies.exact(Reference.of_block({"dose": mean([0.0, 0.0])}, 2))
    before = tallies.to_bytes()
    with pytest.raises(GridOverflow, match="'dose' was empty in block 0"):
        tallies.add({"dose": mean([0.0, 1e-12])}, 2)  # its square is below 2^-76
    assert tallies.to_bytes() == before


def test_another_block_0_is_refused() -> None:
    one, other = exact(BLOCKS[:2], BLOCKS[0]), exact(BLOCKS[:2], BLOCKS[1])
    with pytest.raises(MergeRefused, match="another grid or centre"):
        one.merge(other)


def test_another_centre_alone_is_another_block_0() -> None:
    values = np.array([1.0, 2.25])
    references = [Reference.of_block({"x": mean(one)}, 2) for one in (values, values + 0.125)]
    one, other = (Tallies.exact(reference) for reference in references)
    assert len({reference.tallies["x"].exponents for reference in references}) == 1
    with pytest.raises(MergeRefused, match="'x' has another grid or centre"):
        one.merge(other)


def test_the_modes_do_not_mix() -> None:
    with pytest.raises(MergeRefused, match="free mode"):
        exact(BLOCKS[:1], BLOCKS[0]).merge(free(BLOCKS[:1]))


def test_the_same_samples_in_another_memory_layout_are_the_same_bits() -> None:
    values = np.random.default_rng(1).normal(0, 1, (40, 30))
    reference = Reference.of_block({"x": mean(values)}, 40)
    one, other = Tallies.exact(reference), Tallies.exact(reference)
    one.add({"x": mean(values)}, 40)
    other.add({"x": mean(np.asfortranarray(values))}, 40)
    assert one.digest() == other.digest()


def test_nothing_but_large_exact_arrays_loads_the_compiler() -> None:
    code = (
        "import sys; from manyhands.statistics.tallies import Tallies, Reference;"
        "from manyhands.statistics.returned import mean; r = {'x': mean([1.0])};"
        "Tallies.exact(Reference.of_block(r, 1)).add(r, 1);"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def _grouped(draw: random.Random) -> Tallies:
    """All blocks in random groups, merged in random order, some of them by way of bytes."""
    order = draw.sample(BLOCKS, len(BLOCKS))
    parts = []
    while order:
        size = draw.randint(1, len(order))
        parts.append(exact(order[:size], BLOCKS[0]))
        order = order[size:]
    while len(parts) > 1:
        one = parts.pop(draw.randrange(len(parts)))
        into = draw.randrange(len(parts))
        if draw.random() < 0.3:
            one = Tallies.from_bytes(one.to_bytes())
        parts[into].merge(one)
    return parts[0]
