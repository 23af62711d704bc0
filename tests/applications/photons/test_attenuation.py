"""Attenuation coefficients against published ones, typed in."""

from __future__ import annotations

import numpy as np
import pytest

from manyhands.applications.photons.cross_sections import ENERGY_KEV_MAX, binding, tables
from manyhands.applications.photons.materials import (
    BONE,
    LUNG,
    MATERIALS,
    SOFT_TISSUE,
    WATER,
    Material,
)

# Hubbell & Seltzer 1995 (NISTIR 5632), table 4: with coherent scattering, cm²/g.
KEV = (30, 60, 100, 300, 500)
PUBLISHED = [
    (WATER, (0.3756, 0.2059, 0.1707, 0.1186, 0.0969)),
    (BONE, (1.331, 0.3148, 0.1855, 0.1113, 0.09022)),
    (LUNG, (0.3815, 0.2053, 0.1695, 0.1177, 0.09607)),
    (SOFT_TISSUE, (0.3790, 0.2048, 0.1693, 0.1175, 0.09598)),
]


def attenuation(material: Material, energy_kev: float, free: bool = False) -> float:
    """What the kernels would look up, in cm²/g."""
    found = tables([material], free)
    place = (np.log(energy_kev) - found.log_first) * found.per_log
    steps = np.arange(len(found.majorant))
    per_cm = np.interp(place, steps, found.attenuation[:, 0, 0])
    return float(per_cm) / material.density_g_cm3


@pytest.mark.parametrize(("material", "published"), PUBLISHED, ids=lambda one: str(one)[:20])
def test_attenuation_is_as_published(material: Material, published: tuple[float, ...]) -> None:
    found = [attenuation(material, energy) for energy in KEV]
    assert found == pytest.approx(published, rel=0.01)


def test_the_test_sees_two_percent_of_density_or_a_missing_process() -> None:
    # Without coherent scattering, and with free electrons, the values are not those.
    assert attenuation(WATER, 30, free=True) != pytest.approx(PUBLISHED[0][1][0], rel=0.05)


@pytest.mark.parametrize("material", MATERIALS, ids=lambda one: one.name)
def test_a_material_is_all_there(material: Material) -> None:
    assert sum(material.weights.values()) == pytest.approx(1, abs=2e-3)


def test_the_majorant_is_above_every_material() -> None:
    found = tables(MATERIALS)
    assert np.all(found.majorant[:, None] >= found.attenuation[:, :, 0])
    assert np.exp(found.log_first + (len(found.majorant) - 1) / found.per_log) == pytest.approx(
        ENERGY_KEV_MAX
    )


def test_the_processes_add_up() -> None:
    found = tables(MATERIALS).attenuation
    assert np.all(np.diff(found[:, :, [1, 2, 0]], axis=-1) > 0)
    assert np.all(found[:, :, 1] > 0)


def test_bound_electrons_scatter_like_free_ones_only_far_off() -> None:
    momenta = np.array([0.0, 0.001, 0.01, 0.1, 1.0, 60.0])
    for material in MATERIALS:
        shape = binding(material, momenta)
        assert np.all(np.diff(shape) > 0)
        assert shape[-1] == pytest.approx(1, abs=1e-4)
        # As the square of the momentum at its small end.
        assert shape[1] == pytest.approx(shape[2] / 100)
        assert shape[0] == 0
