"""Images as files that other programs open: where they lie is in the header."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from manyhands.analysis.files import write_images
from manyhands.statistics.forms import Kind
from manyhands.statistics.results import Grid, TallyResult


def test_an_image_says_where_it_lies(tmp_path: Path) -> None:
    value = np.arange(24.0).reshape(2, 3, 4)
    tallies = {name: TallyResult(Kind.MOMENTS, 2, value, value) for name in ("dose", "other")}
    grid = Grid((1.5, 2.0, 3.0), (-1.0, 0.0, 0.25))
    write_images(tmp_path, tallies, {"dose": grid})
    for name in ("dose", "dose_error"):
        lines = (tmp_path / f"{name}.mhd").read_text().splitlines()
        assert {"ElementSpacing = 1.5 2 3", "Offset = -1 0 0.25", "DimSize = 4 3 2"} <= {*lines}
    lines = (tmp_path / "other.mhd").read_text().splitlines()
    assert {"ElementSpacing = 1 1 1", "Offset = 0 0 0"} <= {*lines}
    assert np.array_equal(np.fromfile(tmp_path / "dose.raw"), value.ravel())
