"""The toy's values add like tallies, and tell coverages apart."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.model.campaign import Campaign, Mode
from manyhands.model.coverage import BLOCK_LINE, Coverage, Span
from manyhands.model.stopping import AnyOf, Precision, Samples
from manyhands.simulator import toy

UNIT = 2.0**-20


def campaign(mode: Mode = Mode.FREE, block_samples: int = 0, count: int = 10**6) -> Campaign:
    precise = Precision("dose", relative=0.01, unit=UNIT)
    stop = AnyOf((Samples(count), precise))
    return Campaign(0, "toy", 7, stop, mode, block_samples)


@given(st.integers(0, 2**63), st.integers(-1, 99), st.tuples(*[st.integers(0, 10**9)] * 3))
def test_values_of_parts_add_up_to_that_of_the_whole(
    seed: int, line: int, ends: tuple[int, int, int]
) -> None:
    a, b, c = sorted(ends)
    if not a < b < c:
        return
    left, right = Coverage((Span(line, a, b),)), Coverage((Span(line, b, c),))
    assert (toy.value(seed, left) + toy.value(seed, right)) % 2**64 == toy.value(seed, left | right)


def test_a_sample_that_is_missing_doubled_or_foreign_shows() -> None:
    right = toy.value(7, Coverage((Span(3, 0, 100),)))
    one = toy.value(7, Coverage((Span(3, 99, 100),)))
    assert right != toy.value(7, Coverage((Span(3, 0, 99),)))
    assert right != (right + one) % 2**64
    assert right != toy.value(7, Coverage((Span(4, 0, 100),)))
    assert right != toy.value(8, Coverage((Span(3, 0, 100),)))


def test_digests_name_the_numeric_class_in_exact_mode_only() -> None:
    assert toy.Toy(campaign()).digest(5, "a") == toy.Toy(campaign()).digest(5, "b")
    exact = toy.Toy(campaign(Mode.EXACT, 100))
    assert exact.digest(5, "a") != exact.digest(5, "b")
    assert exact.class_digest("a") != exact.class_digest("b")


def test_samples_of_the_last_block_may_be_fewer() -> None:
    exact = toy.Toy(campaign(Mode.EXACT, 64, count=100))
    assert exact.samples(Coverage((Span(BLOCK_LINE, 0, 2),))) == 100
    assert exact.samples(Coverage((Span(BLOCK_LINE, 1, 2),))) == 36


@pytest.mark.parametrize("mode", list(Mode))
def test_sums_add_whatever_the_order_in_which_they_are_asked_for(mode: Mode) -> None:
    line, size = (BLOCK_LINE, 100) if mode is Mode.EXACT else (5, 0)
    first, second = toy.Toy(campaign(mode, size)), toy.Toy(campaign(mode, size))
    parts = [Coverage((Span(line, a, b),)) for a, b in ((0, 300), (300, 301), (301, 900))]
    forward = [first.sums(part) for part in parts]
    backward = [second.sums(part) for part in reversed(parts)]
    assert forward == backward[::-1]
    whole = first.sums(Coverage((Span(line, 0, 900),)))
    assert whole == tuple(map(sum, zip(*forward, strict=True)))


@pytest.mark.parametrize(("mode", "size"), [(Mode.FREE, 0), (Mode.EXACT, 500), (Mode.EXACT, 20)])
def test_sums_have_the_mean_and_the_spread_of_their_distribution(mode: Mode, size: int) -> None:
    many = 400
    step = 1 if size else 512  # positions
    samples = size or 512
    line = BLOCK_LINE if size else 0
    application = toy.Toy(campaign(mode, size))
    spans = [Span(line, i * step, (i + 1) * step) for i in range(many)]
    drawn = [application.sums(Coverage((span,))) for span in spans]
    assert all(sums[0] == samples for sums in drawn)
    means = [sums[1] * UNIT / samples for sums in drawn]
    squares = [sums[2] * UNIT**2 / samples for sums in drawn]
    spread = fmean((x - fmean(means)) ** 2 for x in means) ** 0.5
    assert fmean(means) == pytest.approx(1.0, abs=5 / (many * samples) ** 0.5)
    assert fmean(squares) == pytest.approx(2.0, abs=5 * 20**0.5 / (many * samples) ** 0.5)
    assert spread == pytest.approx(samples**-0.5, rel=0.2)


def test_no_rule_of_precision_asks_for_no_sums() -> None:
    plain = toy.Toy(Campaign(0, "toy", 7, Samples(10)))
    assert plain.sums(Coverage((Span(0, 0, 5),))) == ()
