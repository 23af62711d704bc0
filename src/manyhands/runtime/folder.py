"""A campaign's folder: what lies where, and who may use it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from manyhands.model.checks import Mistake
from manyhands.model.limits import Limits
from manyhands.runtime.brief import BRIEF, Brief
from manyhands.runtime.database_journal import DatabaseJournal
from manyhands.runtime.journal import JournalInUse
from manyhands.runtime.objects import STORE

JOURNAL = "journal.sqlite"
HOSTS = "hosts"  # in the journal's header: on how many pilots a block may fail
HOSTS_PER_BLOCK_MAX = 3
FAILURES_IN_A_ROW_MAX = 10


class FolderRefused(Mistake):
    """A folder cannot be used for what was asked: one line, what and what to do."""


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

    def begin(self, brief: Brief, pilots: int) -> DatabaseJournal:
        """Make it, with what children need to know, and an empty journal."""
        if self.journal.exists():
            raise FolderRefused(
                f"{self.path} holds a campaign already: go on with --resume {self.path}, "
                "or choose another folder with --out"
            )
        try:
            self.store.mkdir(parents=True, exist_ok=True)
            _write(self.path / BRIEF, brief.to_json())
            hosts = min(pilots, HOSTS_PER_BLOCK_MAX)
            return DatabaseJournal(self.journal, {HOSTS: str(hosts)})
        except OSError as error:
            raise FolderRefused(
                f"{self.path} cannot be written ({error.strerror or error}): "
                "choose another folder with --out"
            ) from None

    def resume(self) -> DatabaseJournal:
        """The journal of what was begun here, for whoever is to go on with it."""
        self.brief()
        try:
            return DatabaseJournal(self.journal)
        except JournalInUse:
            raise FolderRefused(
                f"{self.path} is in use: the campaign is still running there"
            ) from None

    def change_brief(self, brief: Brief) -> None:
        """Tell children something else from now on."""
        _write(self.path / BRIEF, brief.to_json())

    def brief(self) -> Brief:
        """What its children know."""
        if not self.journal.is_file() or not (self.path / BRIEF).is_file():
            raise FolderRefused(f"{self.path} holds no campaign: there is no {JOURNAL} in it")
        return Brief.from_json((self.path / BRIEF).read_text(encoding="utf-8"))


def limits_of(about: dict[str, str]) -> Limits:
    """The limits of a pool, by its journal's header: the same whenever it is replayed."""
    if HOSTS not in about:
        return Limits()
    return Limits(
        hosts_per_block_max=int(about[HOSTS]),
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
