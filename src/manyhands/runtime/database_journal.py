"""The journal of a real campaign: one SQLite file, whole after any crash.

Records are the same lines as everywhere (`model/records.py`), keyed by their number. SQLite's
write-ahead log with full synchronisation makes a commit durable, power loss included; a crash in
the middle of one leaves what was before it. Others may read while one writes.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType

from manyhands import __version__
from manyhands.model.codec import Malformed
from manyhands.model.events import Event
from manyhands.model.records import (
    Header,
    header_line,
    read_header,
    read_record,
    record_line,
    record_time,
)
from manyhands.runtime.journal import JournalDamaged, JournalInUse, Record

SCHEMA = """
CREATE TABLE IF NOT EXISTS header (line BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS records (number INTEGER PRIMARY KEY, line BLOB NOT NULL);
"""
NOT_YET = "no such table"  # said of a journal that is just being made: it has no records yet
LOCK_SUFFIX = ".lock"


class JournalFailed(OSError):
    """The disk did not take an event; whoever decides must stop, and recover from the file."""


class DatabaseJournal:
    """A journal in a SQLite file, which one writer at a time keeps locked."""

    def __init__(
        self, path: Path, about: Mapping[str, str] | None = None, lock: int | None = None
    ) -> None:
        """Open it; `lock`: what `locked` gave to whoever wants it."""
        self.path = path
        self.count = 0
        self.last_s = float("-inf")
        self._pending: list[tuple[int, bytes]] = []
        self._lock = locked(path) if lock is None else lock
        try:
            self._database = _opened(path, writes=True)
            self.header = self._begun(about)
        except BaseException:
            if lock is None:
                os.close(self._lock)
            raise

    def append(self, now_s: float, event: Event) -> None:
        """Add an event that is not earlier than the last; it is durable after `commit`."""
        at_s = record_time(now_s)
        assert at_s >= self.last_s, f"time goes back: {at_s} after {self.last_s}"
        line = record_line(at_s, event)
        self.last_s = at_s
        self.count += 1
        self._pending.append((self.count, line))

    def commit(self) -> None:
        """Make durable all that was appended, at once."""
        if not self._pending:
            return
        try:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany("INSERT INTO records VALUES (?, ?)", self._pending)
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            raise JournalFailed(f"{self.path}: {error}") from error
        self._pending.clear()

    def records(self) -> Iterator[Record]:
        """All that is durable, from the first."""
        return read(self.path)

    def close(self) -> None:
        """Let go of the file; what was not committed is gone."""
        self._database.close()
        os.close(self._lock)

    def __enter__(self) -> DatabaseJournal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _begun(self, about: Mapping[str, str] | None) -> Header:
        """The header, written if there is none; and where the records end."""
        database = self._database
        try:
            database.executescript(SCHEMA)
            found = database.execute("SELECT line FROM header").fetchone()
            if found is None:
                line = header_line(Header(__version__, about=dict(about or {})))
                database.execute("INSERT INTO header VALUES (?)", (line,))
            else:
                line = found[0]
            last = database.execute(
                "SELECT number, line FROM records ORDER BY number DESC LIMIT 1"
            ).fetchone()
        except sqlite3.DatabaseError as error:
            raise JournalDamaged(self.path, 1, 0, str(error)) from None
        if last is not None:
            self.count = last[0]
            self.last_s, _ = _decoded(last[1], self.path, self.count)
        return _header(line, self.path)


def read(path: Path) -> Iterator[Record]:
    """The records of a journal, without writing; somebody may be writing to it."""
    database = _opened(path, writes=False)
    try:
        lines = database.execute("SELECT number, line FROM records ORDER BY number")
        for expected, (number, line) in enumerate(lines, start=1):
            if number != expected:
                raise JournalDamaged(path, expected, 0, "the record is missing")
            yield _decoded(line, path, number)
    except sqlite3.OperationalError as error:
        if NOT_YET not in str(error):
            raise JournalDamaged(path, 1, 0, str(error)) from None
    except sqlite3.DatabaseError as error:
        raise JournalDamaged(path, 1, 0, str(error)) from None
    finally:
        database.close()


def header_of(path: Path) -> Header:
    """Who wrote a journal, and what it is about."""
    database = _opened(path, writes=False)
    try:
        found = database.execute("SELECT line FROM header").fetchone()
    except sqlite3.DatabaseError as error:
        raise JournalDamaged(path, 1, 0, str(error)) from None
    finally:
        database.close()
    if found is None:
        raise JournalDamaged(path, 1, 0, "there is no header")
    return _header(found[0], path)


def count_of(path: Path) -> int:
    """How many records there are by now."""
    database = _opened(path, writes=False)
    try:
        found = database.execute("SELECT max(number) FROM records").fetchone()
    except sqlite3.DatabaseError as error:
        if NOT_YET in str(error):
            return 0
        raise JournalDamaged(path, 1, 0, str(error)) from None
    finally:
        database.close()
    return found[0] or 0


def in_use(path: Path) -> bool:
    """Whether somebody writes to a journal just now."""
    try:
        descriptor = os.open(path.with_name(path.name + LOCK_SUFFIX), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def is_database(path: Path) -> bool:
    """Whether this is a SQLite file, by its first bytes."""
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _opened(path: Path, writes: bool) -> sqlite3.Connection:
    if not writes and not path.exists():
        raise FileNotFoundError(path)
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        if writes:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
        else:
            database.execute("PRAGMA query_only = ON")
    except sqlite3.DatabaseError as error:
        database.close()
        raise JournalDamaged(path, 1, 0, str(error)) from None
    return database


def locked(path: Path) -> int:
    """Keep others from a journal, which need not be there yet, until this descriptor is closed."""
    descriptor = os.open(
        path.with_name(path.name + LOCK_SUFFIX), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644
    )
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise JournalInUse(path) from None
    return descriptor


def _decoded(line: bytes, path: Path, number: int) -> Record:
    try:
        return read_record(line)
    except Malformed as error:
        raise JournalDamaged(path, number, 0, str(error)) from None


def _header(line: bytes, path: Path) -> Header:
    try:
        return read_header(line)
    except Malformed as error:
        raise JournalDamaged(path, 1, 0, str(error)) from None
