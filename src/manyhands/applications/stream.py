"""What a function draws its random numbers from: one stream of a campaign.

A numpy generator is Philox seeded with SeedSequence(seed, spawn_key=(number,)): streams of other
numbers are independent of it, and there is nothing to keep but two integers. It is made when first
asked for, which takes about 8 µs.

A program that wants an integer seed gets one from the keyed permutation of `model/streams.py`: of
a campaign, no two streams share a seed. In exact mode a stream is a block, and its seed is that of
its number. In free mode a stream goes on through many batches, one for each call of `advance`. The
numpy generator just goes on, but a program that starts again with the same seed would repeat
itself: so each batch has a seed of its own. Stream and batch are made one number, the stream in
the upper half of the bits and the batch in the lower, and this number is permuted. Hence in free
mode there are

    seed64()           2^32 streams of 2^32 batches
    seed32()           2^16 streams of 2^16 batches
    seed31()           2^16 streams of 2^15 batches
    pair(m1, m2)       with 2^b ≤ (m1 - 1)(m2 - 1) < 2^(b+1): at least 2^(b - b//2) streams of
                       2^(b//2) batches, so 2^31 of 2^30 for RANECU (b = 61)

and beyond them `SeedsExhausted` is raised, never a seed given twice. Another seed is all that is
promised: whether the sequences that a program makes of two seeds overlap is a property of its
generator.
"""

from __future__ import annotations

from numpy.random import Generator, Philox, SeedSequence

from manyhands.model import streams
from manyhands.model.checks import COUNT_MAX, require

SEED64_SIZE = 1 << 64
SEED32_SIZE = 1 << 32


class SeedsExhausted(ValueError):
    """A stream or batch number is beyond those that have a seed of this size."""


class Stream:
    """One stream of a campaign, from which an application draws.

    `number` is the block in exact mode, the task's own stream in free mode. `first` is the index in
    the stream of the first sample of this call of `advance`; whoever runs the application sets it.
    """

    __slots__ = ("first", "number", "batch", "_seed", "_generator")

    def __init__(self, seed: int, number: int, batch: int | None = None) -> None:
        """Stream `number` of the campaign with this seed; a `batch` makes it one of free mode."""
        _require_index("seed", seed, streams.CAMPAIGN_SEED_SIZE - 1)
        _require_index("number", number, COUNT_MAX)
        _require_index("batch", batch or 0, COUNT_MAX)
        self.number = number
        self.batch = batch
        self.first = 0
        self._seed = seed
        self._generator: Generator | None = None

    def __repr__(self) -> str:
        batch = "" if self.batch is None else f", batch={self.batch}"
        return f"Stream(seed={self._seed}, number={self.number}{batch})"

    def numpy(self) -> Generator:
        """The numpy generator: the same object every time, through all batches."""
        if self._generator is None:
            key = SeedSequence(self._seed, spawn_key=(self.number,))
            self._generator = Generator(Philox(key))
        return self._generator

    def seed31(self) -> int:
        """A seed in 0 … 2^31 - 1 that no other stream or batch of the campaign has."""
        return self._seed_below(streams.SEED31_SIZE)

    def seed32(self) -> int:
        """A seed in 0 … 2^32 - 1 that no other stream or batch of the campaign has."""
        return self._seed_below(SEED32_SIZE)

    def seed64(self) -> int:
        """A seed in 0 … 2^64 - 1 that no other stream or batch of the campaign has."""
        return self._seed_below(SEED64_SIZE)

    def pair(self, m1: int, m2: int) -> tuple[int, int]:
        """Two seeds in 1 … m1 - 1 and 1 … m2 - 1, as RANECU wants; none else has this pair."""
        for name, modulus in (("m1", m1), ("m2", m2)):
            valid = type(modulus) is int and modulus >= 2
            require(valid, name, modulus, "a whole number, 2 or more")
        return streams.pair(self._seed, self._index((m1 - 1) * (m2 - 1)), m1, m2)

    def next_batch(self) -> None:
        """Go on to the next batch: other integer seeds, the same numpy generator."""
        assert self.batch is not None, "a block of exact mode has no batches"
        self.batch += 1

    def _seed_below(self, size: int) -> int:
        return streams.seed_below(self._seed, self._index(size), size)

    def _index(self, size: int) -> int:
        """One number for stream and batch, another for each two; below the size."""
        if self.batch is None:
            if self.number >= size:
                raise SeedsExhausted(
                    f"block {self.number} has no seed: there are {size} of this kind; "
                    "ask for seed64(), or for larger blocks"
                )
            return self.number
        batch_bits = (size.bit_length() - 1) // 2
        index = self.number << batch_bits | self.batch
        if self.batch >> batch_bits or index >= size:
            raise SeedsExhausted(
                f"batch {self.batch} of stream {self.number} has no seed: of this kind there are "
                f"{size >> batch_bits} streams of {1 << batch_bits} batches; "
                "ask for seed64(), or store less often"
            )
        return index


def _require_index(field: str, value: int, highest: int) -> None:
    valid = type(value) is int and 0 <= value <= highest
    require(valid, field, value, f"a whole number from 0 to {highest}")
