"""The files of a folder made anew: the same again, while it runs, and never instead of better."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manyhands as mh
from manyhands.api.joining import join
from manyhands.api.remaking import ObjectsLost, remake
from manyhands.api.running import Wish, go_on, start
from manyhands.control.state import State
from manyhands.model.commands import Command
from manyhands.model.events import Event
from manyhands.runtime.folder import FolderRefused
from tests.analysis import pages, tallied

MADE = ("result.json", "result.npz", "methods.json", "report.html")


class Once:
    """Does something as soon as a part of the answer is stored."""

    def __init__(self, act: Any) -> None:
        self.act: Any = act
        self.found: Any = None

    def stop(self) -> None:
        """Never mind."""

    def decided(self, now_s: float, event: Event, commands: list[Command], state: State) -> None:
        if self.act is not None and any(one.stored for one in state.campaigns.values()):
            act, self.act = self.act, None
            self.found = act()


def plain_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("exact", [False, True])
def test_it_makes_the_same_again(tmp_path: Path, exact: bool) -> None:
    result = mh.run("slab", 20_000, pilots=2, out=tmp_path, seed=1, exact=exact)
    first, picture = plain_of(tmp_path), (tmp_path / "deposition.png").read_bytes()
    methods = (tmp_path / "methods.json").read_text(encoding="utf-8")
    for name in (*MADE, "deposition.png"):
        (tmp_path / name).unlink()
    again = remake(tmp_path)
    second = plain_of(tmp_path)
    assert second.pop("seconds") == pytest.approx(first.pop("seconds"), abs=2.0)
    assert second == first
    assert again.digest == result.digest
    assert (tmp_path / "deposition.png").read_bytes() == picture
    assert (tmp_path / "methods.json").read_text(encoding="utf-8") == methods
    with np.load(tmp_path / "result.npz") as archive:
        np.testing.assert_array_equal(archive["deposition"], np.asarray(result["deposition"].value))


def test_a_campaign_may_be_looked_at_while_it_runs(tmp_path: Path) -> None:
    look = Once(lambda: remake(tmp_path))
    wish = Wish(tallied.slow, 60_000, pilots=2, out=tmp_path, exact=True, block_samples=500)
    result = start(wish, [look])
    assert look.found is not None
    assert look.found.ended == "running"
    assert 0 < look.found.samples < result.samples
    assert plain_of(tmp_path)["samples"] == result.samples
    assert plain_of(tmp_path)["ended"] == "done"


@pytest.mark.slow
def test_an_interrupted_campaign_has_a_report_that_goes_on(tmp_path: Path) -> None:
    stop = Once(lambda: signal.raise_signal(signal.SIGINT))
    wish = Wish(tallied.slow, 160_000, pilots=2, out=tmp_path, exact=True, block_samples=500)
    result = start(wish, [stop])
    assert result.ended == "interrupted"
    told = pages.read(tmp_path / "report.html")
    assert "The campaign was interrupted." in told.text
    assert f"manyhands run --resume {tmp_path}" in told.text
    assert remake(tmp_path).samples == result.samples
    ended = go_on(tmp_path, pilots=1)
    assert ended.ended == "done"
    told = pages.read(tmp_path / "report.html")
    assert not told.faults
    assert "begun again (the pause is left out)" in told.text


def test_a_lost_object_leaves_the_files_as_they_are(tmp_path: Path) -> None:
    mh.run("pi", 10_000, pilots=1, out=tmp_path)
    before = (tmp_path / "result.json").read_bytes()
    next(one for one in (tmp_path / "objects").rglob("*") if one.is_file()).unlink()
    with pytest.raises(ObjectsLost, match="is missing"):
        remake(tmp_path)
    assert (tmp_path / "result.json").read_bytes() == before


@pytest.mark.slow
def test_a_report_that_cannot_be_written_costs_no_result(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir(parents=True)
    result = mh.run("pi", 10_000, pilots=1, out=tmp_path)
    assert result.ended == "done"
    assert result.samples >= 10_000
    assert result.unwritten.startswith("not all could be written: ")
    assert plain_of(tmp_path)["digest"] == result.digest


@pytest.mark.slow
def test_an_extended_campaign_tells_of_both_sessions(tmp_path: Path) -> None:
    from manyhands.api.extending import extend

    first = mh.run("slab", 20_000, pilots=1, out=tmp_path, seed=1)
    second = extend(tmp_path, mh.samples(first.samples + 20_000), pilots=1)
    methods = json.loads((tmp_path / "methods.json").read_text(encoding="utf-8"))
    assert methods["faults"]["sessions"] == 2
    assert methods["faults"]["pilots_that_broke_off"] == 0
    assert methods["samples"]["merged"] == second.samples
    assert methods["samples"]["simulated"] >= second.samples


@pytest.mark.slow
def test_merged_folders_have_pictures_and_a_report(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "ab"]
    for seed, folder in enumerate(folders):
        mh.run("slab", 10_000, pilots=1, out=folder, seed=seed)
    join(folders, tmp_path / "both")
    told = pages.read(tmp_path / "both" / "report.html")
    assert not told.faults
    assert "part 2" in told.text
    assert (tmp_path / "both" / "deposition.png").is_file()


def test_where_there_is_no_campaign_there_is_no_report(tmp_path: Path) -> None:
    with pytest.raises(FolderRefused, match="holds no campaign"):
        remake(tmp_path)
