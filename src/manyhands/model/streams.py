"""Which integer seed a stream has, for programs that take one.

Seeds are a keyed permutation of the program's range applied to the stream's number: no two streams
of a campaign share a seed, and there is neither a table to keep nor an order of drawing. The
permutation is a generalised Feistel cipher with cycle-walking (Black & Rogaway 2002, section 5): a
number x of the range is (x mod a, x div a) with a·b just above the size, four rounds add to each
part in turn a hash of the other, and a result beyond the range is enciphered again, which is rare.
The round function is BLAKE2b, keyed from the campaign's seed. What it gives is part of every
reproducible result: a change of any constant here is a change of all seeds.
"""

from __future__ import annotations

from hashlib import blake2b
from math import isqrt

from manyhands.model.checks import require

SEED31_SIZE = 1 << 31
SIZE_MAX = 1 << 64
CAMPAIGN_SEED_SIZE = 1 << 128


def seed31(campaign_seed: int, stream: int) -> int:
    """The seed of a stream in 0 … 2^31 - 1."""
    return seed_below(campaign_seed, stream, SEED31_SIZE)


def stream_of_seed31(campaign_seed: int, seed: int) -> int:
    """The stream that has this seed: the inverse of seed31."""
    return stream_of_seed_below(campaign_seed, seed, SEED31_SIZE)


def seed_below(campaign_seed: int, stream: int, size: int) -> int:
    """The seed of a stream in 0 … size - 1, another for each of the `size` streams there are."""
    cipher = _Cipher(campaign_seed, size)
    _require_within("stream", stream, 0, size - 1)
    seed = cipher.forwards(stream)
    while seed >= size:
        seed = cipher.forwards(seed)
    return seed


def stream_of_seed_below(campaign_seed: int, seed: int, size: int) -> int:
    """The stream that has this seed: the inverse of seed_below."""
    cipher = _Cipher(campaign_seed, size)
    _require_within("seed", seed, 0, size - 1)
    stream = cipher.backwards(seed)
    while stream >= size:
        stream = cipher.backwards(stream)
    return stream


def pair(campaign_seed: int, stream: int, m1: int, m2: int) -> tuple[int, int]:
    """The two seeds of a stream, in 1 … m1 - 1 and 1 … m2 - 1; no two streams share a pair."""
    _require_within("m1", m1, 2, SIZE_MAX)
    _require_within("m2", m2, 2, SIZE_MAX)
    first, second = divmod(seed_below(campaign_seed, stream, (m1 - 1) * (m2 - 1)), m2 - 1)
    return first + 1, second + 1


class _Cipher:
    """A permutation of 0 … a·b - 1, where a·b is at least the size and less than a above it."""

    __slots__ = ("_a", "_b", "_keyed")

    def __init__(self, campaign_seed: int, size: int) -> None:
        _require_within("campaign_seed", campaign_seed, 0, CAMPAIGN_SEED_SIZE - 1)
        _require_within("size", size, 1, SIZE_MAX)
        self._a = isqrt(size - 1) + 1
        self._b = -(-size // self._a)
        self._keyed = blake2b(digest_size=8, key=campaign_seed.to_bytes(16, "little"))

    def forwards(self, number: int) -> int:
        right, left = divmod(number, self._a)
        for turn in (0, 2):
            left = (left + self._hash(turn, right)) % self._a
            right = (right + self._hash(turn + 1, left)) % self._b
        return left + self._a * right

    def backwards(self, number: int) -> int:
        right, left = divmod(number, self._a)
        for turn in (2, 0):
            right = (right - self._hash(turn + 1, left)) % self._b
            left = (left - self._hash(turn, right)) % self._a
        return left + self._a * right

    def _hash(self, turn: int, part: int) -> int:
        hasher = self._keyed.copy()  # keyed once: a copy costs half of a new one
        hasher.update((4 * part + turn).to_bytes(8, "little"))
        return int.from_bytes(hasher.digest(), "little")


def _require_within(field: str, value: int, lowest: int, highest: int) -> None:
    if type(value) is not int or not lowest <= value <= highest:
        require(False, field, value, f"a whole number from {lowest} to {highest}")
