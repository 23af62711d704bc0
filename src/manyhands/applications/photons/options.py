"""What can be asked of a run of photons, and what is refused before it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyhands.applications.declaring import BadApplication
from manyhands.applications.photons import phantoms
from manyhands.applications.photons.materials import AIR, MATERIALS
from manyhands.applications.photons.phantoms import Point, Volume
from manyhands.model.checks import is_count, require
from manyhands.model.malformed import nearest, sentence

ENERGY_KEV_MIN, ENERGY_KEV_MAX = 5.0, 800.0
SOURCES = ("cone", "pencil", "point")
SCATTERING = ("bound", "free")
VOXELS_MAX = 500
DISTANCE_MM = 1000.0  # from a beam's source to the volume
NEEDED = ("numba", "xraylib")
ELECTRON_KEV = 510.99895


class ElectronsReachFurther(UserWarning):
    """A voxel is smaller than the way of the electrons, which are absorbed where they start."""


@dataclass(frozen=True)
class Options:
    """The keyword parameters of `photons`; README and `docs/explanation/photons.md` explain them.

    `phantom` is "inserts", "water" or a file; the first two are cubes of `voxels` along an edge of
    `size_mm`. A `spectrum` is a text file with an energy in keV and a weight in each line. With
    `scattering="free"` electrons are free and at rest and nothing scatters coherently: wrong, and
    there to show that tests see it. The digests are filled in.
    """

    phantom: str = "inserts"
    voxels: int = 100
    size_mm: float = 250.0
    source: str = "cone"
    energy_kev: float = 100.0
    spectrum: str = ""
    position_mm: Sequence[float] | None = None
    direction: Sequence[float] = (0.0, 0.0, 1.0)
    half_angle_deg: float = 3.0
    column_mm: float = 10.0
    scattering: str = "bound"
    phantom_sha256: str = ""
    spectrum_sha256: str = ""

    def __post_init__(self) -> None:
        for name in ("phantom", "spectrum", "phantom_sha256", "spectrum_sha256"):
            require(isinstance(getattr(self, name), str), name, getattr(self, name), "a text")
        _require_one_of("source", self.source, SOURCES)
        _require_one_of("scattering", self.scattering, SCATTERING)
        expected = f"a whole number from 1 to {VOXELS_MAX}"
        few = is_count(self.voxels, least=1) and self.voxels <= VOXELS_MAX
        require(few, "voxels", self.voxels, expected)
        for name in ("size_mm", "column_mm"):
            value = getattr(self, name)
            require(_is_number(value) and 0 < value <= 1e5, name, value, "mm above 0, at most 1e5")
        _require_energy("energy_kev", self.energy_kev)
        angle = self.half_angle_deg
        narrow = _is_number(angle) and 0 < angle <= 180
        require(narrow, "half_angle_deg", angle, "degrees above 0, at most 180")
        if self.position_mm is not None:
            _require_vector("position_mm", self.position_mm)
        _require_vector("direction", self.direction)
        require(any(self.direction), "direction", self.direction, "a direction, not zero")

    def volume(self) -> Volume:
        """The phantom."""
        return phantoms.volume(self.phantom, self.voxels, self.size_mm)

    def lines(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The energies of the source in keV, and their probabilities."""
        if not self.spectrum:
            return np.array([float(self.energy_kev)]), np.ones(1)
        try:
            table = np.loadtxt(self.spectrum, ndmin=2, delimiter=_delimiter(self.spectrum))
            energies, weights = np.array(table).T
        except (OSError, ValueError) as error:
            said = f"spectrum '{self.spectrum}' is no list of energies in keV and weights"
            raise BadApplication(f"{said}: {sentence(error)}") from None
        for energy in energies:
            _require_energy(f"spectrum '{self.spectrum}': energy", float(energy))
        if not (np.all(weights >= 0) and 0 < weights.sum() < math.inf):
            raise BadApplication(f"spectrum '{self.spectrum}' has weights below 0, or only zeros")
        return energies, weights / weights.sum()

    def place_mm(self, volume: Volume) -> Point:
        """Where photons start: given, or before the volume; of a point source, its middle."""
        if self.position_mm is not None:
            x, y, z = (float(one) for one in self.position_mm)
            return x, y, z
        middle = [c + s / 2 for c, s in zip(volume.corner_mm, volume.size_mm, strict=True)]
        if self.source == "point":
            return middle[0], middle[1], middle[2]
        return middle[0], middle[1], volume.corner_mm[2] - DISTANCE_MM


