"""A campaign's folder: what lies where, and who may use it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from manyhands.model.checks import Broken, Mistake
from manyhands.model.coverage import Overlap
from manyhands.model.limits import Limits
from manyhands.model.malformed import Malformed, sentence
from manyhands.model.records import SchemaRefused
from manyhands.runtime.brief import Brief
from manyhands.runtime.database_journal import LOCK_SUFFIX, DatabaseJournal, count_of, locked
from manyhands.runtime.journal import JournalDamaged, JournalInUse
from manyhands.runtime.layout import BRIEF, FAILURES, FORMS, JOURNAL, KEPT, PILOTS, STORE
from manyhands.runtime.leftovers import sweep
from manyhands.runtime.machine import machine
from manyhands.runtime.objects import Torn

HOSTS = "hosts"  # in the journal's header: on how many pilots a block may fail
REPORTS = "reports"  # there: how many reports a pilot makes, besides telling what it stored
HOSTS_PER_BLOCK_MAX = 3
FAILURES_IN_A_ROW_MAX = 10
REPORTS_PER_CAMPAIGN = 40  # in the cores that compute, few


class FolderRefused(Mistake):
    """A folder cannot be used for what was asked: one line, what and what to do."""


class FolderDamaged(Broken):
    """What lies in a folder is not what was put there: one line says which of it."""


def said_of(error: Exception) -> str:
    """What went wrong with a file, without its name."""
    return getattr(error, "strerror", None) or sentence(error)


@contextmanager
def undamaged(path: Path) -> Iterator[None]:
    """While a folder is read: what is found damaged becomes one line."""
    from manyhands.statistics.tallies import MergeRefused  # not where a run starts: it takes time

    try:
        yield
    except Torn as torn:
        how = "missing" if torn.missing else "damaged"
        raise FolderDamaged(f"{path} is damaged: its object {torn.name} is {how}") from torn
    except JournalDamaged as damage:
        raise FolderDamaged(f"{path} is damaged: {damage}") from damage
    except (Malformed, SchemaRefused, Overlap, MergeRefused) as fault:
        raise FolderDamaged(f"{path} is damaged: {sentence(fault)}") from fault


@contextmanager
def room_in(path: Path) -> Iterator[None]:
    """While a campaign's folder is written to: what the disk refuses becomes one line."""
    try:
        yield
    except OSError as error:
        raise Broken(
            f"{path} cannot be written ({error.strerror or error}); what was stored is kept: "
            f"make room, then manyhands run --resume {path}"
        ) from error


@dataclass(frozen=True, slots=True)
class Folder:
    """Where one campaign lives."""

    path: Path

    @property
    def store(self) -> Path:
        """Its objects."""
        return self.path / STORE

    @property
    def journal(self) -> Path:
        """Everything that became known."""
        return self.path / JOURNAL

    def claim(self) -> int:
        """Make it, for a new campaign of which nothing is known yet; its lock, for `begin`."""
        self._require_ours()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = locked(self.journal)
        except OSError as error:
            raise self._unwritable(error) from None
        except JournalInUse:
            raise self._in_use() from None
        try:
            self._make_empty()
            self.store.mkdir(exist_ok=True)
        except OSError as error:
            os.close(lock)
            raise self._unwritable(error) from None
        except BaseException:
            os.close(lock)
            raise
        return lock

    def _require_ours(self) -> None:
        """What is cleared away later must not be the user's own files."""
        if self.journal.with_name(JOURNAL + LOCK_SUFFIX).exists():
            return
        for name in (STORE, PILOTS, KEPT):
            if any((self.path / name).glob("*")):
                raise FolderRefused(
                    f"{self.path} has a folder {name!r} that is no campaign's: "
                    "choose another folder with --out"
                )

    def _make_empty(self) -> None:
        """Remove what a run left that was killed before it began; refuse to if one had begun."""
        try:
            begun = self.journal.exists() and count_of(self.journal) > 0
        except JournalDamaged:
            begun = True
        if begun:
            raise FolderRefused(
                f"{self.path} holds a campaign already: go on with --resume {self.path}, "
                "or choose another folder with --out"
            )
        for pilot in (self.path / PILOTS).glob("*"):
            sweep(pilot)
        shutil.rmtree(self.path / PILOTS, ignore_errors=True)
        for name in (JOURNAL, f"{JOURNAL}-wal", f"{JOURNAL}-shm", BRIEF):
            (self.path / name).unlink(missing_ok=True)

    def begin(self, brief: Brief, pilots: int, lock: int) -> DatabaseJournal:
        """Tell children what they need to know, and begin an empty journal."""
        try:
            _write(self.path / BRIEF, brief.to_json())
            hosts = min(pilots, HOSTS_PER_BLOCK_MAX)
            about = {HOSTS: str(hosts), REPORTS: str(REPORTS_PER_CAMPAIGN), **machine()}
            return DatabaseJournal(self.journal, about, lock)
        except (OSError, JournalDamaged) as error:
            raise self._unwritable(error) from None

    def resume(self) -> DatabaseJournal:
        """The journal of what was begun here, for whoever is to go on with it."""
        self.brief()
        try:
            return DatabaseJournal(self.journal)
        except JournalInUse:
            raise self._in_use() from None

    def give_up(self, lock: int | None = None) -> None:
        """Take away what was begun here in vain; whatever else is in the folder stays."""
        for name in (STORE, PILOTS, KEPT):
            shutil.rmtree(self.path / name, ignore_errors=True)
        for path in [
            *self.path.glob(f"{JOURNAL}*"),
            *(self.path / one for one in (BRIEF, FAILURES, FORMS)),
        ]:
            path.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)
        for folder in (self.path, self.path.parent):
            try:
                folder.rmdir()
            except OSError:
                return  # there is more in it

    def change_brief(self, brief: Brief) -> None:
        """Tell children something else from now on."""
        _write(self.path / BRIEF, brief.to_json())

    def _in_use(self) -> FolderRefused:
        return FolderRefused(f"{self.path} is in use: the campaign is still running there")

    def _unwritable(self, error: Exception) -> FolderRefused:
        return FolderRefused(
            f"{self.path} cannot be written ({said_of(error)}): choose another folder with --out"
        )

    def brief(self) -> Brief:
        """What its children know."""
        if not self.journal.is_file() or not (self.path / BRIEF).is_file():
            raise FolderRefused(f"{self.path} holds no campaign: there is no {JOURNAL} in it")
        try:
            return Brief.from_json((self.path / BRIEF).read_text(encoding="utf-8"))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FolderDamaged(f"{self.path} is damaged: {BRIEF}: {said_of(error)}") from error


def limits_of(about: dict[str, str]) -> Limits:
    """The limits of a pool, by its journal's header: the same whenever it is replayed."""
    if HOSTS not in about:
        return Limits()
    return Limits(
        hosts_per_block_max=int(about[HOSTS]),
        reports_per_campaign=int(about.get(REPORTS, Limits.reports_per_campaign)),
        failures_in_a_row_max=FAILURES_IN_A_ROW_MAX,
    )


def _write(path: Path, text: str) -> None:
    """A file that is whole or not there, whatever happens."""
    growing = path.with_name(path.name + ".part")
    with growing.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(growing, path)
