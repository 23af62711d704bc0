"""The slab: its closed form by itself, and the simulation against it."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from manyhands.applications.slab import Expected, Slab, expected, slab
from manyhands.applications.stream import Stream

SLABS = [
    (2.0, 0.5, 64),  # the default
    (0.3, 0.0, 1),  # pure attenuation
    (2.0, 1.0, 8),  # no absorption
    (8.0, 0.9, 16),  # many collisions
    (1, 1e-9, 5),
]


@pytest.mark.parametrize(("thickness", "scattering", "cells"), SLABS)
def test_the_closed_form_loses_no_particle(thickness: float, scattering: float, cells: int) -> None:
    exact = expected(thickness, scattering, cells)
    assert exact.transmitted + exact.reflected + exact.absorbed == pytest.approx(1, abs=1e-12)
    assert exact.deposition.sum() == pytest.approx(exact.absorbed, abs=1e-12)
    assert exact.absorbed == pytest.approx((1 - scattering) * exact.path, abs=1e-12)


def test_the_closed_form_in_its_limits() -> None:
    attenuated = expected(3.0, 0.0, 3)
    assert attenuated.transmitted == pytest.approx(exp(-3))
    assert attenuated.reflected == 0
    layers = [exp(-depth) - exp(-depth - 1) for depth in range(3)]
    assert attenuated.deposition == pytest.approx(np.array(layers))
    # Without absorption T = 1 / (1 + d/2), as for a random walk.
    assert expected(6.0, 1.0).transmitted == pytest.approx(1 / 4)
    assert expected(6.0, 1.0).path == pytest.approx(6.0)
    # The formula has no step where k reaches zero.
    nearly = expected(6.0, 1 - 1e-10)
    assert nearly.transmitted == pytest.approx(1 / 4, rel=1e-8)
    assert nearly.path == pytest.approx(6.0, rel=1e-8)


def test_the_closed_form_solves_the_transport_equation() -> None:
    # What layers absorb, by the flux at the middle of thin ones: (1 - c)·φ, φ from the profile.
    cells, scattering, thickness = 4000, 0.7, 3.0
    exact = expected(thickness, scattering, cells)
    width = thickness / cells
    flux = exact.deposition / ((1 - scattering) * width)
    curvature = np.diff(flux, 2) / width**2
    assert curvature == pytest.approx((1 - scattering) * flux[1:-1], rel=1e-3)


@pytest.mark.parametrize(("thickness", "scattering", "cells"), SLABS)
def test_the_simulation_agrees(thickness: float, scattering: float, cells: int) -> None:
    samples = 100_000
    tallies = slab(samples, Stream(11, 4), thickness, scattering, cells)
    exact = expected(thickness, scattering, cells)
    assert list(tallies) == ["transmitted", "reflected", "absorbed", "deposition", "path"]
    for name, tally in tallies.items():
        assert tally.samples == samples
        want = getattr(exact, name)
        mean = tally.numbers[0] / samples
        error = np.sqrt((tally.numbers[1] / samples - mean**2) / samples)
        # A rare cell may be empty by chance: then its error is that of what is expected.
        floor = np.sqrt(np.abs(want) / samples)
        assert np.all(np.abs(mean - want) <= 4 * np.maximum(error, floor) + 1e-12), name


def test_no_particle_is_lost() -> None:
    samples = 20_000
    tallies = slab(samples, Stream(1, 0), thickness=1.5, scattering=0.8)
    ends = [float(tallies[name].numbers[0]) for name in ("transmitted", "reflected", "absorbed")]
    assert sum(ends) == samples
    assert float(tallies["deposition"].numbers[0].sum()) == ends[2]


def test_powers_are_those_of_the_same_paths() -> None:
    # Without scattering and in a thick slab a path is an exponential flight: moments 1, 2, 6, 24.
    samples = 200_000
    path = slab(samples, Stream(2, 0), thickness=60.0, scattering=0.0)["path"]
    moments = [float(one) / samples for one in path.numbers]
    assert moments == pytest.approx([1, 2, 6, 24], rel=0.05)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"thickness": 0}, "thickness"),
        ({"thickness": 101.0}, "thickness"),
        ({"thickness": float("nan")}, "thickness"),
        ({"thickness": True}, "thickness"),
        ({"scattering": 1.5}, "scattering"),
        ({"scattering": "half"}, "scattering"),
        ({"cells": 0}, "cells"),
        ({"cells": 2.5}, "cells"),
    ],
)
def test_a_slab_that_makes_no_sense_is_refused(options: dict[str, float], field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field} is "):
        Slab(**options)  # type: ignore[arg-type]


def test_the_default_is_one_slab_everywhere() -> None:
    default: Expected = expected()
    assert default.transmitted == expected(Slab().thickness, Slab().scattering).transmitted
    assert len(default.deposition) == Slab().cells
    assert slab(10, Stream(1, 0))["deposition"].numbers[0].shape == (Slab().cells,)
