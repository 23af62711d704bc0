"""Twice a float's precision, from plain floats: what turns the grid's integers into results.

A number is the unevaluated sum of two floats, about 106 bits (Dekker 1971; the sums are Knuth's).
Only additions, products and quotients of float64 are used, never fused: every IEEE-754 machine
gives the same bits. It is accurate enough for a variance that is 2^-100 of the squares' sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyhands.statistics.grid import FRACTION_BITS, GridSums
from manyhands.statistics.returned import Floats

SPLITTER = float((1 << 27) + 1)
HALF = np.uint64(32)
LOWER = 0xFFFFFFFF


@dataclass(frozen=True, slots=True, eq=False)
class Doubled:
    """high + low, with low less than half a unit in high's last place."""

    high: Floats
    low: Floats

    def __add__(self, other: Doubled) -> Doubled:
        high, error = _two_sum(self.high, other.high)
        low, rest = _two_sum(self.low, other.low)
        high, error = _quick_two_sum(high, error + low)
        return Doubled(*_quick_two_sum(high, error + rest))

    def __neg__(self) -> Doubled:
        return Doubled(-self.high, -self.low)

    def __sub__(self, other: Doubled) -> Doubled:
        return self + -other

    def __mul__(self, other: Doubled) -> Doubled:
        product, error = _two_product(self.high, other.high)
        error = error + (self.high * other.low + self.low * other.high)
        return Doubled(*_quick_two_sum(product, error))

    def __truediv__(self, other: Doubled) -> Doubled:
        first = self.high / other.high
        rest = self - other * plain(first)
        second = rest.high / other.high
        rest = rest - other * plain(second)
        third = rest.high / other.high
        return Doubled(*_quick_two_sum(first, second)) + plain(third)

    @property
    def rounded(self) -> Floats:
        """The nearest float."""
        return self.high + self.low


def plain(values: Floats) -> Doubled:
    """Floats as they are."""
    return Doubled(values, np.zeros_like(values))


def whole(number: int, scale: int = 1) -> Doubled:
    """A whole number."""
    number *= scale
    high = float(number)
    return Doubled(np.array([high]), np.array([float(number - int(high))]))


def doubled(sums: GridSums, part: slice, unit_exponent: int) -> Doubled:
    """The grid's numbers, in units of 2^unit_exponent."""
    upper, lower = sums.high[part], sums.low[part]
    bits = sums.exponent - FRACTION_BITS - unit_exponent
    high = _two_sum(np.ldexp(upper >> 32, bits + 96), np.ldexp(upper & LOWER, bits + 64))
    low = _two_sum(np.ldexp(lower >> HALF, bits + 32), np.ldexp(lower & np.uint64(LOWER), bits))
    return Doubled(*high) + Doubled(*low)


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a + b and its rounding error."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


def _quick_two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The same where |a| ≥ |b|."""
    total = a + b
    return total, b - (total - a)


def _split(a: Floats) -> tuple[Floats, Floats]:
    """Two halves of 26 bits."""
    carried = SPLITTER * a
    high = carried - (carried - a)
    return high, a - high


def _two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a · b and its rounding error."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error
