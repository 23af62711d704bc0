"""Photons in real campaigns: the same bits from one process and from two, and what is left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manyhands as mh
from manyhands.api.campaign import Wishes
from manyhands.api.quantities import BadQuantity
from manyhands.api.result import Result

pytestmark = pytest.mark.slow

OPTIONS = {"voxels": 20, "energy_kev": 60}


def run(out: Path, pilots: int, exact: bool) -> Result:
    """A small campaign."""
    wishes: Wishes = {"options": OPTIONS, "seed": 3}
    if exact:
        wishes |= {"exact": True, "block_samples": 5_000}
    return mh.run("photons", 40_000, pilots=pilots, out=out, **wishes)


def test_one_pilot_and_two_give_the_same_bits(tmp_path: Path) -> None:
    one, two = (run(tmp_path / str(pilots), pilots, exact=True) for pilots in (1, 2))
    assert one.samples == two.samples == 40_000
    assert one.digest == two.digest
    assert np.array_equal(one["dose"].value, two["dose"].value)
    # In free mode other histories are followed, for the same answer.
    free = run(tmp_path / "free", 2, exact=False)
    for name in ("deposited_kev", "dose_water", "dose_bone"):
        pair = [float(np.asarray(found[name].value)) for found in (one, free)]
        errors = [np.asarray(found[name].error, np.float64) for found in (one, free)]
        assert abs(pair[0] - pair[1]) < 4 * float(np.hypot(*errors)), name


def test_a_run_leaves_pictures_and_images_where_they_lie(tmp_path: Path) -> None:
    run(tmp_path / "run", 1, exact=True)
    header = (tmp_path / "run" / "dose.mhd").read_text()
    assert "ElementSpacing = 12.5 12.5 12.5\n" in header
    assert "Offset = -118.75 -118.75 6.25\n" in header
    for name in ("dose", "dose_error", "depth_dose"):
        assert (tmp_path / "run" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_other_contents_of_a_phantom_are_not_merged(tmp_path: Path) -> None:
    from manyhands.api.joining import NotJoined, join

    phantom = tmp_path / "phantom.npz"
    for name, material in (("one", 1), ("two", 2)):
        cube = np.full((4, 4, 4), material, np.uint8)
        np.savez(phantom, materials=cube, spacing_mm=(20, 20, 20))
        options = {"phantom": str(phantom)}
        mh.run("photons", 1000, pilots=1, out=tmp_path / name, options=options)
    with pytest.raises((NotJoined, BadQuantity), match="options"):
        join([tmp_path / "one", tmp_path / "two"], tmp_path / "both")
