"""Pictures of tallies: a profile, a histogram, an image or the slices of a volume, with errors.

matplotlib is imported when the first is drawn, and never its pyplot, which keeps figures alive and
may look for a screen. Errors are one standard error (k = 1), and every picture says so.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from manyhands.analysis.digits import in_digits
from manyhands.statistics.forms import BINNED, Kind
from manyhands.statistics.results import TallyResult
from manyhands.statistics.returned import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

K1 = "1 standard error (k=1)"
DOTS_PER_INCH = 130
POINTS_MAX = 4000  # of a curve
CELLS_MAX = 1200  # of an image, along each axis
TITLE_LENGTH_MAX = 60
FEW = 40  # points that are shown one by one
DIMENSIONS = (1, 2, 3)  # of tallies that have a picture
INK, BAND, GREY = "#1f4e79", "#9dbbd8", "#6b7280"
VALUES, ERRORS = "viridis", "cividis"  # perceptually uniform; white is in neither
PERCENT_MAX = 50.0  # errors beyond have the last colour
LOOK: Any = {
    "text.parse_math": False,  # names may hold any sign
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.8,
    "axes.grid": False,
    "figure.facecolor": "white",
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def has_picture(tally: TallyResult) -> bool:
    """Whether there is more to see than a number."""
    value = np.asarray(tally.value)
    return value.ndim in DIMENSIONS and value.size > 1


def picture(name: str, tally: TallyResult) -> Figure:
    """A tally as a figure, whatever it is."""
    import matplotlib
    from matplotlib.figure import Figure

    value = np.asarray(tally.value, np.float64)
    with matplotlib.rc_context(LOOK):
        figure = Figure(figsize=_size(tally, value.ndim), layout="constrained")
        draw = {1: _line, 2: _image, 3: _volume}.get(value.ndim, _number)
        draw(figure, tally, value)
        short = name if len(name) <= TITLE_LENGTH_MAX else name[: TITLE_LENGTH_MAX - 1] + "…"
        figure.suptitle(f"{short}   ({tally.samples:,} samples)", fontsize=11)
    return figure


def _size(tally: TallyResult, dimensions: int) -> tuple[float, float]:
    """In inches."""
    if dimensions == 3:
        return 9.0, 2.8 if tally.error is None else 5.2
    if dimensions == 2:
        return 5.0 if tally.error is None else 9.0, 3.6
    return 7.0, 3.8


def png(figure: Figure) -> bytes:
    """A figure as the bytes of a PNG file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    data = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # of a name, in no font: a box is drawn
        figure.savefig(data, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return data.getvalue()


def _number(figure: Figure, tally: TallyResult, value: Floats) -> None:
    """A single number, or what has too many dimensions: in words."""
    axes = figure.subplots()
    axes.set_axis_off()
    axes.text(0.5, 0.5, in_digits(tally), ha="center", va="center", fontsize=16)


# ---- one dimension -----------------------------------------------------------------------------


def _line(figure: Figure, tally: TallyResult, value: Floats) -> None:
    axes = figure.subplots()
    error = None if tally.error is None else _finite(np.asarray(tally.error))
    if tally.kind in BINNED and (tally.edges is None or np.all(np.isfinite(tally.edges))):
        _histogram(axes, tally, value, error)
    else:
        _profile(axes, value, error, _unit(tally))
    axes.grid(axis="y", color="#e5e7eb", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.margins(x=0.01)
    axes.legend(frameon=False, fontsize=8, loc="best")


def _profile(axes: Axes, value: Floats, error: Floats | None, unit: str) -> None:
    step = -(-len(value) // POINTS_MAX)
    at = np.arange(len(value))[::step]
    value = value[::step]
    if len(at) <= FEW:
        errors = None if error is None else np.nan_to_num(error)
        label = "value" if error is None else f"value ± {K1}"
        axes.errorbar(
            at, value, yerr=errors, fmt="o-", color=INK, ms=3.5, lw=0.9, capsize=2, label=label
        )
    else:
        if error is not None:
            low, high = value - error[::step], value + error[::step]
            axes.fill_between(at, low, high, color=BAND, lw=0, label=f"± {K1}")
        axes.plot(at, value, color=INK, lw=1.1, label="value")
    axes.set_xlabel("cell" if step == 1 else f"cell (every {step}th is shown)")
    axes.set_ylabel(unit)


def _histogram(axes: Axes, tally: TallyResult, value: Floats, error: Floats | None) -> None:
    edges = np.arange(len(value) + 1) - 0.5 if tally.edges is None else tally.edges
    step = -(-len(value) // POINTS_MAX)
    value, edges = value[::step], np.append(edges[:-1][::step], edges[-1])
    axes.stairs(value, edges, color=INK, lw=1.2, label="fraction of all samples")
    if error is not None:
        middles = (edges[:-1] + edges[1:]) / 2
        bars: Any = {"fmt": "none", "ecolor": INK, "elinewidth": 0.8, "label": f"± {K1}"}
        axes.errorbar(middles, value, yerr=np.nan_to_num(error[::step]), **bars)
    axes.set_xlabel(_binned(tally, step))
    axes.set_ylabel("fraction per bin")
    axes.set_ylim(bottom=0)
    if tally.edges is not None and edges[0] > 0 and edges[-1] / edges[0] > 1e3:
        axes.set_xscale("log")


def _binned(tally: TallyResult, step: int) -> str:
    said = "bin" if tally.edges is None else "value"
    if step > 1:
        said += f" (every {step}th bin is shown)"
    if tally.outside is not None and any(tally.outside):
        below, above = tally.outside
        said += f"\nnot shown: {below:,} samples below and {above:,} above all bins"
    return said


# ---- two and three dimensions ------------------------------------------------------------------


def _image(figure: Figure, tally: TallyResult, value: Floats) -> None:
    axes = figure.subplots(1, 1 if tally.error is None else 2, squeeze=False)[0]
    _maps(figure, [axes[0]], [value], _unit(tally))
    if tally.error is not None:
        _error_maps(figure, [axes[1]], [_part(value, np.asarray(tally.error))])
        axes[1].set_title(f"relative error, {K1}", fontsize=9)
    for one in axes:
        one.set(xlabel="axis 1 (x)", ylabel="axis 0 (y)")


def _volume(figure: Figure, tally: TallyResult, value: Floats) -> None:
    """Three slices through the highest cell, above those of the errors."""
    at = np.unravel_index(int(np.argmax(np.abs(value))), value.shape)
    rows = 1 if tally.error is None else 2
    axes = figure.subplots(rows, 3, squeeze=False)
    places = [tuple(at[i] if i == axis else slice(None) for i in range(3)) for axis in range(3)]
    _maps(figure, list(axes[0]), [value[place] for place in places], _unit(tally))
    if tally.error is not None:
        error = np.asarray(tally.error)
        _error_maps(figure, list(axes[1]), [_part(value[one], error[one]) for one in places])
        axes[1][1].set_title(f"relative error, {K1}", fontsize=9)
    for axis, (down, across) in enumerate(((1, 2), (0, 2), (0, 1))):
        axes[0][axis].set_title(f"cell {at[axis]} of axis {axis} ({'zyx'[axis]})", fontsize=9)
        for row in axes:
            row[axis].set(xlabel=_axis(across), ylabel=_axis(down))


def _axis(number: int) -> str:
    return f"axis {number} ({'zyx'[number]})"


def _unit(tally: TallyResult) -> str:
    if tally.kind is Kind.SUM:
        return "sum over all samples"
    return "fraction per bin" if tally.kind in BINNED else "value per sample"


def _part(value: Floats, error: Floats) -> Floats:
    """The error in percent of the value; nothing where there is no value."""
    part = np.full(value.shape, np.nan)
    np.divide(100 * error, np.abs(value), out=part, where=(value != 0) & np.isfinite(error))
    return part


def _maps(figure: Figure, axes: list[Axes], values: list[Floats], label: str) -> None:
    """Images side by side, in the same colours."""
    low, high = min(map(np.min, values)), max(map(np.max, values))
    shown = [_shown(*both, VALUES, low, high) for both in zip(axes, values, strict=True)]
    figure.colorbar(shown[0], ax=axes, label=label, pad=0.02)


def _error_maps(figure: Figure, axes: list[Axes], parts: list[Floats]) -> None:
    most = max((float(np.nanmax(one)) for one in parts if np.any(np.isfinite(one))), default=0.0)
    high = min(most, PERCENT_MAX) or 1.0
    shown = [_shown(*both, ERRORS, 0.0, high) for both in zip(axes, parts, strict=True)]
    more = "max" if most > high else "neither"
    figure.colorbar(shown[0], ax=axes, label="% of the value", extend=more, pad=0.02)


def _shown(axes: Axes, values: Floats, colours: str, low: float, high: float) -> AxesImage:
    for spine in axes.spines.values():
        spine.set_visible(True)
    return axes.imshow(
        _thinned(values),
        cmap=colours,
        vmin=low,
        vmax=high,
        interpolation="nearest",
        **_placed(values),
    )


def _placed(value: Floats) -> dict[str, Any]:
    """Cells at their numbers, square unless the image is very long."""
    rows, columns = value.shape
    long = max(rows, columns) > 8 * min(rows, columns)
    extent = (-0.5, columns - 0.5, rows - 0.5, -0.5)
    return {"extent": extent, "aspect": "auto" if long else "equal"}


def _thinned(value: Floats) -> Floats:
    """Not many more cells than a picture has dots."""
    rows, columns = (-(-size // CELLS_MAX) for size in value.shape)
    return value[::rows, ::columns]


def _finite(error: Floats) -> Floats:
    """No error is drawn where there is none."""
    return np.where(np.isfinite(error), error, np.nan)


def kind_of(tally: TallyResult) -> str:
    """What is to be seen, for a caption."""
    value = np.asarray(tally.value)
    if value.ndim == 1:
        return "histogram" if tally.kind in BINNED else "profile"
    found = {2: "image", 3: "slices through the highest cell"}[value.ndim]
    with_error = {2: ", beside its relative error", 3: ", above their relative errors"}[value.ndim]
    return found if tally.error is None else found + with_error
