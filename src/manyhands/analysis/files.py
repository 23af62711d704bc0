"""Results as files that any program opens."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyhands.statistics.results import TallyResult

ARCHIVE = "result.npz"
RESULT = "result.json"
SCHEMA = 1
IMAGE_DIMENSIONS = (2, 3)


def write_archive(path: Path, tallies: dict[str, TallyResult], samples: int) -> Path:
    """All tallies as one numpy archive, whole or not there."""
    arrays: dict[str, Any] = {"samples": np.int64(samples)}
    for name, tally in tallies.items():
        arrays[name] = np.asarray(tally.value)
        if tally.error is not None:
            arrays[f"{name}_error"] = np.asarray(tally.error)
        if tally.edges is not None:
            arrays[f"{name}_edges"] = tally.edges
    growing = path.with_name(path.name + ".part")
    with growing.open("wb") as file:
        np.savez(file, **arrays)
    os.replace(growing, path)
    return path


def write_result(path: Path, plain: dict[str, Any]) -> Path:
    """The numbers and where they come from, as JSON."""
    growing = path.with_name(path.name + ".part")
    growing.write_text(json.dumps({"schema": SCHEMA, **plain}, indent=1) + "\n", encoding="utf-8")
    os.replace(growing, path)
    return path


def write_images(folder: Path, tallies: dict[str, TallyResult]) -> list[Path]:
    """Images and volumes also as MetaImage: NAME.mhd and NAME_error.mhd, each with its .raw."""
    written = []
    for name, tally in tallies.items():
        if isinstance(tally.value, float) or tally.value.ndim not in IMAGE_DIMENSIONS:
            continue
        written.append(_write_mhd(folder / f"{name}.mhd", tally.value))
        if isinstance(tally.error, np.ndarray):
            written.append(_write_mhd(folder / f"{name}_error.mhd", tally.error))
    return written


def _write_mhd(path: Path, values: NDArray[np.float64]) -> Path:
    """The last axis is x, as MetaImage has it: the first that varies in the file."""
    raw = path.with_suffix(".raw")
    values.astype("<f8").tofile(raw)
    sizes = " ".join(str(one) for one in reversed(values.shape))
    ones = " ".join("1" for _ in values.shape)
    lines = [
        "ObjectType = Image",
        f"NDims = {values.ndim}",
        "BinaryData = True",
        "BinaryDataByteOrderMSB = False",
        f"ElementSpacing = {ones}",
        f"DimSize = {sizes}",
        "ElementType = MET_DOUBLE",
        f"ElementDataFile = {raw.name}",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path