def completed(**given: Any) -> dict[str, Any]:
    """The options with absolute paths and the digests of files; refuses all that cannot run."""
    if missing := [name for name in NEEDED if not _is_installed(name)]:
        raise BadApplication(
            f"photons needs {' and '.join(missing)}: install manyhands[photons], with "
            "pip install 'manyhands[photons]'"
        )
    options = Options(**given)
    volume, (energies, _) = options.volume(), options.lines()
    _warn_of_electrons(volume, float(energies.max()))
    found = dict(given)
    if options.phantom not in phantoms.BUILT_IN:
        path = Path(options.phantom).absolute()
        found |= {"phantom": str(path), "phantom_sha256": digest(*phantoms.data_of(path))}
    if options.spectrum:
        path = Path(options.spectrum).absolute()
        found |= {"spectrum": str(path), "spectrum_sha256": digest(path)}
    return found


def require_same_files(options: Options) -> None:
    """Refuse files that are no longer what they were when the campaign was made."""
    for name in ("phantom", "spectrum"):
        path, expected = getattr(options, name), getattr(options, f"{name}_sha256")
        if not expected:
            continue
        files = phantoms.data_of(Path(path)) if name == "phantom" else [Path(path)]
        if digest(*files) != expected:
            raise BadApplication(f"{name} '{path}' is not the file that the campaign was made with")


def digest(*files: Path) -> str:
    """One digest of the contents of files."""
    hasher = sha256()
    for path in files:
        try:
            hasher.update(sha256(path.read_bytes()).digest())
        except OSError as error:
            raise BadApplication(f"file '{path}' cannot be read: {sentence(error)}") from None
    return hasher.hexdigest()


def electron_range_mm(energy_kev: float, density_g_cm3: float) -> float:
    """How far electrons get at most: Katz & Penfold 1952, for 10 keV to 2.5 MeV."""
    mev = energy_kev / 1000
    g_cm2 = 0.412 * mev ** (1.265 - 0.0954 * math.log(mev))
    return float(10 * g_cm2 / density_g_cm3)


def _warn_of_electrons(volume: Volume, energy_kev: float) -> None:
    """Of the fastest Compton electron, in all that is denser than air."""
    ratio = energy_kev / ELECTRON_KEV
    fastest_kev = energy_kev * 2 * ratio / (1 + 2 * ratio)
    dense = [MATERIALS[one] for one in volume.present() if MATERIALS[one] is not AIR]
    if not dense:
        return
    thinnest = min(dense, key=lambda one: one.density_g_cm3)
    reach = electron_range_mm(fastest_kev, thinnest.density_g_cm3)
    if reach > min(volume.spacing_mm):
        warnings.warn(
            f"electrons of {energy_kev:g} keV photons reach {reach:.2g} mm in {thinnest.name}, "
            f"further than a voxel of {min(volume.spacing_mm):g} mm: the dose has no such detail",
            ElectronsReachFurther,
            stacklevel=3,
        )


def _require_one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        hint = nearest(str(value), list(choices))
        listed = ", ".join(choices)
        raise BadApplication(f"{name} is {value!r}, but must be one of {listed}{hint}")


def _require_energy(name: str, value: object) -> None:
    expected = (
        f"from {ENERGY_KEV_MIN:g} to {ENERGY_KEV_MAX:g} keV: there the data end, and electrons, "
        "which are absorbed where they start, would get too far"
    )
    inside = _is_number(value) and ENERGY_KEV_MIN <= float(str(value)) <= ENERGY_KEV_MAX
    require(inside, name, value, expected)


def _require_vector(name: str, value: object) -> None:
    three = isinstance(value, list | tuple) and len(value) == 3 and all(map(_is_number, value))
    require(three, name, value, "three numbers, as [0, 0, 1]")


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def _is_number(value: object) -> bool:
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return numeric and math.isfinite(value)  # type: ignore[arg-type]


def _delimiter(path: str) -> str | None:
    return "," if Path(path).suffix == ".csv" else None
