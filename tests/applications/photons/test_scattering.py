"""Angles of both scatterings by χ² against xraylib's differential cross-sections."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest
import xraylib
from numpy.typing import NDArray

from manyhands.applications.photons import kernels
from manyhands.applications.photons.arrays import Floats, Words
from manyhands.applications.photons.cross_sections import tables
from manyhands.applications.photons.materials import BONE, WATER, Material

pytestmark = pytest.mark.slow

SAMPLES = 400_000
BINS = 40
FINE = 400  # of a bin, for its integral
CHANCE = NormalDist().cdf(-3.7)  # 1e-4: seeds are fixed, so this is once and for all
MATERIALS = pytest.mark.parametrize("material", [WATER, BONE], ids=["water", "bone"])
ENERGIES = pytest.mark.parametrize("energy_kev", [15, 30, 60, 100, 300, 662])


@kernels.inlined
def incoherent_cosines(count: int, energy_ev: float, bound: Floats, state: Words) -> Floats:
    drawn, found = np.zeros(kernels.AT_ONCE), np.empty(count)
    for one in range(count):
        found[one] = kernels.incoherent(energy_ev, bound, 0, state, drawn)[1]
    return found


@kernels.inlined
def coherent_cosines(
    count: int, energy_ev: float, squares: Floats, shape: Floats, state: Words
) -> Floats:
    drawn, found = np.zeros(kernels.AT_ONCE), np.empty(count)
    for one in range(count):
        found[one] = kernels.coherent(energy_ev, squares, shape, state, drawn)
    return found


def fresh_state(seed: int) -> Words:
    """A generator at its begin."""
    state = np.zeros(7, np.uint64)
    state[5], state[6] = seed, kernels.AT_ONCE
    return state


def sampled(process: str, material: Material, energy_kev: float, free: bool = False) -> Floats:
    """Angles in radians that the kernels draw."""
    found = tables([material], free)
    energy_ev, state = 1e3 * energy_kev, fresh_state(1)
    if process == "incoherent":
        cosines = incoherent_cosines(SAMPLES, energy_ev, found.bound, state)
    else:
        shape = found.coherent[0]
        cosines = coherent_cosines(SAMPLES, energy_ev, found.squares, shape, state)
    angles: Floats = np.arccos(cosines)
    return angles


def expected(
    process: str, material: Material, energy_kev: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bins of angle that are about as probable, and how probable each is."""
    differential: Callable[[int, float, float], float] = {
        "incoherent": xraylib.DCS_Compt,
        "coherent": xraylib.DCS_Rayl,
    }[process]
    angles = np.linspace(1e-6, math.pi, BINS * FINE + 1)
    density = np.zeros(len(angles))
    for z, weight in material.weights.items():
        density += weight * np.array([_or_zero(differential, z, energy_kev, one) for one in angles])
    density *= np.sin(angles)
    steps = np.diff(angles) * (density[1:] + density[:-1]) / 2
    cumulative = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
    chosen = np.searchsorted(cumulative, np.linspace(0, 1, BINS + 1)[1:-1])
    edges = np.array([0.0, *angles[chosen], math.pi])
    return edges, np.diff([0.0, *cumulative[chosen], 1.0])


def _or_zero(differential: Callable[..., float], z: int, energy_kev: float, angle: float) -> float:
    """Where the momentum is near zero, xraylib has no S(x), which is next to nothing there."""
    try:
        return differential(z, energy_kev, angle)
    except ValueError:
        return 0.0


def chance_of(angles: Floats, edges: Floats, probable: Floats) -> float:
    """How probable a χ² as large as this is (Wilson & Hilferty 1931)."""
    counts = np.histogram(angles, edges)[0]
    wanted = len(angles) * probable
    free = len(probable) - 1
    chi_squared = float(np.sum((counts - wanted) ** 2 / wanted))
    normal = ((chi_squared / free) ** (1 / 3) - 1 + 2 / (9 * free)) / math.sqrt(2 / (9 * free))
    return 1 - NormalDist().cdf(normal)


@ENERGIES
@MATERIALS
@pytest.mark.parametrize("process", ["incoherent", "coherent"])
def test_angles_are_as_tabulated(process: str, material: Material, energy_kev: float) -> None:
    edges, probable = expected(process, material, energy_kev)
    assert len(np.unique(edges)) == BINS + 1
    assert chance_of(sampled(process, material, energy_kev), edges, probable) > CHANCE


@pytest.mark.parametrize("energy_kev", [15, 30, 60, 100])
def test_free_electrons_fail_this_test(energy_kev: float) -> None:
    edges, probable = expected("incoherent", WATER, energy_kev)
    assert chance_of(sampled("incoherent", WATER, energy_kev, free=True), edges, probable) < 1e-9


def test_a_photon_keeps_the_energy_that_its_angle_leaves_it() -> None:
    found, state, drawn = tables([WATER]), fresh_state(2), np.zeros(kernels.AT_ONCE)
    for energy_ev in (2e4, 1e5, 6e5):
        kept, cosine = kernels.incoherent(energy_ev, found.bound, 0, state, drawn)
        assert 1 / kept == pytest.approx(1 + energy_ev / kernels.ELECTRON_EV * (1 - cosine))


def test_a_turned_direction_has_its_angle_and_goes_all_round() -> None:
    straight = [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.6, 0.0, 0.8), (1.0, 0.0, 0.0)]
    for u, v, w in straight:
        turned = np.array([kernels.turned(u, v, w, 0.3, part / 12) for part in range(12)])
        assert np.linalg.norm(turned, axis=1) == pytest.approx(1)
        assert turned @ (u, v, w) == pytest.approx(0.3)
        assert turned.mean(axis=0) == pytest.approx(0.3 * np.array([u, v, w]), abs=1e-12)
        assert np.linalg.matrix_rank(turned) == 3
