"""Particles in a slab that scatters and absorbs: a transport problem with a known answer.

It is the rod model of neutron transport (Wing 1962, chapter 1): particles enter from the left, fly
along one line, and after an exponential flight they collide; a collision scatters with probability
`scattering`, forwards or backwards with equal chance, and else absorbs. Lengths are in mean free
paths. Without scattering it is pure attenuation, exp(-thickness).

The closed form: with k = √(1 - scattering) and s = thickness - x, the flux at depth x is
φ = T·(cosh ks + sinh(ks)/k) and the net current J = T·(cosh ks + k·sinh ks), where the transmission
is T = 2 / (2·cosh kd + (1 + k²)·sinh(kd)/k) for thickness d. What is absorbed between two depths
is the difference of J; the mean path of a particle within the slab is the integral of φ.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cosh, sinh, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from manyhands.applications.declaring import application
from manyhands.applications.stream import Stream
from manyhands.model.checks import is_count, require
from manyhands.statistics.returned import Moments, moments

CHUNK_SAMPLES = 1 << 13  # a chunk's arrays stay in the cache
BLOCK_SAMPLES = 200_000  # 10 ms
THICKNESS_MAX = 100.0
CELLS_MAX = 1 << 24


@dataclass(frozen=True, slots=True)
class Slab:
    """What the particles fly through; cells divide it into equal layers, for the profile."""

    thickness: float = 2.0
    scattering: float = 0.5
    cells: int = 64

    def __post_init__(self) -> None:
        thin = _is_number(self.thickness) and 0 < self.thickness <= THICKNESS_MAX
        require(thin, "thickness", self.thickness, "mean free paths above 0, at most 100")
        chance = _is_number(self.scattering) and 0 <= self.scattering <= 1
        require(chance, "scattering", self.scattering, "a probability")
        few = is_count(self.cells, least=1) and self.cells <= CELLS_MAX
        require(few, "cells", self.cells, f"a whole number from 1 to {CELLS_MAX}")


@dataclass(frozen=True, slots=True)
class Expected:
    """The exact answer, under the names of the tallies."""

    transmitted: float
    reflected: float
    absorbed: float
    path: float
    deposition: NDArray[np.float64]


@application(check=Slab, block_samples=BLOCK_SAMPLES)
def slab(
    samples: int,
    stream: Stream,
    thickness: float = 2.0,
    scattering: float = 0.5,
    cells: int = 64,
) -> dict[str, Moments]:
    """Fly particles through a slab; `expected` has the closed form of every tally.

    `transmitted`, `reflected` and `absorbed` are probabilities that add up to one, `deposition` is
    the probability of being absorbed in each cell, `path` the mean flight within the slab.
    """
    within = Slab(thickness, scattering, cells)
    score = _Score(within)
    draw = stream.numpy()
    for begin in range(0, samples, CHUNK_SAMPLES):
        _fly(min(CHUNK_SAMPLES, samples - begin), within, draw, score)
    return score.tallies(samples)


def expected(thickness: float = 2.0, scattering: float = 0.5, cells: int = 64) -> Expected:
    """What the tallies of `slab` are estimates of."""
    within = Slab(thickness, scattering, cells)
    absorbing = 1.0 - within.scattering
    k = sqrt(absorbing)
    denominator = 2 * cosh(k * thickness) + (1 + absorbing) * _sinh_over_k(k, thickness)
    transmitted = 2 / denominator
    reflected = scattering * _sinh_over_k(k, thickness) / denominator
    # The integral of cosh ks is sinh(ks)/k, and that of sinh(ks)/k is 2·(sinh(ks/2)/k)².
    flux = _sinh_over_k(k, thickness) + 2 * _sinh_over_k(k, thickness / 2) ** 2
    left = thickness * (1 - np.linspace(0, 1, cells + 1))
    current = transmitted * (np.cosh(k * left) + k * np.sinh(k * left))
    return Expected(
        transmitted=transmitted,
        reflected=reflected,
        absorbed=transmitted * absorbing * flux,
        path=transmitted * flux,
        deposition=current[:-1] - current[1:],
    )


class _Score:
    """What has been seen of the particles so far."""

    __slots__ = ("absorbed_in", "paths", "reflected", "transmitted")

    def __init__(self, within: Slab) -> None:
        self.transmitted = 0
        self.reflected = 0
        self.absorbed_in = np.zeros(within.cells, np.int64)
        self.paths = np.zeros(4)  # sums of the first four powers

    def add_paths(self, paths: NDArray[np.float64]) -> None:
        """Score the whole flights of particles that are no more."""
        squares = paths * paths
        powers = (paths, squares, squares * paths, squares * squares)
        self.paths += [np.sum(one) for one in powers]

    def tallies(self, samples: int) -> dict[str, Moments]:
        """The result for so many particles; a probability's sums of powers are all its count."""
        counts = {
            "transmitted": self.transmitted,
            "reflected": self.reflected,
            "absorbed": int(self.absorbed_in.sum()),
        }
        found = {name: moments(samples, n, n, n, n) for name, n in counts.items()}
        found["deposition"] = moments(samples, self.absorbed_in, self.absorbed_in)
        found["path"] = moments(samples, *self.paths)
        return found


def _fly(count: int, within: Slab, draw: Generator, score: _Score) -> None:
    """Follow particles, all at once from one collision to the next, until none is left."""
    thickness, absorbing = within.thickness, 1.0 - within.scattering
    backwards_from = absorbing + within.scattering / 2
    per_cell = within.cells / thickness
    # Each is followed by the way it has before it: to the far side if it flies forwards.
    ahead = np.full(count, thickness, np.float64)
    forwards = np.ones(count, np.bool_)
    path = np.zeros(count)
    while len(ahead):
        flight = draw.standard_exponential(len(ahead))
        inside = flight < ahead
        path += np.minimum(flight, ahead)
        through = np.count_nonzero(forwards & ~inside)
        score.transmitted += int(through)
        score.reflected += int(len(ahead) - np.count_nonzero(inside) - through)
        chance = draw.random(len(ahead))
        goes_on = inside & (chance >= absorbing)
        ahead -= flight
        stops = inside & (chance < absorbing)
        depth = np.where(forwards[stops], thickness - ahead[stops], ahead[stops])
        cell = np.minimum((depth * per_cell).astype(np.int64), within.cells - 1)
        np.add.at(score.absorbed_in, cell, 1)
        score.add_paths(path[~goes_on])
        path = path[goes_on]
        turned = chance[goes_on] >= backwards_from
        ahead = ahead[goes_on]
        ahead = np.where(turned, thickness - ahead, ahead)
        forwards = forwards[goes_on] ^ turned


def _sinh_over_k(k: float, length: float) -> float:
    """sinh(k·length)/k, which is the length itself where k is zero."""
    return sinh(k * length) / k if k > 0 else length


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
