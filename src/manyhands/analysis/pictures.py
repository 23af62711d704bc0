"""Pictures of tallies: one per image, profile or histogram."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manyhands.statistics.results import TallyResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def picture(name: str, tally: TallyResult) -> Figure:
    """A tally as a picture: a profile with its error band, an image, or a number on a line."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.subplots()
    value = np.asarray(tally.value)
    axes.set_title(name)
    if value.ndim == 1:
        axes.plot(np.arange(len(value)), value)
    return figure
