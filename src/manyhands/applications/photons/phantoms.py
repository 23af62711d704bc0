"""Volumes of voxels: two that are built in, and files.

A file is a MetaImage (`.mhd` with its raw data) or a numpy archive (`.npz`) of material numbers, as
`materials.MATERIALS` counts them. An archive has `materials` with the axes z, y, x, `spacing_mm` of
x, y, z, perhaps `origin_mm` (the centre of the first voxel) and perhaps `names`, which then say
what its own numbers mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyhands.applications.declaring import BadApplication
from manyhands.applications.photons.materials import BONE, LUNG, MATERIALS, NUMBER, WATER
from manyhands.model.malformed import sentence

Point = tuple[float, float, float]

BUILT_IN = ("inserts", "water")
VOXELS_MAX = 1 << 27
META_TYPES = {"MET_UCHAR": "u1", "MET_CHAR": "i1", "MET_USHORT": "u2", "MET_SHORT": "i2"}


@dataclass(frozen=True, slots=True, eq=False)
class Volume:
    """Material numbers on a grid, z, y, x; spacing and origin are x, y, z in mm."""

    materials: NDArray[np.uint8]
    spacing_mm: Point
    origin_mm: Point  # the centre of the first voxel

    @property
    def corner_mm(self) -> Point:
        """Where the first voxel begins."""
        x, y, z = (o - s / 2 for o, s in zip(self.origin_mm, self.spacing_mm, strict=True))
        return x, y, z

    @property
    def size_mm(self) -> Point:
        """How long the volume is."""
        layers, rows, columns = self.materials.shape
        x, y, z = self.spacing_mm
        return columns * x, rows * y, layers * z

    @property
    def voxel_cm3(self) -> float:
        """The volume of a voxel."""
        return math.prod(self.spacing_mm) / 1000

    def present(self) -> list[int]:
        """The numbers of the materials that there are, rising."""
        return [int(one) for one in np.flatnonzero(np.bincount(self.materials.reshape(-1)))]

    def axis_mm(self, axis: int) -> NDArray[np.float64]:
        """The centres of voxels along x (0), y (1) or z (2)."""
        steps = np.arange(self.materials.shape[2 - axis])
        return np.float64(self.origin_mm[axis]) + steps * np.float64(self.spacing_mm[axis])


def volume(phantom: str, voxels: int, size_mm: float) -> Volume:
    """A built-in cube of so many voxels along each edge, or the volume of a file."""
    if phantom not in BUILT_IN:
        return read(Path(phantom))
    materials = np.full((voxels, voxels, voxels), NUMBER[WATER.name], np.uint8)
    spacing = size_mm / voxels
    # The beam comes along z and enters at z = 0, in the middle of x and y.
    origin = (spacing / 2 - size_mm / 2, spacing / 2 - size_mm / 2, spacing / 2)
    cube = Volume(materials, (spacing, spacing, spacing), origin)
    if phantom == "inserts":
        _put_inserts(cube, size_mm)
    return cube


def read(path: Path) -> Volume:
    """The volume of a file; refused in one line if it is none."""
    readers = {".npz": _read_archive, ".mhd": _read_meta_image}
    if path.suffix not in readers:
        built_in = " or ".join(f"'{one}'" for one in BUILT_IN)
        raise BadApplication(f"phantom '{path}' is neither {built_in} nor a .npz or .mhd file")
    try:
        found = readers[path.suffix](path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadApplication(f"phantom '{path}' cannot be read: {sentence(error)}") from None
    return _required(found, path)


def data_of(path: Path) -> list[Path]:
    """The files that a volume lies in."""
    if path.suffix != ".mhd":
        return [path]
    try:
        return [path, path.parent / _header(path)["ElementDataFile"]]
    except (OSError, ValueError, KeyError) as error:
        raise BadApplication(f"phantom '{path}' cannot be read: {sentence(error)}") from None


def _put_inserts(cube: Volume, size_mm: float) -> None:
    """A rod of bone along y and a sphere of lung beside it, both in depth."""
    x, y, z = (cube.axis_mm(axis) / size_mm for axis in range(3))
    z, y, x = np.meshgrid(z, y, x, indexing="ij", sparse=True)
    rod = np.hypot(x + 0.11, z - 0.24) < 0.06
    cube.materials[np.broadcast_to(rod & (np.abs(y) < 0.3), cube.materials.shape)] = _number(BONE)
    sphere = (x - 0.12) ** 2 + y**2 + (z - 0.36) ** 2 < 0.13**2
    cube.materials[sphere] = _number(LUNG)


def _number(material: Any) -> int:
    return NUMBER[material.name]


def _read_archive(path: Path) -> Volume:
    with np.load(path, allow_pickle=False) as archive:
        found = np.asarray(archive["materials"])
        spacing = _point(archive["spacing_mm"])
        origin = tuple(one / 2 for one in spacing)
        if "origin_mm" in archive:
            origin = _point(archive["origin_mm"])
        if "names" in archive:
            names = [str(one) for one in archive["names"]]
            if unknown := [one for one in names if one not in NUMBER]:
                raise ValueError(f"no material is called '{unknown[0]}': there are {_names()}")
            found = np.array([NUMBER[one] for one in names])[found]
    return Volume(found, spacing, _point(origin))


def _read_meta_image(path: Path) -> Volume:
    header = _header(path)
    if header.get("CompressedData", "False") == "True":
        raise ValueError("its data are compressed: write it uncompressed")
    if header["ElementType"] not in META_TYPES:
        raise ValueError(f"{header['ElementType']} are no material numbers: give MET_UCHAR")
    sizes = [int(one) for one in header["DimSize"].split()]
    spacing = _point(header.get("ElementSpacing", "1 1 1").split())
    origin = header.get("Offset", header.get("Position", header.get("Origin", "0 0 0")))
    order = ">" if header.get("BinaryDataByteOrderMSB", "False") == "True" else "<"
    dtype = np.dtype(order + META_TYPES[header["ElementType"]])
    data = np.fromfile(path.parent / header["ElementDataFile"], dtype)
    return Volume(data.reshape(sizes[::-1]), spacing, _point(origin.split()))


def _header(path: Path) -> dict[str, str]:
    lines = path.read_text("ascii").splitlines()
    pairs = (line.split("=", 1) for line in lines if "=" in line)
    return {name.strip(): value.strip() for name, value in pairs}


def _point(given: Any) -> Point:
    x, y, z = (float(one) for one in given)
    return x, y, z


def _required(found: Volume, path: Path) -> Volume:
    """Refuse what has another shape, or numbers that stand for nothing."""
    materials = found.materials
    if materials.ndim != 3 or not 0 < materials.size <= VOXELS_MAX:
        raise BadApplication(
            f"phantom '{path}' has {materials.shape} voxels: three axes are needed"
        )
    if materials.dtype.kind not in "iu":
        raise BadApplication(f"phantom '{path}' holds {materials.dtype}, not material numbers")
    low, high = int(materials.min()), int(materials.max())
    if low < 0 or high >= len(MATERIALS):
        wrong = low if low < 0 else high
        raise BadApplication(f"phantom '{path}' has material {wrong}: there are {_names()}")
    if not all(0 < one < math.inf for one in found.spacing_mm):
        raise BadApplication(f"phantom '{path}' has a spacing of {found.spacing_mm} mm")
    contiguous = np.ascontiguousarray(materials, np.uint8)
    return Volume(contiguous, found.spacing_mm, found.origin_mm)


def _names() -> str:
    return ", ".join(f"{number} {one.name}" for number, one in enumerate(MATERIALS))
