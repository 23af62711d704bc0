"""A disk that takes no more: one line, status 1, and what was stored is gone on with later.

The limit is on the size of a file, which the kernel enforces on every process of the run; a small
file system of their own would need an administrator.
"""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from manyhands.runtime import database_journal
from tests.cli.command import APPS, run

pytestmark = pytest.mark.slow


def no_file_above(kilobytes: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes << 10, kilobytes << 10))

    return limit


def test_the_journal_cannot_grow(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    ends = ("--samples", "1e12", "--pilots", "1", "--seed", "1", "--out", folder, "--json")
    done = run("run", f"{APPS}:good", *ends, before=no_file_above(100))
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    reason = json.loads(done.stdout)["reason"]
    assert "the journal cannot be written" in reason
    assert reason.endswith(f"make room, then manyhands run --resume {folder}")
    events = len(list(database_journal.read(folder / "journal.sqlite")))
    assert events > 10
    # And it goes on: what was stored before counts.
    before = json.loads((folder / "result.json").read_text())["samples"]
    again = run("run", "--resume", folder, "--pilots", 1, before=no_file_above(200))
    assert again.returncode == 1
    assert json.loads((folder / "result.json").read_text())["samples"] >= before > 0
    assert run("verify", folder).returncode == 0


def test_objects_and_results_cannot_be_stored(tmp_path: Path) -> None:
    """At 100 kB objects of 320 kB are refused; at 400 the archive of 640; then all is there."""
    folder = tmp_path / "run"
    ends = ("--samples", "40", "--pilots", "1", "--out", folder, "--json")
    done = run("run", f"{APPS}:many_bins", *ends, before=no_file_above(100))
    assert done.returncode == 1, done.stderr
    assert "make room, then manyhands run --resume" in json.loads(done.stdout)["reason"]
    assert "Traceback" not in done.stderr
    stored = [one for one in (folder / "objects").rglob("*") if one.is_file()]
    assert all(one.suffix == ".part" for one in stored)
    full = run("run", "--resume", folder, "--json", before=no_file_above(400))
    assert full.returncode == 1, full.stdout
    said = json.loads(full.stdout)
    assert said["samples"] >= 40  # the answer is known, if not in a file
    assert said["unwritten"] == "not all could be written: File too large"
    done = run("run", "--resume", folder, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["samples"] >= 40
    assert (folder / "result.npz").is_file()
