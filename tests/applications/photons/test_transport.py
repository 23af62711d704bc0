"""What is known of photons in matter without a simulation, and what the sums have to be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xraylib

from manyhands.applications.describing import describe
from manyhands.applications.loading import load
from manyhands.applications.photons import Photons
from manyhands.applications.photons.kernels import philox
from manyhands.applications.stream import Stream
from manyhands.statistics.returned import Floats, Moments

pytestmark = pytest.mark.slow

SAMPLES = 400_000
LAYERS = 20
FREE_LAYERS = range(0, LAYERS, 2)
SMALL: dict[str, Any] = {"voxels": 20, "size_mm": 200.0}


def mean_and_error(tally: Moments) -> tuple[Floats, Floats]:
    """Per sample."""
    s1, s2 = (one / tally.samples for one in tally.numbers)
    return s1, np.sqrt((s2 - s1 * s1) / tally.samples)


def test_the_generator_gives_its_published_numbers() -> None:
    # The vectors of the authors' own test (Random123, kat_vectors).
    for word, known in (
        (0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (0xFFFFFFFF, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ):
        assert [int(one) for one in philox(*[np.uint64(word)] * 6)] == list(known)


@pytest.mark.parametrize("energy_kev", [30, 60, 100, 300, 662])
def test_a_narrow_beam_is_attenuated_exponentially(tmp_path: Path, energy_kev: float) -> None:
    # In a column this narrow a scattered photon is gone: what is left in a layer is of first
    # interactions alone, whose depths are distributed as exp(-μx).
    path = tmp_path / "column.npz"
    column = np.ones((LAYERS, 1, 1), np.uint8)
    np.savez(path, materials=column, spacing_mm=(1e-4, 1e-4, 10), origin_mm=(0, 0, 5))
    photons = Photons(phantom=str(path), source="pencil", energy_kev=energy_kev)
    layers, error = mean_and_error(photons.advance(SAMPLES, Stream(3, 0))["dose"])
    per_cm = xraylib.CS_Total_CP("H2O", float(energy_kev))
    known = np.exp(-per_cm * np.arange(LAYERS))
    found = layers.ravel() * known.sum() / layers.sum()
    off = (found - known) / (error.ravel() * known.sum() / layers.sum())
    assert np.all(np.abs(off[list(FREE_LAYERS)]) < 3)
    assert np.mean(off**2) < 2


def test_what_is_deposited_and_what_escapes_is_what_was_emitted(tmp_path: Path) -> None:
    spectrum = tmp_path / "spectrum.txt"
    spectrum.write_text("33.3 1\n59.54 2\n122.06 1\n")
    photons = Photons(**SMALL, spectrum=str(spectrum), half_angle_deg=8)
    found = photons.advance(SAMPLES, Stream(4, 0))
    emitted, deposited, escaped = (
        float(found[f"{name}_kev"].numbers[0]) for name in ("emitted", "deposited", "escaped")
    )
    assert deposited + escaped == pytest.approx(emitted, rel=1e-12, abs=0)
    mean = emitted / SAMPLES
    assert mean == pytest.approx((33.3 + 2 * 59.54 + 122.06) / 4, rel=2e-3)


def test_the_dose_of_all_voxels_is_the_energy_that_was_deposited() -> None:
    photons = Photons(phantom="water", **SMALL)
    found = photons.advance(20_000, Stream(5, 0))
    kilograms = 0.01**3 * 1000
    joules = float(found["dose"].numbers[0].sum()) * kilograms
    assert joules == pytest.approx(float(found["deposited_kev"].numbers[0]) * 1.602176634e-16)
    of_water = float(found["dose_water"].numbers[0]) * 20**3 * kilograms
    assert of_water == pytest.approx(joules)


def test_errors_are_those_of_histories() -> None:
    # One history at a time: its sums are its values, and their squares the sums of squares.
    photons = Photons(**SMALL)
    together = photons.advance(300, Stream(6, 0))
    sums = {name: [0 * one for one in tally.numbers] for name, tally in together.items()}
    for history in range(300):
        stream = Stream(6, 0)
        stream.first = history
        for name, tally in photons.advance(1, stream).items():
            value = tally.numbers[0]
            assert np.allclose(tally.numbers[1], value**2, rtol=1e-12, atol=0), name
            sums[name][0] += value
            sums[name][1] += value**2
    for name, tally in together.items():
        for found, known in zip(tally.numbers, sums[name], strict=True):
            assert np.allclose(found, known, rtol=1e-12, atol=0), name


def test_another_stream_has_other_histories() -> None:
    photons = Photons(**SMALL)
    found = [photons.advance(100, Stream(*one))["dose"] for one in ((1, 0), (1, 1), (2, 0))]
    assert not np.array_equal(found[0].numbers[0], found[1].numbers[0])
    assert not np.array_equal(found[0].numbers[0], found[2].numbers[0])


def test_a_point_source_in_the_middle_is_the_same_to_all_sides() -> None:
    photons = Photons(phantom="water", source="point", voxels=21, size_mm=105.0, column_mm=1.0)
    value, error = mean_and_error(photons.advance(SAMPLES, Stream(7, 0))["depth_dose"])
    off = (value - value[::-1]) / np.hypot(error, error[::-1])
    assert np.mean(off[:10] ** 2) < 2.5
    assert value.argmax() == 10


def test_a_beam_that_misses_escapes() -> None:
    photons = Photons(**SMALL, source="pencil", position_mm=(0, 0, -10), direction=(0, 1, 0.01))
    found = photons.advance(100, Stream(8, 0))
    assert float(found["escaped_kev"].numbers[0]) == 100 * 100
    assert not found["dose"].numbers[0].any()


def test_beams_from_all_sides_do_the_same() -> None:
    found = []
    for axis in range(3):
        place, direction = [0.0, 0.0, 100.0], [0.0, 0.0, 0.0]
        place[axis] -= 300.0
        direction[axis] = 1.0
        photons = Photons(
            phantom="water", **SMALL, position_mm=place, direction=direction, half_angle_deg=5
        )
        tallies = photons.advance(100_000, Stream(9, axis))
        found.append(mean_and_error(tallies["deposited_kev"]))
        first = np.moveaxis(tallies["dose"].numbers[0], 2 - axis, 0)
        assert first[0].sum() > 3 * first[-1].sum()
    for value, error in found[1:]:
        assert abs(value - found[0][0]) < 4 * float(np.hypot(error, found[0][1]))


def test_it_is_an_application_like_others() -> None:
    application = load(describe("photons", {**SMALL, "energy_kev": 60}))
    application.prepare()
    tallies = application.advance(1000, Stream(1, 0))
    assert list(tallies)[:2] == ["dose", "depth_dose"]
    assert tallies["dose"].form.shape == (20, 20, 20)
    assert {one.samples for one in tallies.values()} == {1000}
