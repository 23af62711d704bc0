"""What the commands print, and with which status they end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.model.campaign import Campaign
from manyhands.model.events import CampaignSubmitted
from manyhands.model.stopping import Samples
from manyhands.runtime.journal import FileJournal

ENTRY = "from manyhands.cli import main; main()"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    command = [sys.executable, "-c", ENTRY, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.slow
def test_the_swarm_prints_one_json_object() -> None:
    done = run("swarm", "--seeds", "0:3", "--workers", "1", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["seeds"] == 3
    assert found["violations"] == 0
    assert found["first_failure"] is None
    assert {"campaigns", "samples", "seconds", "met"} <= set(found)


@pytest.mark.slow
def test_the_swarm_shows_what_was_met_and_ends_with_a_line_for_programs() -> None:
    done = run("swarm", "--seeds", "0:3", "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert "PARTIAL_SUPERSEDED" in done.stdout
    assert done.stdout.rstrip().endswith("3 passed, 0 failed")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("swarm", "--seeds", "5"), "--seeds is '5', but must be A:B"),
        (("swarm", "--seeds", "5:5"), "--seeds is '5:5', but must be A:B"),
        (("swarm", "--workers", "-1"), "--workers is -1, but must be 0 or more"),
        (("swam",), "No such command 'swam'"),
        (("replay", "nowhere"), "nowhere is not a file"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(words: tuple[str, ...], expected: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert expected in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_a_journal_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = FileJournal(path)
    journal.append(1.0, CampaignSubmitted(Campaign(0, "small", 1, Samples(10))))
    journal.commit()
    journal.close()
    done = run("replay", str(path), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["events"] == {"CampaignSubmitted": 1}
    assert found["campaigns"]["small"]["stage"] == "open"


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("hello\n")
    done = run("replay", str(path))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
