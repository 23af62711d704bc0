"""A folder whose campaign is still running, and a campaign that is interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.model.events import MessageReceived
from manyhands.runtime import database_journal
from tests.cli.command import APPS, ENTRY, run


def stored(folder: Path) -> bool:
    """Whether a pilot has said anything yet."""
    journal = folder / "journal.sqlite"
    if not journal.is_file() or not journal.stat().st_size:
        return False
    return any(isinstance(event, MessageReceived) for _, event in database_journal.read(journal))


@pytest.mark.slow
def test_one_at_a_time_and_an_interrupt_keeps_what_there_is(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = ["run", f"{APPS}:slow", "--samples", "1e9", "--pilots", "1", "--out", str(folder)]
    process = subprocess.Popen(
        [sys.executable, "-c", ENTRY, *words, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        while not stored(folder):
            assert process.poll() is None
        for again in (
            ("run", "--resume", folder),
            ("run", f"{APPS}:slow", "--samples", "10", "--out", folder),
            ("extend", folder, "--samples", "+10"),
            ("merge", folder, folder, "--out", tmp_path / "both"),
        ):
            refused = run(*again)
            assert refused.returncode == 2, refused.stderr
            assert len(refused.stderr.splitlines()) == 1
            assert "in use" in refused.stderr or "--resume" in refused.stderr
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    found = json.loads(out)
    assert (found["ended"], found["reason"]) == ("interrupted", "interrupted")
    assert found["samples"] == found["tallies"]["dose"]["samples"] > 0
