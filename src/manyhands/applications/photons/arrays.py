"""What the kernels read and write, as named tuples of arrays: numba knows these."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Words: TypeAlias = NDArray[np.uint64]
Floats: TypeAlias = NDArray[np.float64]


class Tables(NamedTuple):
    """Attenuation in 1/cm on a grid of ln E, by material; the shapes on grids of their own.

    `bound` is S(x)/Z at x = u/(1 - u) for steps of u; `squares` are values of x², `coherent` the
    integral of F² up to them.
    """

    log_first: float
    per_log: float
    majorant: Floats  # [energy]
    attenuation: Floats  # [energy, material, (all, photo, photo and incoherent)]
    bound: Floats  # [material, u]
    squares: Floats  # [x²]
    coherent: Floats  # [material, x²]


class Beam(NamedTuple):
    """Where photons come from, in cm from the volume's corner; in a cone about a direction."""

    place: Floats
    direction: Floats
    cosine_min: float  # 1 for a pencil, -1 for all directions
    energies_ev: Floats
    cumulative: Floats  # the probability of an energy, or one before it


class Voxels(NamedTuple):
    """The volume: which of the tables' materials each voxel is; z, y, x."""

    materials: NDArray[np.uint8]
    size_cm: Floats  # x, y, z
    per_cm: Floats  # x, y, z
    column: NDArray[np.bool_]  # y, x: where the profile in depth is scored


class Scores(NamedTuple):
    """Sums over histories of energies in eV and of their squares: the last axis."""

    voxels: Floats  # [z · y · x, 2]
    regions: Floats  # [material, 2]
    layers: Floats  # [z, 2]
    balance: Floats  # emitted, deposited, escaped: [3, 2]


class Scratch(NamedTuple):
    """One history's deposits, and its random numbers."""

    cells: NDArray[np.int64]
    energies: Floats
    regions: Floats
    layers: Floats
    reached: NDArray[np.int64]
    flight: Floats  # x, y, z, u, v, w
    state: Words
    drawn: Floats
