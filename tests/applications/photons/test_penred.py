"""Against PenRed, with few histories; `python -m experiments photons` has many."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.photons import Job, across, depth, difference, has_penred, ours, penred

pytestmark = pytest.mark.slow

HISTORIES = 1_000_000


@pytest.mark.skipif(
    not has_penred(),
    reason="PenRed is missing: pip install pypenred, here or where MANYHANDS_PENRED_PYTHON says",
)
@pytest.mark.parametrize("energy_kev", [30, 100])
def test_the_dose_is_that_of_penred(energy_kev: float) -> None:
    job = Job(energy_kev, HISTORIES)
    mine, theirs = ours(job), penred(job)
    for profile in (depth, across):
        found = difference(profile(mine), profile(theirs))
        assert found.places >= 8
        assert found.largest < 0.02 + 3.5 * found.error_max
        assert abs(found.mean) < 0.01 + 3 * found.error


def test_free_electrons_and_no_coherent_scattering_show_in_the_profile_to_the_side() -> None:
    job = Job(30, HISTORIES)
    right, fewer = ours(job), ours(Job(30, HISTORIES // 2))
    assert difference(across(fewer), across(right)).chi_squared < 2
    found = difference(across(ours(job, "free")), across(right))
    assert found.chi_squared > 4
    assert not found.good


def test_what_is_summed_is_all_of_the_dose() -> None:
    dose = ours(Job(60, 2000))
    assert depth(dose).value.shape == (20,)
    assert across(dose).value.shape == (4, 40)
    assert depth(dose).value.sum() == pytest.approx(dose.value.sum())
    assert across(dose).value.sum() == pytest.approx(dose.value.sum())
    assert np.square(depth(dose).error).sum() == pytest.approx(np.square(dose.error).sum())
