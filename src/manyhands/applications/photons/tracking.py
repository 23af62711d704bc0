"""From options to arrays for the kernels, and from their sums to tallies."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from manyhands.applications.photons.arrays import (
    Beam,
    Floats,
    Scores,
    Scratch,
    Tables,
    Voxels,
    Words,
)
from manyhands.applications.photons.cross_sections import tables
from manyhands.applications.photons.kernels import AT_ONCE, TOUCHED_MAX, fly_all
from manyhands.applications.photons.materials import MATERIALS
from manyhands.applications.photons.options import Options
from manyhands.applications.photons.phantoms import Volume
from manyhands.applications.stream import Stream
from manyhands.statistics.returned import Moments, moments

J_PER_EV = 1.602176634e-19
KEV_PER_EV = 1e-3
G_PER_KG = 1000.0
MM_PER_CM = 10.0
ENERGIES = ("emitted_kev", "deposited_kev", "escaped_kev")  # as the kernels count them


class Tracking:
    """One phantom and one beam, ready to be tracked."""

    def __init__(self, options: Options, data: Tables | None = None) -> None:
        """With other tables than those of xraylib, if there are."""
        volume = options.volume()
        present = volume.present()
        self._materials = [MATERIALS[one] for one in present]
        self._tables = data or tables(self._materials, free=options.scattering == "free")
        self._voxels = _voxels(volume, present, options.column_mm)
        self._beam = _beam(options, volume)
        self._scores = _scores(self._voxels, len(present))
        self._scratch = _scratch(self._voxels, len(present))
        grams = np.array([one.density_g_cm3 for one in self._materials]) * volume.voxel_cm3
        grams_of_voxels = grams[self._voxels.materials]
        counts = np.bincount(self._voxels.materials.reshape(-1), minlength=len(present))
        self._of_voxels = gy_per_ev(grams_of_voxels)
        self._of_layers = gy_per_ev(np.sum(grams_of_voxels * self._voxels.column, axis=(1, 2)))
        self._of_materials = gy_per_ev(counts * grams)

    def track(self, samples: int, stream: Stream) -> dict[str, Moments]:
        """Follow so many photons, from the stream's `first` on."""
        for sums in self._scores:
            sums.fill(0.0)
        histories = (stream.first, stream.first + samples)
        scored = (self._scores, self._scratch)
        fly_all(histories, key_of(stream), self._beam, self._voxels, self._tables, scored)
        return self._tallies(samples)

    def _tallies(self, samples: int) -> dict[str, Moments]:
        scores = self._scores
        found = {
            "dose": _moments(samples, scores.voxels, self._of_voxels),
            "depth_dose": _moments(samples, scores.layers, self._of_layers),
        }
        each = zip(self._materials, scores.regions, self._of_materials, strict=True)
        for material, sums, gy in each:
            found[f"dose_{material.name}"] = _moments(samples, sums, gy)
        for name, sums in zip(ENERGIES, scores.balance, strict=True):
            found[name] = _moments(samples, sums, KEV_PER_EV)
        return found


def gy_per_ev(grams: Floats) -> Floats:
    """What dose an energy of one eV is in so much matter; zero in nothing at all."""
    found: Floats = J_PER_EV / (np.where(grams > 0, grams, np.inf) / G_PER_KG)
    return found


def key_of(stream: Stream) -> Words:
    """Three words of 32 bits that belong to a stream, whatever was drawn from it."""
    sequence = stream.numpy().bit_generator.seed_seq
    assert isinstance(sequence, np.random.SeedSequence)
    return sequence.generate_state(3, np.uint32).astype(np.uint64)


def _moments(samples: int, sums: Floats, gy: Floats | float) -> Moments:
    """A mean from the sums of energies and of their squares, the last axis."""
    first, second = (sums[..., power].reshape(np.shape(gy)) for power in range(2))
    return moments(samples, first * gy, second * gy * gy)


def _voxels(volume: Volume, present: list[int], column_mm: float) -> Voxels:
    """The volume with materials counted as the tables do: only those that there are."""
    renumbered = np.zeros(len(MATERIALS), np.uint8)
    renumbered[present] = np.arange(len(present))
    spacing = np.array(volume.spacing_mm) / MM_PER_CM
    _, rows, columns = volume.materials.shape
    across = _near_middle(columns, volume.spacing_mm[0], column_mm)
    along = _near_middle(rows, volume.spacing_mm[1], column_mm)
    size = np.array(volume.size_mm) / MM_PER_CM
    return Voxels(renumbered[volume.materials], size, 1 / spacing, np.outer(along, across))


def _near_middle(voxels: int, spacing_mm: float, within_mm: float) -> NDArray[np.bool_]:
    """Which voxels of an axis lie so near its middle; the one or two nearest always do."""
    away = np.abs(np.arange(voxels) - (voxels - 1) / 2) * spacing_mm
    near: NDArray[np.bool_] = away <= max(within_mm, float(away.min()) * (1 + 1e-9))
    return near


def _beam(options: Options, volume: Volume) -> Beam:
    place = np.subtract(options.place_mm(volume), volume.corner_mm) / MM_PER_CM
    direction = np.array(options.direction, np.float64)
    direction /= np.linalg.norm(direction)
    cosines = {"pencil": 1.0, "point": -1.0, "cone": math.cos(math.radians(options.half_angle_deg))}
    energies_kev, chances = options.lines()
    energies_ev = np.rint(1e3 * energies_kev)
    return Beam(place, direction, cosines[options.source], energies_ev, np.cumsum(chances))


def _scores(voxels: Voxels, materials: int) -> Scores:
    cells, layers = voxels.materials.size, voxels.materials.shape[0]
    shapes = ((cells, 2), (materials, 2), (layers, 2), (len(ENERGIES), 2))
    return Scores(*(np.zeros(shape) for shape in shapes))


def _scratch(voxels: Voxels, materials: int) -> Scratch:
    layers = voxels.materials.shape[0]
    return Scratch(
        np.zeros(TOUCHED_MAX, np.int64),
        np.zeros(TOUCHED_MAX),
        np.zeros(materials),
        np.zeros(layers),
        np.zeros(layers, np.int64),
        np.zeros(6),
        np.zeros(7, np.uint64),
        np.zeros(AT_ONCE),
    )
