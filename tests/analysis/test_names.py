"""Names of files and arrays: safe, and no two the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.analysis.files import write_archive, write_images
from manyhands.analysis.names import EDGES, ERROR, SAMPLES, UNSAFE, names_of
from manyhands.statistics.forms import Kind
from manyhands.statistics.results import TallyResult


@pytest.mark.parametrize("name", ["dose", "dose_map", "a.b", "x+y", "energy-2"])
def test_a_safe_name_stays(name: str) -> None:
    assert names_of([name])[name].file == name
    assert names_of([name])[name].array == name


@pytest.mark.parametrize("name", ["<b>x", "..", ".hidden", "-rf", "a\\b", "é", "result", "x" * 200])
def test_an_unsafe_name_is_replaced(name: str) -> None:
    file = names_of([name])[name].file
    assert file != name
    assert not UNSAFE.search(file)
    assert file[0] not in ".-" or len(file) > 8
    assert len(file) < 100


@given(st.lists(st.text("aA_<.eroxdgs", min_size=1, max_size=9), unique=True, max_size=6))
def test_no_two_tallies_share_a_file_or_an_array(tallies: list[str]) -> None:
    tallies = tallies + [f"{one}{ERROR}" for one in tallies[:2] if f"{one}{ERROR}" not in tallies]
    names = names_of([*tallies, SAMPLES])
    files = [f"{one.file}{end}".lower() for one in names.values() for end in ("", ERROR)]
    arrays = [f"{one.array}{end}" for one in names.values() for end in ("", ERROR, EDGES)]
    assert len(set(files)) == len(files)
    assert len(set(arrays) | {SAMPLES}) == len(arrays) + 1


def test_a_tally_may_be_called_file_samples_or_another_ones_error(tmp_path: Path) -> None:
    names = ["file", "samples", "dose", "dose_error"]
    tallies = {
        name: TallyResult(Kind.MEAN, 9, np.full((2, 2), float(i)), np.full((2, 2), 0.5))
        for i, name in enumerate(names)
    }
    write_archive(tmp_path / "result.npz", tallies, 9)
    with np.load(tmp_path / "result.npz", allow_pickle=False) as archive:
        assert int(archive[SAMPLES]) == 9
        for i, name in enumerate(names):
            array = names_of(names)[name].array
            assert np.all(archive[array] == i)
            assert np.all(archive[array + ERROR] == 0.5)
    assert len({path.name for path in write_images(tmp_path, tallies)}) == 2 * len(names)
