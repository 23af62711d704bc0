"""The journal in SQLite: what was committed is there after any end, and nothing else."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.model.events import CampaignCancelled, Event, ObjectDeleted, PilotExited, Ticked
from manyhands.runtime.database_journal import DatabaseJournal, header_of, is_database, read
from manyhands.runtime.journal import JournalDamaged, JournalInUse

EVENTS: list[tuple[float, Event]] = [
    (1.0, Ticked()),
    (1.5, PilotExited(3, 0)),
    (1.5, ObjectDeleted("1/2/ab")),
]

WRITER = """
import sys
from pathlib import Path
from manyhands.model.events import CampaignCancelled
from manyhands.runtime.database_journal import DatabaseJournal
journal = DatabaseJournal(Path(sys.argv[1]))
for number in range(10**6):
    journal.append(float(number), CampaignCancelled(number))
    journal.commit()
    print(number, flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def test_what_was_committed_is_read_again(path: Path) -> None:
    with DatabaseJournal(path, {"folder": "a"}) as journal:
        for now_s, event in EVENTS:
            journal.append(now_s, event)
        journal.commit()
        assert list(journal.records()) == EVENTS
    assert list(read(path)) == EVENTS
    assert header_of(path).about == {"folder": "a"}
    assert is_database(path)


def test_it_goes_on_behind_the_last_record(path: Path) -> None:
    with DatabaseJournal(path, {"n": "1"}) as journal:
        journal.append(*EVENTS[0])
        journal.commit()
    with DatabaseJournal(path, {"n": "2"}) as journal:
        assert journal.header.about == {"n": "1"}
        assert (journal.count, journal.last_s) == (1, 1.0)
        journal.append(*EVENTS[1])
        journal.commit()
    assert list(read(path)) == EVENTS[:2]


def test_what_was_not_committed_is_gone(path: Path) -> None:
    with DatabaseJournal(path) as journal:
        journal.append(*EVENTS[0])
    assert list(read(path)) == []


def test_two_writers_are_one_too_many(path: Path) -> None:
    with DatabaseJournal(path), pytest.raises(JournalInUse, match="in use"):
        DatabaseJournal(path)


def test_time_does_not_go_back(path: Path) -> None:
    with DatabaseJournal(path) as journal:
        journal.append(2.0, Ticked())
        with pytest.raises(AssertionError, match="time goes back"):
            journal.append(1.0, Ticked())


def test_damage_is_said_not_repaired(path: Path) -> None:
    with DatabaseJournal(path) as journal:
        for now_s, event in EVENTS:
            journal.append(now_s, event)
        journal.commit()
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM records WHERE number = 2")
    database.close()
    with pytest.raises(JournalDamaged, match=r"line 2.*missing"):
        list(read(path))
    with sqlite3.connect(path) as database:
        database.execute("UPDATE records SET line = x'00' WHERE number = 3")
    database.close()
    with pytest.raises(JournalDamaged, match="line 3"):
        DatabaseJournal(path)


def test_another_file_is_no_journal(path: Path) -> None:
    path.write_bytes(b"something else entirely" * 100)
    with pytest.raises(JournalDamaged):
        DatabaseJournal(path)
    assert not is_database(path)


def test_a_killed_writer_loses_nothing_that_it_committed(path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        said = [int(writer.stdout.readline()) for _ in range(50)]
        os.kill(writer.pid, signal.SIGKILL)
        said += [int(line) for line in writer.stdout.read().split("\n")[:-1]]
    found = [event for _, event in read(path)]
    assert found[: len(said)] == [CampaignCancelled(number) for number in range(len(said))]
    assert len(said) <= len(found) <= len(said) + 1
    with DatabaseJournal(path) as journal:
        assert journal.count == len(found)
