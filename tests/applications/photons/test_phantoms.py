"""Volumes: those that are built in, those of files, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manyhands.applications.declaring import BadApplication
from manyhands.applications.photons.materials import NUMBER
from manyhands.applications.photons.phantoms import read, volume

SMALL = np.arange(24).reshape(2, 3, 4) % 5


def test_the_inserts_are_in_water() -> None:
    found = volume("inserts", 50, 250.0)
    assert found.materials.shape == (50, 50, 50)
    assert found.present() == sorted(NUMBER[one] for one in ("water", "lung", "bone"))
    edges = [found.materials[0], found.materials[-1], found.materials[:, 0], found.materials[:, -1]]
    assert all(np.all(one == NUMBER["water"]) for one in edges)


def test_the_beam_enters_a_built_in_volume_at_zero_in_the_middle() -> None:
    found = volume("water", 10, 200.0)
    assert found.corner_mm == pytest.approx((-100, -100, 0))
    assert found.size_mm == pytest.approx((200, 200, 200))
    assert found.voxel_cm3 == pytest.approx(8)
    assert found.axis_mm(2)[[0, -1]] == pytest.approx([10, 190])


def test_an_archive_is_read(tmp_path: Path) -> None:
    path = tmp_path / "phantom.npz"
    np.savez(path, materials=SMALL, spacing_mm=(1, 2, 3), origin_mm=(-5, 0, 7))
    found = read(path)
    assert np.array_equal(found.materials, SMALL)
    assert (found.spacing_mm, found.origin_mm) == ((1, 2, 3), (-5, 0, 7))


def test_an_archive_may_name_its_own_numbers(tmp_path: Path) -> None:
    path = tmp_path / "phantom.npz"
    own = np.array([[[0, 1]]])
    np.savez(path, materials=own, spacing_mm=(1, 1, 1), names=["bone", "water"])
    found = read(path)
    assert found.materials.tolist() == [[[NUMBER["bone"], NUMBER["water"]]]]
    assert found.origin_mm == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(("kind", "order"), [("MET_UCHAR", "<"), ("MET_SHORT", ">")])
def test_a_meta_image_is_read(tmp_path: Path, kind: str, order: str) -> None:
    dtype = {"MET_UCHAR": "u1", "MET_SHORT": f"{order}i2"}[kind]
    SMALL.astype(dtype).tofile(tmp_path / "phantom.raw")
    path = tmp_path / "phantom.mhd"
    path.write_text(
        "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\nElementSpacing = 1 2 3\n"
        f"Offset = -5 0 7\nBinaryDataByteOrderMSB = {order == '>'}\n"
        f"ElementType = {kind}\nElementDataFile = phantom.raw\n"
    )
    found = read(path)
    assert np.array_equal(found.materials, SMALL)
    assert (found.spacing_mm, found.origin_mm) == ((1, 2, 3), (-5, 0, 7))


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"spacing_mm": (1, 1, 1)}, "cannot be read"),
        ({"materials": SMALL}, "cannot be read"),
        ({"materials": SMALL[0], "spacing_mm": (1, 1, 1)}, "three axes"),
        ({"materials": SMALL * 2, "spacing_mm": (1, 1, 1)}, "has material 8"),
        ({"materials": SMALL - 1, "spacing_mm": (1, 1, 1)}, "has material -1"),
        ({"materials": SMALL * 1.0, "spacing_mm": (1, 1, 1)}, "not material numbers"),
        ({"materials": SMALL, "spacing_mm": (1, 0, 1)}, "spacing"),
        ({"materials": SMALL, "spacing_mm": (1, 1)}, "cannot be read"),
        ({"materials": SMALL, "spacing_mm": (1, 1, 1), "names": ["gold"]}, "no material"),
    ],
)
def test_an_archive_that_makes_no_sense_is_refused(
    tmp_path: Path, arrays: dict[str, Any], said: str
) -> None:
    path = tmp_path / "phantom.npz"
    np.savez(path, **arrays)
    with pytest.raises(BadApplication, match=said) as caught:
        read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "ElementType = MET_FLOAT\n", "nonsense"])
def test_a_meta_image_that_makes_no_sense_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "phantom.mhd"
    path.write_text(text)
    with pytest.raises(BadApplication, match="cannot be read"):
        read(path)
