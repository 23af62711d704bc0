"""Results as files that any program opens."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyhands.analysis.names import EDGES, ERROR, SAMPLES, names_of
from manyhands.statistics.results import Grid, TallyResult

ARCHIVE = "result.npz"
RESULT = "result.json"
SCHEMA = 1
IMAGE_DIMENSIONS = (2, 3)


def write_archive(path: Path, tallies: dict[str, TallyResult], samples: int) -> Path:
    """All tallies as one numpy archive, whole or not there."""
    arrays: dict[str, Any] = {SAMPLES: np.int64(samples)}
    names = names_of(tallies)
    for name, tally in tallies.items():
        array = names[name].array
        arrays[array] = np.asarray(tally.value)
        if tally.error is not None:
            arrays[array + ERROR] = np.asarray(tally.error)
        if tally.edges is not None:
            arrays[array + EDGES] = tally.edges
    growing = path.with_name(path.name + ".part")
    with zipfile.ZipFile(growing, "w") as archive:  # np.savez takes no array called "file"
        for array, values in arrays.items():
            with archive.open(f"{array}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(values), allow_pickle=False)
    os.replace(growing, path)
    return path


def write_result(path: Path, plain: dict[str, Any]) -> Path:
    """The numbers and where they come from, as JSON."""
    return write_whole(path, json.dumps({"schema": SCHEMA, **plain}, indent=1) + "\n")


def write_whole(path: Path, data: str | bytes) -> Path:
    """A file that is whole or as it was before."""
    growing = path.with_name(path.name + ".part")
    growing.write_bytes(data.encode() if isinstance(data, str) else data)
    os.replace(growing, path)
    return path


def write_images(
    folder: Path, tallies: dict[str, TallyResult], grids: Mapping[str, Grid] | None = None
) -> list[Path]:
    """Images and volumes also as MetaImage: NAME.mhd and NAME_error.mhd, each with its .raw."""
    written = []
    names = names_of(tallies)
    for name, tally in tallies.items():
        if isinstance(tally.value, float) or tally.value.ndim not in IMAGE_DIMENSIONS:
            continue
        file = names[name].file
        grid = (grids or {}).get(name) or _unit_grid(tally.value.ndim)
        written.append(_write_mhd(folder / f"{file}.mhd", tally.value, grid))
        if isinstance(tally.error, np.ndarray):
            written.append(_write_mhd(folder / f"{file}{ERROR}.mhd", tally.error, grid))
    return written


def _unit_grid(dimensions: int) -> Grid:
    return Grid((1.0,) * dimensions, (0.0,) * dimensions)


def _write_mhd(path: Path, values: NDArray[np.float64], grid: Grid) -> Path:
    """The last axis is x, as MetaImage has it: the first that varies in the file."""
    raw = path.with_name(path.name.removesuffix(".mhd") + ".raw")
    values.astype("<f8").tofile(raw)
    sizes = " ".join(str(one) for one in reversed(values.shape))
    lines = [
        "ObjectType = Image",
        f"NDims = {values.ndim}",
        "BinaryData = True",
        "BinaryDataByteOrderMSB = False",
        f"Offset = {_numbers(grid.origin_mm)}",
        f"ElementSpacing = {_numbers(grid.spacing_mm)}",
        f"DimSize = {sizes}",
        "ElementType = MET_DOUBLE",
        f"ElementDataFile = {raw.name}",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


def _numbers(given: tuple[float, ...]) -> str:
    return " ".join(f"{one:.10g}" for one in given)
