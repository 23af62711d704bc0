"""Applications that go wrong: one line names the cause, and the status says that it failed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import APPS, run

pytestmark = pytest.mark.slow

BLOCKS = ("--exact", "--block-samples", "100")


def failed(folder: Path, app: str, *words: str) -> str:
    """Why a small run of this failed: one line, in the one object and in the folder."""
    command = ("run", f"{APPS}:{app}", "--samples", "1e7", "--pilots", "1", "--out", folder)
    done = run(*command, *words, "--json")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["ended"] == "failed"
    reason: str = found["reason"]
    assert json.loads((folder / "result.json").read_text())["reason"] == reason
    assert len(reason.splitlines()) == 1
    return reason


@pytest.mark.parametrize(
    ("app", "expected"),
    [
        ("raises", f"ZeroDivisionError: no photons left ({APPS}, line "),
        ("leaves", "SystemExit: enough ("),
        ("not_finite", "numbers that are NaN or infinite"),
        ("nothing", "advance() returned None, but must return a dict"),
        ("a_number", "advance() returned a float, but must return a dict"),
        ("empty", "advance() returned a dict that is empty"),
        ("other_shapes", "advance() returned other tallies than before"),
    ],
)
def test_what_is_returned(app: str, expected: str, tmp_path: Path) -> None:
    assert expected in failed(tmp_path / "run", app)


def test_the_block_that_fails_is_named_with_the_command_that_shows_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    reason = failed(folder, "raises", *BLOCKS)
    assert reason.endswith(f"see it again: manyhands rerun {folder} --block 0")
    again = run("run", "--resume", folder)
    assert again.returncode == 1
    assert reason in again.stdout
    block = run("rerun", folder, "--block", 0, "--json")
    assert block.returncode == 1
    said = json.loads(block.stdout)["error"]
    assert "ZeroDivisionError: no photons" in said
    assert "runtime" not in said  # only lines of the application


def test_processes_that_return_other_shapes_are_not_found_out_in_the_end_only(
    tmp_path: Path,
) -> None:
    """The first result says what all others must be; every second stream fails at once."""
    ends = ("--samples", 1500, "--pilots", 2, "--out", tmp_path, "--json")
    done = run("run", f"{APPS}:shapes_by_stream", *ends)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["samples"] >= 1500
    notes = (tmp_path / "failures.jsonl").read_text().splitlines()
    assert all("advance() returned other tallies than before" in one for one in notes)
    assert notes


def test_fewer_samples_are_counted_as_they_are_in_free_mode(tmp_path: Path) -> None:
    done = run("run", f"{APPS}:fewer", "--samples", 1000, "--out", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["samples"] == found["tallies"]["dose"]["samples"] >= 1000


def test_fewer_samples_are_refused_in_exact_mode(tmp_path: Path) -> None:
    reason = failed(tmp_path / "run", "fewer", *BLOCKS)
    assert "advance() returned 99 of 100 samples: in exact mode it must return them all" in reason


def test_a_process_that_ends_without_a_word(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    expected = f"its process ended without a word: see {folder}/pilots/*/log.txt"
    assert expected in failed(folder, "dies")
    assert list(folder.glob("pilots/*/log.txt"))


def test_a_function_that_never_returns(tmp_path: Path) -> None:
    reason = failed(tmp_path / "run", "silent", "--silence", "1s")
    assert "it computed longer without a word than --silence allows" in reason


@pytest.mark.parametrize("mode", [(), ("--exact",)], ids=["free", "exact"])
def test_an_unknown_tally_is_a_mistake_that_leaves_nothing(
    mode: tuple[str, ...], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    done = run("run", f"{APPS}:good", "--precision", "dosse=1%", "--out", out, *mode, "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "no tally 'dosse': there are dose, other; did you mean 'dose'?" in done.stderr
    assert not out.exists()


def test_a_precision_that_is_not_reached_in_time_says_how_far_it_got(tmp_path: Path) -> None:
    ends = ("--precision", "dose=0.001%", "--deadline", "3s")
    done = run("run", f"{APPS}:slow", *ends, "--out", tmp_path / "run", "--json")
    assert done.returncode == 3, done.stderr
    found = json.loads(done.stdout)
    assert found["ended"] == "partial"
    assert found["samples"] > 0
    assert "before dose to 0.001 %" in found["reason"]
    assert "dose is known to " in found["reason"]
    assert "the rest takes about " in found["reason"]


def test_a_deadline_before_anything_is_stored_is_a_failure(tmp_path: Path) -> None:
    blocks = ("--exact", "--block-samples", "100000")
    ends = ("--samples", "1e9", "--deadline", "1s")
    done = run("run", f"{APPS}:slow", *ends, *blocks, "--out", tmp_path / "run")
    assert done.returncode == 1
    assert "nothing was stored before the limit" in done.stdout
