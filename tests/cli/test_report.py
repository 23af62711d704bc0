"""`manyhands report`: what it prints, and with which status it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import manyhands as mh
from manyhands.api.joining import join
from tests.cli.test_commands import run


@pytest.mark.slow
def test_it_prints_one_json_object_and_makes_the_files(tmp_path: Path) -> None:
    result = mh.run("slab", 10_000, pilots=1, out=tmp_path, seed=1)
    (tmp_path / "report.html").unlink()
    done = run("report", str(tmp_path), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["digest"] == result.digest
    assert (tmp_path / "report.html").is_file()
    done = run("report", str(tmp_path))
    last = done.stdout.rstrip().splitlines()[-1]
    assert last == f"in {tmp_path}: report.html, result.json, result.npz, deposition.png"


@pytest.mark.slow
def test_a_mistake_is_one_line(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "ab"]
    for seed, folder in enumerate(folders):
        mh.run("pi", 1000, pilots=1, out=folder, seed=seed)
    join(folders, tmp_path / "both")
    next(one for one in (folders[0] / "objects").rglob("*") if one.is_file()).unlink()
    for folder, said in (
        (tmp_path / "nowhere", "holds no campaign"),
        (tmp_path / "both", "holds no campaign"),
        (folders[0], "is missing: the files of its result were left as they are"),
    ):
        done = run("report", str(folder))
        assert done.returncode == 2
        assert said in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
