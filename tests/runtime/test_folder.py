"""A campaign's folder before there is a campaign in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.runtime.database_journal import LOCK_SUFFIX
from manyhands.runtime.folder import Folder, FolderRefused
from manyhands.runtime.layout import BRIEF, JOURNAL, KEPT, PILOTS, STORE


def test_what_is_claimed_is_refused_to_others(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "run")
    lock = folder.claim()
    pilot = folder.path / PILOTS / "0"
    pilot.mkdir(parents=True)
    with pytest.raises(FolderRefused, match="in use"):
        folder.claim()
    assert pilot.is_dir()  # those of the first are left alone
    folder.give_up(lock)
    folder.give_up(folder.claim())  # it is free again


def test_nothing_is_left_of_what_was_given_up(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "runs" / "run")
    folder.give_up(folder.claim())
    assert not list(tmp_path.iterdir())


def test_what_others_have_there_stays(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "run")
    folder.path.mkdir()
    theirs = folder.path / "notes.txt"
    theirs.touch()
    folder.give_up(folder.claim())
    assert list(folder.path.iterdir()) == [theirs]


def test_what_a_run_left_that_was_killed_at_its_start_is_removed(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    (tmp_path / PILOTS / "0" / "child-0-1").mkdir(parents=True)
    (tmp_path / BRIEF).touch()
    folder.journal.with_name(JOURNAL + LOCK_SUFFIX).touch()  # it was a run of ours
    lock = folder.claim()
    assert not (tmp_path / PILOTS).exists()
    assert not (tmp_path / BRIEF).exists()
    folder.give_up(lock)


@pytest.mark.parametrize("name", [STORE, PILOTS, KEPT])
def test_folders_of_others_are_not_taken_for_ours(tmp_path: Path, name: str) -> None:
    theirs = tmp_path / name / "precious.txt"
    theirs.parent.mkdir()
    theirs.touch()
    with pytest.raises(FolderRefused, match=f"has a folder {name!r} that is no campaign's"):
        Folder(tmp_path).claim()
    assert theirs.exists()
    assert [one.name for one in tmp_path.iterdir()] == [name]
