"""Campaigns that end when an image is precise, on real processes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from manyhands.api.campaign import run
from manyhands.api.rules import precision
from manyhands.applications.stream import Stream
from manyhands.model.events import PrecisionJudged
from manyhands.model.where import Where
from manyhands.runtime import database_journal
from manyhands.statistics import where
from manyhands.statistics.returned import batch, mean
from manyhands.statistics.where import precise

TARGET = 0.01
LEVELS = np.linspace(0.05, 1.0, 36).reshape(6, 6)


def image(samples: int, stream: Stream) -> dict[str, object]:
    """Independent cells: exponential values, the last cell twenty times the first."""
    values = stream.numpy().exponential(1.0, (samples, 6, 6))
    return {"dose": mean(values * LEVELS)}


def batches(samples: int, stream: Stream) -> dict[str, object]:
    """The mean of correlated values, as a program prints it."""
    return {"mean": batch(samples, np.mean(stream.numpy().random((samples, 2)), axis=0))}


def judged(folder: Path) -> list[PrecisionJudged]:
    """Every look that was taken."""
    records = database_journal.read(folder / "journal.sqlite")
    return [one for _, one in records if isinstance(one, PrecisionJudged)]


@pytest.mark.slow
def test_an_image_ends_when_its_bright_cells_are_precise(tmp_path: Path) -> None:
    result = run(image, precision("dose", TARGET), pilots=2, out=tmp_path, seed=3)
    assert result.ended == "done"
    found = result["dose"]
    value, error = np.asarray(found.value), np.asarray(found.relative_error)
    bright = precise(where.above(0.5), value, error)
    assert 0 < np.count_nonzero(bright) < value.size
    assert judged(tmp_path)[-1].error is not None
    assert judged(tmp_path)[-1].samples <= result.samples


@pytest.mark.slow
def test_batches_end_when_enough_of_them_agree(tmp_path: Path) -> None:
    result = run(batches, precision("mean", 0.001), pilots=2, out=tmp_path, seed=3)
    assert result.ended == "done"
    assert (result["mean"].batches or 0) >= 30


def test_cells_that_are_not_there_end_it_in_one_line(tmp_path: Path) -> None:
    rule = precision("dose", TARGET, where=where.cell(9, 9))
    result = run(image, rule, pilots=1, out=tmp_path)
    assert result.ended == "failed"
    assert "there is no cell (9, 9) in a tally (6, 6)" in result.reason
    assert result.samples > 0


@pytest.mark.slow
@pytest.mark.parametrize("place", [where.above(0.5), where.fraction(0.5)])
def test_the_same_prefix_and_bits_on_any_number_of_pilots(tmp_path: Path, place: Where) -> None:
    found = []
    for pilots in (1, 2, 5):
        folder = tmp_path / str(pilots)
        rule = precision("dose", TARGET / 4, where=place)
        result = run(image, rule, pilots=pilots, out=folder, exact=True, seed=9, block_samples=512)
        looked = [(one.samples, one.error) for one in judged(folder)]
        found.append((result.ended, result.samples, result.digest, looked))
    assert found[0][0] == "done"
    assert len(found[0][3]) >= 3
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
def test_the_error_that_was_asked_for_is_the_one_that_is_there(tmp_path: Path) -> None:
    """In most runs the true deviation agrees with the error, and the error meets the target."""
    precise_runs, deviations = 0, []
    runs = 8
    for seed in range(runs):
        folder = tmp_path / str(seed)
        rule = precision("dose", TARGET, where=where.above(0.5))
        result = run(image, rule, pilots=1, out=folder, exact=True, seed=seed, block_samples=128)
        found = result["dose"]
        value, error = np.asarray(found.value), np.asarray(found.error)
        bright = precise(where.above(0.5), value, error / value)
        precise_runs += bool(np.all(error[bright] / value[bright] <= TARGET))
        deviations.append(((value - LEVELS) / error)[bright])
    assert precise_runs == runs
    squares = np.concatenate(deviations) ** 2
    # The mean of so many squares of normal deviates: 1 ± √(2 / count), five times as wide.
    assert abs(np.mean(squares) - 1) < 5 * np.sqrt(2 / squares.size)
