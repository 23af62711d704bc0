"""What the kernels look up: attenuation, and the functions that shape both scatterings.

All of it is from xraylib (Schoonjans et al. 2011): photo-electric cross-sections by Kissel's group,
incoherent and coherent ones, the scattering functions S(x, Z) and the form factors F(x, Z) of
Hubbell et al. 1975, with x = E sin(θ/2) / hc in 1/Å. A mixture is the sum of its atoms.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xraylib

from manyhands.applications.photons.arrays import Floats, Tables
from manyhands.applications.photons.kernels import ABSORBED_EV
from manyhands.applications.photons.materials import Material

ENERGY_KEV_MIN = ABSORBED_EV / 1e3
ENERGY_KEV_MAX = 800.0  # here the data end
ENERGIES = 1024
BINDINGS = 2048
MOMENTA = 2048
MOMENTUM_MAX = 65.0  # 1/Å, of 800 keV scattered backwards
MOMENTUM_LOW = 0.01  # below it S grows with the square of x, as for free electrons at rest
AVOGADRO_CM2_PER_BARN = 0.602214076


def tables(materials: Sequence[Material], free: bool = False) -> Tables:
    """The tables of these materials; with `free`, for electrons that are free and at rest."""
    logs = np.linspace(np.log(ENERGY_KEV_MIN), np.log(ENERGY_KEV_MAX), ENERGIES)
    energies = np.exp(logs)
    energies[-1] = ENERGY_KEV_MAX  # not a bit above
    photo = np.array([_attenuation(one, energies, "CS_Photo") for one in materials])
    rayleigh = np.array([_attenuation(one, energies, "CS_Rayl") for one in materials])
    if free:
        incoherent = np.array([_klein_nishina(one, energies) for one in materials])
        rayleigh = np.zeros_like(rayleigh)
    else:
        incoherent = np.array([_attenuation(one, energies, "CS_Compt") for one in materials])
    total = photo + incoherent + rayleigh
    squares = np.concatenate([[0.0], np.geomspace(1e-6, MOMENTUM_MAX**2, MOMENTA - 1)])
    return Tables(
        float(logs[0]),
        float((ENERGIES - 1) / (logs[-1] - logs[0])),
        total.max(axis=0),
        np.stack([total, photo, photo + incoherent], axis=-1).transpose(1, 0, 2).copy(),
        np.array([_free() if free else binding(one, _momenta()) for one in materials]),
        squares,
        np.array([_form_factors(one, squares) for one in materials]),
    )


def binding(material: Material, momenta: Floats) -> Floats:
    """S(x) of a mixture as a part of its electrons."""
    atoms = _atoms(material)
    electrons = sum(number * z for z, number in atoms.items())
    shape = np.zeros(len(momenta))
    for z, number in atoms.items():
        shape += number / electrons * np.array([_scattering_function(z, float(x)) for x in momenta])
    return shape


def form_factor_squared(material: Material, momenta: Floats) -> Floats:
    """F² per weight of a mixture of atoms that scatter independently of each other."""
    found = np.zeros(len(momenta))
    for z, number in _atoms(material).items():
        found += number * np.array([xraylib.FF_Rayl(z, float(x)) ** 2 for x in momenta])
    return found


def _attenuation(material: Material, energies: Floats, process: str) -> Floats:
    cross_section = getattr(xraylib, process)  # cm²/g
    found = np.zeros(len(energies))
    for z, weight in material.weights.items():
        found += weight * np.array([cross_section(z, float(energy)) for energy in energies])
    return material.density_g_cm3 * found


def _klein_nishina(material: Material, energies: Floats) -> Floats:
    electrons = sum(number * z for z, number in _atoms(material).items())
    per_electron = np.array([xraylib.CS_KN(float(energy)) for energy in energies])
    return material.density_g_cm3 * AVOGADRO_CM2_PER_BARN * electrons * per_electron


def _atoms(material: Material) -> dict[int, float]:
    """Moles of each element in a gram."""
    return {z: weight / xraylib.AtomicWeight(z) for z, weight in material.weights.items()}


def _momenta() -> Floats:
    steps = np.arange(BINDINGS) / BINDINGS
    momenta: Floats = steps / (1 - steps)
    return momenta


def _free() -> Floats:
    return np.ones(BINDINGS)


def _scattering_function(z: int, momentum: float) -> float:
    if momentum >= MOMENTUM_LOW:
        return float(xraylib.SF_Compt(z, momentum))
    return float(xraylib.SF_Compt(z, MOMENTUM_LOW)) * (momentum / MOMENTUM_LOW) ** 2


def _form_factors(material: Material, squares: Floats) -> Floats:
    shape = form_factor_squared(material, np.sqrt(squares))
    pieces = (shape[1:] + shape[:-1]) / 2 * np.diff(squares)
    return np.concatenate([[0.0], np.cumsum(pieces)])
