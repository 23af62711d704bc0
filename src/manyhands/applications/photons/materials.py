"""What voxels are made of: densities and weight fractions of the elements, by atomic number.

Tissues: ICRU Report 44 (1989), "Tissue substitutes in radiation dosimetry and measurement", as in
Hubbell & Seltzer 1995 (NISTIR 5632), table 2; lung with the density of an inflated one, as ICRU 44
has it. Water and dry air: the same table.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Material:
    """A mixture of elements, each with its part of the weight."""

    name: str
    density_g_cm3: float
    weights: dict[int, float]


AIR = Material("air", 1.205e-3, {6: 0.000124, 7: 0.755268, 8: 0.231781, 18: 0.012827})
WATER = Material("water", 1.0, {1: 0.111894, 8: 0.888106})
LUNG = Material(
    "lung",
    0.26,
    {
        1: 0.103, 6: 0.105, 7: 0.031, 8: 0.749, 11: 0.002, 15: 0.002, 16: 0.003, 17: 0.003,
        19: 0.002,
    },
)  # fmt: skip
SOFT_TISSUE = Material(
    "soft_tissue",
    1.06,
    {
        1: 0.102, 6: 0.143, 7: 0.034, 8: 0.708, 11: 0.002, 15: 0.003, 16: 0.003, 17: 0.002,
        19: 0.003,
    },
)  # fmt: skip
BONE = Material(
    "bone",
    1.92,
    {
        1: 0.034, 6: 0.155, 7: 0.042, 8: 0.435, 11: 0.001, 12: 0.002, 15: 0.103, 16: 0.003,
        20: 0.225,
    },
)  # fmt: skip

# The position in this list is the number that stands for a material in a volume.
MATERIALS = (AIR, WATER, LUNG, SOFT_TISSUE, BONE)
NUMBER = {one.name: number for number, one in enumerate(MATERIALS)}
