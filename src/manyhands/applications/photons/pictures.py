"""Pictures of a dose in its phantom: three cuts, the same with the error, and the dose in depth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manyhands.applications.photons.materials import MATERIALS
from manyhands.applications.photons.options import Options
from manyhands.applications.photons.phantoms import Volume
from manyhands.statistics.results import TallyResult, relative

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

ISODOSES = (10, 20, 50, 80)  # percent of the maximum
ISODOSE_COLOURS = ("#2b6cb0", "#2f9e6e", "#d9a400", "#c92a2a")
VEIL, VEILED_PERCENT = 0.78, 12.0  # how opaque the dose is; with less dose, less
SHOWN_FROM = 0.02  # of the maximum: errors below are not of interest
ERRORS_PERCENT = (1.0, 30.0)
GREYS = {"air": 0.08, "lung": 0.35, "water": 0.62, "soft_tissue": 0.68, "bone": 0.97}
AXES = "xyz"


class Cut(NamedTuple):
    """A plane through the volume at one voxel of an axis; what is drawn to the right, and down."""

    name: str
    axis: int  # 0 for x, 1 for y, 2 for z
    right: int
    down: int


CUTS = (Cut("coronal", 1, 0, 2), Cut("sagittal", 0, 1, 2), Cut("axial", 2, 0, 1))


def pictures(options: Options, tallies: Mapping[str, TallyResult]) -> dict[str, Figure]:
    """All pictures, each with the name that its file has."""
    volume = options.volume()
    return {
        "dose": dose_picture(volume, tallies["dose"]),
        "dose_error": error_picture(volume, tallies["dose"]),
        "depth_dose": depth_picture(options, volume, tallies["depth_dose"]),
    }


def dose_picture(volume: Volume, dose: TallyResult) -> Figure:
    """The dose as colour and isodose lines over the phantom in grey."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    value = np.asarray(dose.value)
    largest = _largest(value)
    figure, panels = _panels(volume, value, "Dose over the phantom")
    for cut, at, axes in panels:
        plane = 100 * _plane(value, cut, at) / largest
        extent, veil = _extent(volume, cut), VEIL * np.clip(plane / VEILED_PERCENT, 0, 1)
        axes.imshow(plane, extent=extent, cmap="inferno", vmin=0, vmax=100, alpha=veil)
        right, down = (volume.axis_mm(one) for one in (cut.right, cut.down))
        if plane.max() > ISODOSES[0] and min(plane.shape) > 1:
            smooth = _smoothed(plane)
            lines = axes.contour(
                right, down, smooth, levels=ISODOSES, colors=ISODOSE_COLOURS, linewidths=1.1
            )
            axes.clabel(lines, fmt="%d %%", fontsize=7)
    scale = ScalarMappable(Normalize(0, 100), "inferno")
    figure.colorbar(
        scale, ax=[axes for _, _, axes in panels], label=f"% of {largest:.3g} Gy per photon"
    )
    return figure


def error_picture(volume: Volume, dose: TallyResult) -> Figure:
    """One standard error as a part of the dose, where there is some."""
    from matplotlib.colors import LogNorm

    value, error = np.asarray(dose.value), np.asarray(dose.error)
    percent = 100 * relative(value, error)
    figure, panels = _panels(volume, value, "Standard error of the dose (k = 1)")
    image: Any = None
    for cut, at, axes in panels:
        few = _plane(value, cut, at) < SHOWN_FROM * _largest(value)
        shown = np.ma.masked_where(few, _plane(percent, cut, at))
        norm = LogNorm(*ERRORS_PERCENT)
        image = axes.imshow(shown, extent=_extent(volume, cut), cmap="viridis_r", norm=norm)
    label = f"% of the dose, where that is above {100 * SHOWN_FROM:g} % of the largest"
    bar = figure.colorbar(image, ax=[axes for _, _, axes in panels], label=label)
    bar.ax.yaxis.set_major_formatter(lambda number, _: f"{number:g}")
    return figure


