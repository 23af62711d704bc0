"""Laws of random numbers whose means are known: what a stop rule is tried on.

A source of a law draws sample after sample: asked for so many, it gives the values of those that
are not zero. The others add nothing, so they need not be there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, sqrt
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.float64]
Source: TypeAlias = Callable[[int], Values]

EPSILON = 2.0**-53


@dataclass(frozen=True, slots=True)
class Law:
    """Its name, its mean, its relative spread, and what draws from it.

    The relative spread is the standard deviation of a mean of n samples times √n, for a large n,
    as a part of the mean.
    """

    name: str
    mean: float
    spread: float
    source: Callable[[Generator], Source]

    def needed(self, part: float, standard_errors: float) -> int:
        """The samples after which a part of the mean is so many standard errors."""
        return round((standard_errors * self.spread / part) ** 2)


def bernoulli(chance: float) -> Law:
    """One with a small chance, else zero."""
    spread = sqrt((1 - chance) / chance)
    return Law(
        f"Bernoulli {chance:g}",
        chance,
        spread,
        lambda draws: lambda n: np.ones(draws.binomial(n, chance)),
    )


def exponential() -> Law:
    """Free flights."""
    return Law("exponential", 1.0, 1.0, lambda draws: lambda n: draws.exponential(size=n))


def lognormal(sigma: float) -> Law:
    """The larger sigma, the more a few samples decide."""
    return Law(
        f"lognormal σ = {sigma:g}",
        exp(sigma * sigma / 2),
        sqrt(exp(sigma * sigma) - 1),
        lambda draws: lambda n: draws.lognormal(0.0, sigma, n),
    )


def zero_inflated(chance: float, shape: float) -> Law:
    """Most samples score nothing; those that do, by a gamma law."""
    return Law(
        f"gamma in {chance:g} of the samples, else 0",
        chance * shape,
        sqrt((1 + 1 / shape) / chance - 1),
        lambda draws: lambda n: draws.gamma(shape, size=draws.binomial(n, chance)),
    )


def correlated(memory: float, batch: int) -> Law:
    """Means of batches of a chain about 1, each step of which keeps a part of the last (AR(1))."""
    name = f"chain φ = {memory:g}, means of {batch}" if batch > 1 else f"chain φ = {memory:g}"
    spread = sqrt((1 + memory) / (1 - memory) / batch)
    return Law(name, 1.0, spread, lambda draws: _Chain(draws, memory, batch))


class _Chain:
    """One chain that goes on from draw to draw, with variance 1."""

    def __init__(self, draws: Generator, memory: float, batch: int) -> None:
        self._draws = draws
        self._memory = memory
        self._batch = batch
        self._last = draws.standard_normal()

    def __call__(self, n: int) -> Values:
        steps = self._draws.standard_normal(n * self._batch) * sqrt(1 - self._memory**2)
        steps[0] += self._memory * self._last
        # After the pass with `reach`, each step holds what is left of the last 2 * reach shocks.
        reach, left = 1, self._memory
        while reach < len(steps) and left > EPSILON:
            steps[reach:] = steps[reach:] + left * steps[:-reach]
            reach, left = 2 * reach, left * left
        self._last = steps[-1]
        found: Values = 1.0 + steps.reshape(n, self._batch).mean(axis=1)
        return found
