"""The picture of photons against PenRed, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.photons import BAR, FROM, SLABS, Dose, Floats, Job, across, depth

DPI = 110
COLOURS = ("#b5493b", "#d99a2b", "#3a8f5c", "#2b6ca3")
SLAB = 1  # the second from the surface


def draw(found: Mapping[Job, tuple[Dose, Dose]], path: Path) -> None:
    """Profiles in depth and to the side above, and below how far the two programs are apart."""
    figure = Figure(figsize=(10.5, 6.2), layout="constrained")
    (deep, wide), (deep_off, wide_off) = figure.subplots(
        2, 2, sharex="col", height_ratios=(2.2, 1), squeeze=True
    )
    for colour, (job, doses) in zip(COLOURS, found.items(), strict=True):
        name = f"{job.energy_kev:g} keV"
        z = (np.arange(job.layers) + 0.5) * job.size_cm / job.layers
        x = ((np.arange(job.columns) + 0.5) / job.columns - 0.5) * job.size_cm
        _pair(deep, deep_off, z, depth(doses[0]), depth(doses[1]), colour, name)
        slabs = [Dose(one.value[SLAB], one.error[SLAB]) for one in map(across, doses)]
        _pair(wide, wide_off, x, slabs[0], slabs[1], colour, name)
    thick = next(iter(found)).size_cm / SLABS
    deep.set_title("in depth", loc="left", fontsize=10)
    wide.set_title(f"to the side, from {thick:g} to {2 * thick:g} cm", loc="left", fontsize=10)
    deep.set_ylabel("Gy per photon (bins of one profile added)")
    deep_off.set(xlabel="z / cm", ylabel="photons ÷ PenRed - 1, %")
    wide_off.set(xlabel="x / cm")
    deep.legend(frameon=False, fontsize=8)
    figure.suptitle("Lines: PenRed. Dots: photons. Below: two standard errors", fontsize=10)
    figure.savefig(path, dpi=DPI)


def _pair(above: Axes, below: Axes, places: Floats, mine: Dose, theirs: Dose, *look: str) -> None:
    colour, name = look
    inside = theirs.value > FROM * theirs.value.max()
    above.plot(places, theirs.value, color=colour, linewidth=1.2)
    above.plot(places, mine.value, ".", color=colour, markersize=5, label=name)
    above.set_yscale("log")
    off = 100 * (mine.value / theirs.value - 1)
    error = 100 * np.hypot(mine.error, theirs.error) / theirs.value
    style: dict[str, Any] = {"color": colour, "markersize": 3, "linewidth": 0.8}
    below.errorbar(places[inside], off[inside], 2 * error[inside], fmt="o", **style)
    below.axhspan(-100 * BAR, 100 * BAR, color="#e9ecef", linewidth=0, zorder=0)
    below.set_ylim(-200 * BAR, 200 * BAR)