def depth_picture(options: Options, volume: Volume, depth: TallyResult) -> Figure:
    """The dose of the column about the middle, layer by layer, with a band of one error."""
    from matplotlib.figure import Figure

    value, error = np.asarray(depth.value), np.asarray(depth.error)
    along = volume.axis_mm(2)
    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    axes = figure.subplots()
    _shade_materials(axes, volume)
    band: dict[str, Any] = {"color": "#c92a2a", "linewidth": 0, "step": "mid"}
    axes.fill_between(along, value - error, value + error, alpha=0.35, **band)
    axes.step(along, value, where="mid", color="#c92a2a", linewidth=1.2, label="dose")
    axes.set_xlim(along[0] - volume.spacing_mm[2] / 2, along[-1] + volume.spacing_mm[2] / 2)
    axes.set_ylim(0, 1.08 * float(np.max(value + error)))
    axes.set(xlabel="z / mm", ylabel="dose per photon / Gy")
    within = f"within {options.column_mm:g} mm of the middle of x and y"
    axes.set_title(f"Dose in depth, {within}; band: 1 standard error (k=1)", fontsize=10)
    axes.legend(loc="upper right", frameon=False, fontsize=8)
    return figure


def _panels(volume: Volume, dose: Floats, title: str) -> tuple[Figure, list[tuple[Cut, int, Axes]]]:
    """Three axes with the phantom in grey; each cut goes through the middle of the dose."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.1), layout="constrained")
    greys = np.array([GREYS[one.name] for one in MATERIALS])[volume.materials]
    middle = _middle_of(dose)
    found = []
    for cut, axes in zip(CUTS, figure.subplots(1, len(CUTS)), strict=True):
        at = middle[cut.axis]
        grey = _plane(greys, cut, at)
        axes.imshow(grey, extent=_extent(volume, cut), cmap="gray", vmin=0, vmax=1)
        place = volume.axis_mm(cut.axis)[at]
        axes.set_title(f"{cut.name}, {AXES[cut.axis]} = {place:.4g} mm", fontsize=9)
        axes.set(xlabel=f"{AXES[cut.right]} / mm", ylabel=f"{AXES[cut.down]} / mm")
        found.append((cut, at, axes))
    figure.suptitle(title, fontsize=11)
    return figure, found


def _middle_of(dose: Floats) -> tuple[int, int, int]:
    """The voxel, x y z, in which the middle of all dose lies."""
    total = max(float(dose.sum()), np.finfo(float).tiny)
    middle = []
    for axis, voxels in enumerate(dose.shape):
        others = tuple(one for one in range(3) if one != axis)
        middle.append(int(np.sum(dose.sum(axis=others) * np.arange(voxels)) / total + 0.5))
    z, y, x = (min(one, voxels - 1) for one, voxels in zip(middle, dose.shape, strict=True))
    return x, y, z


def _plane(values: Floats, cut: Cut, at: int) -> Floats:
    """One cut, with its downward axis first: of z, y, x the later goes to the right."""
    plane: Floats = np.take(values, at, axis=2 - cut.axis)
    return plane


def _extent(volume: Volume, cut: Cut) -> tuple[float, float, float, float]:
    """The edges of a cut: left, right, bottom, top."""
    corner, size = volume.corner_mm, volume.size_mm
    left, top = corner[cut.right], corner[cut.down]
    return left, left + size[cut.right], top + size[cut.down], top


def _largest(value: Floats) -> float:
    """The largest dose, but for a few voxels that may be chance."""
    touched = value[value > 0]
    return float(np.quantile(touched, 0.9995)) if touched.size else 1.0


def _smoothed(plane: Floats) -> Floats:
    """The mean with the eight neighbours: lines that do not follow the noise."""
    padded = np.pad(plane, 1, mode="edge")
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    smooth: Floats = (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) / 9
    return smooth


def _shade_materials(axes: Axes, volume: Volume) -> None:
    """What the middle of the volume is made of, as grey behind the curve."""
    layers, rows, columns = volume.materials.shape
    middle = volume.materials[:, rows // 2, columns // 2]
    edges = volume.corner_mm[2] + np.arange(layers + 1) * volume.spacing_mm[2]
    begins = np.flatnonzero(np.diff(middle, prepend=255))
    for begin, end in zip(begins, [*begins[1:], layers], strict=True):
        name = MATERIALS[middle[begin]].name
        axes.axvspan(edges[begin], edges[end], color=str(0.4 + 0.55 * GREYS[name]), linewidth=0)
        axes.text(
            (edges[begin] + edges[end]) / 2, 0.03, name.replace("_", " "), ha="center", fontsize=7,
            color="#444444", transform=axes.get_xaxis_transform(),
        )  # fmt: skip
