"""The pictures of the page, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes

from experiments.chapter3 import Ratio
from experiments.grid import SAMPLES
from experiments.r1 import Summary
from experiments.watching import Curve

DPI = 130
COLOURS = ("#b5493b", "#d99a2b", "#2b6ca3")


def lost_time(found: Sequence[Summary], path: Path) -> None:
    """R1: how much later each row closes than it could have."""
    figure, axes = pyplot.subplots(figsize=(8, 4.6), layout="constrained")
    places = range(len(found))[::-1]
    for place, one in zip(places, found, strict=True):
        colour = COLOURS[0] if one.name.startswith(("published", "no ch")) else COLOURS[2]
        axes.plot([one.lost_time_p5_s, one.lost_time_p95_s], [place, place], color=colour, lw=2)
        axes.plot(one.lost_time_s, place, "o", color=colour, ms=7)
        axes.annotate(
            f"{one.lost_time_s:.0f} s",
            (one.lost_time_s, place),
            textcoords="offset points",
            xytext=(0, 6),
            ha="center",
            fontsize=8,
        )
    axes.set_yticks(places, [one.name for one in found])
    axes.set_xscale("log")
    axes.set_xlabel("lost time T - ideal, seconds (median, 5th to 95th percentile)")
    axes.set_title("R1: lost time per scenario (report period 60 s)", loc="left")
    _finish(axes)
    figure.savefig(path, dpi=DPI)
    pyplot.close(figure)


def ratios(found: Sequence[Ratio], path: Path) -> None:
    """Chapter 3: how much longer equal shares take, against how uneven hosts are."""
    figure, panels = pyplot.subplots(1, 2, figsize=(9.5, 4.2), sharey=True, layout="constrained")
    spreads = list(dict.fromkeys(one.spread for one in found))
    for panel, ours in zip(panels, (False, True), strict=True):
        for shift, pilots in enumerate(dict.fromkeys(one.pilots for one in found)):
            line = [one for one in found if one.pilots == pilots]
            means = [one.ours if ours else one.published for one in line]
            panel.errorbar(
                [spreads.index(one.spread) + 0.08 * (shift - 1) for one in line],
                [mean.value for mean in means],
                [mean.reach for mean in means],
                fmt="o",
                ms=4,
                capsize=3,
                color=COLOURS[shift],
                label=f"{pilots} pilots",
            )
        panel.axhline(2.0, color="grey", lw=1, ls="--", zorder=0)
        panel.set_xticks(range(len(spreads)), spreads)
        panel.set_xlabel("speeds, fastest ÷ slowest")
        panel.set_title(f"equal shares ÷ {'our' if ours else 'published'} ending", loc="left")
        _finish(panel)
    panels[0].annotate("thesis: 2", (0.0, 2.05), ha="left", color="grey", fontsize=8)
    panels[0].set_ylabel("ratio of makespans (mean, 95 % interval)")
    panels[0].legend(frameon=False)
    figure.savefig(path, dpi=DPI)
    pyplot.close(figure)


def completed(curves: Mapping[str, Curve], path: Path) -> None:
    """Chapter 3: samples against time, one world three ways."""
    figure, axes = pyplot.subplots(figsize=(8, 4.4), layout="constrained")
    for (name, curve), colour in zip(curves.items(), COLOURS, strict=True):
        minutes = [time_s / 60 for time_s in curve.times_s]
        axes.plot(minutes, [one / 1000 for one in curve.living], color=colour, label=name)
        axes.plot(minutes[-1], curve.living[-1] / 1000, "o", color=colour)
    axes.axhline(SAMPLES / 1000, color="grey", lw=1, ls="--", zorder=0)
    axes.annotate("wanted", (0, SAMPLES / 1000), (2, 4), textcoords="offset points", fontsize=8)
    axes.set_xlabel("minutes after the submission")
    axes.set_ylabel("thousand samples held by the living")
    axes.set_title("75 pilots, Grid'5000 speeds, a quarter fails", loc="left")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, loc="lower right")
    _finish(axes)
    figure.savefig(path, dpi=DPI)
    pyplot.close(figure)


def _finish(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
