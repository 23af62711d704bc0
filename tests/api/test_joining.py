"""Campaigns with no sample in common are merged; all others are refused, in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from manyhands.api import rules
from manyhands.api.campaign import Wishes, run
from manyhands.api.extending import extend
from manyhands.api.joining import NotJoined, join
from manyhands.api.quantities import BadQuantity
from manyhands.runtime.folder import FolderRefused


def campaign(path: Path, seed: int, exact: bool = False, **options: float) -> Path:
    wishes: Wishes = {"seed": seed, "exact": exact, "options": dict(options)}
    run("slab", 5000, pilots=1, out=path, **wishes)
    return path


@pytest.mark.parametrize("exact", [False, True])
def test_two_seeds_make_one_result(tmp_path: Path, exact: bool) -> None:
    folders = [campaign(tmp_path / str(seed), seed, exact) for seed in (1, 2)]
    both = join(folders, tmp_path / "both")
    parts = [json.loads((one / "result.json").read_text()) for one in folders]
    assert both.samples == sum(one["samples"] for one in parts)
    weights = [one["samples"] for one in parts]
    means = [one["tallies"]["absorbed"]["value"] for one in parts]
    assert both["absorbed"].value == pytest.approx(np.average(means, weights=weights), rel=1e-12)
    errors = [one["tallies"]["absorbed"]["error"] for one in parts]
    assert both["absorbed"].error == pytest.approx(np.hypot(*errors) / 2, rel=0.02)
    assert join(folders[::-1], tmp_path / "turned").digest == both.digest
    listed = json.loads((tmp_path / "both" / "result.json").read_text())["parts"]
    assert [one["seed"] for one in listed] == [1, 2]


@pytest.mark.slow
def test_three_are_as_good_as_two_and_one_has_been_extended(tmp_path: Path) -> None:
    folders = [campaign(tmp_path / str(seed), seed) for seed in (1, 2, 3)]
    extend(folders[0], rules.samples(20_000), pilots=1)
    three = join(folders, tmp_path / "three")
    assert three.samples == three["absorbed"].samples >= 30_000
    with pytest.raises(FolderRefused, match="holds no campaign"):
        join([tmp_path / "three", folders[0]], tmp_path / "more")
    with pytest.raises(BadQuantity, match="holds a result already"):
        join(folders, tmp_path / "three")


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    folders = [campaign(tmp_path / str(seed), seed) for seed in (1, 2)]
    (tmp_path / "file").touch()
    with pytest.raises(NotJoined, match="cannot be written"):
        join(folders, tmp_path / "file" / "both")


def test_samples_that_would_count_twice_are_refused(tmp_path: Path) -> None:
    folders = [campaign(tmp_path / name, 1, exact=True) for name in "ab"]
    with pytest.raises(NotJoined, match="in common"):
        join(folders, tmp_path / "both")
    assert not (tmp_path / "both").exists()


def test_other_inputs_are_refused(tmp_path: Path) -> None:
    folders = [campaign(tmp_path / "a", 1), campaign(tmp_path / "b", 2, thickness=3.0)]
    with pytest.raises(NotJoined, match="differ in the options"):
        join(folders, tmp_path / "both")


def test_other_modes_are_refused(tmp_path: Path) -> None:
    folders = [campaign(tmp_path / "a", 1), campaign(tmp_path / "b", 2, exact=True)]
    with pytest.raises(NotJoined, match="only one of"):
        join(folders, tmp_path / "both")


def test_one_folder_is_not_enough(tmp_path: Path) -> None:
    with pytest.raises(BadQuantity, match="two folders"):
        join([tmp_path], tmp_path / "both")
