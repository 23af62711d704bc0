"""Where events become durable before they are acted upon: append, commit, and read again.

A journal only grows. `append` takes events in the order of time, `commit` makes all of them
durable at once (one fsync for a whole batch). A crash can tear only what was not committed: what
is behind the last good record is cut off when the file is opened again. A bad record in front of a
good one is no crash but damage, and is never repaired silently. `model/records.py` has the lines.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol

from manyhands import __version__
from manyhands.model.codec import Malformed
from manyhands.model.events import Event
from manyhands.model.records import (
    Header,
    header_line,
    is_whole,
    read_header,
    read_record,
    record_line,
    record_time,
)

Record = tuple[float, Event]

RECORD_START = re.compile(rb"(?=[0-9a-f]{8} \{)")  # matches without consuming: starts may overlap


class JournalDamaged(Exception):
    """A journal with a record in it that cannot be right; `line` counts from 1."""

    def __init__(self, path: Path, line: int, offset: int, why: str) -> None:
        super().__init__(path, line, offset, why)
        self.line = line
        self.offset = offset
        self.what = f"{path}: line {line}, at byte {offset}, is damaged: {why}"

    def __str__(self) -> str:
        return self.what


class JournalInUse(Exception):
    """Another process (or this one) writes to the journal already."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f"{self.path} is in use by another writer; a journal has one at a time"


class Journal(Protocol):
    """What the deciding thread needs of a journal."""

    def append(self, now_s: float, event: Event) -> None:
        """Add an event that is not earlier than the last; it is durable after `commit`."""

    def commit(self) -> None:
        """Make durable all that was appended."""

    def records(self) -> Iterator[Record]:
        """All that is durable, from the first."""


class MemoryJournal:
    """A journal that lives as long as its process; for simulation and tests."""

    def __init__(self, about: Mapping[str, str] | None = None) -> None:
        self.lines = [_first_line(about)]
        self._pending: list[bytes] = []
        self._last_s = float("-inf")

    def append(self, now_s: float, event: Event) -> None:
        """Add an event that is not earlier than the last."""
        self._last_s = _later(now_s, self._last_s)
        self._pending.append(record_line(self._last_s, event))

    def commit(self) -> None:
        """Keep what was appended."""
        self.lines += self._pending
        self._pending.clear()

    def records(self) -> Iterator[Record]:
        """All that was committed, from the first."""
        return (read_record(line) for line in self.lines[1:])


class FileJournal:
    """A journal in a file, which it keeps locked; opening it repairs the end that a crash tore.

    `cut_bytes` says how much was torn. After a failed commit nothing more is taken: whoever
    decides must stop and recover from what the disk holds.
    """

    def __init__(self, path: Path, about: Mapping[str, str] | None = None) -> None:
        self.path = path
        self.last_s = float("-inf")
        self.count = 0
        self.cut_bytes = 0
        self._pending: list[bytes] = []
        self._file = _opened(path)
        try:
            self._recover(_first_line(about))
        except BaseException:
            self._file.close()
            raise

    def append(self, now_s: float, event: Event) -> None:
        """Add an event that is not earlier than the last; it is durable after `commit`."""
        assert not self._file.closed, f"{self.path} is closed"
        self.last_s = _later(now_s, self.last_s)
        self._pending.append(record_line(self.last_s, event))

    def commit(self) -> None:
        """Make durable all that was appended, with one fsync."""
        if not self._pending:
            return
        assert not self._file.closed, f"{self.path} is closed"
        try:
            _write_durably(self._file, b"".join(self._pending))
        except OSError:
            # What the disk holds is unknown now, and a second fsync would not tell (it may
            # report success for pages that the first one lost).
            self._file.close()
            raise
        self.count += len(self._pending)
        self._pending.clear()

    def records(self) -> Iterator[Record]:
        """All that is durable, from the first."""
        return read(self.path)

    def close(self) -> None:
        """Unlock the journal; what was not committed is gone."""
        self._file.close()

    def __enter__(self) -> FileJournal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _recover(self, first_line: bytes) -> None:
        """Check every line, cut off a torn end, go on behind the last record."""
        end, last = 0, b""
        for offset, line in _whole_lines(self._file, self.path):
            if end == 0:
                read_header(line)
            else:
                self.count += 1
            end, last = offset + len(line), line
        if end == 0:
            self._begin(first_line)
            return
        self._cut_off(end)
        if self.count:
            self.last_s, _ = _decoded(last, self.path, self.count + 1, end - len(last))

    def _begin(self, first_line: bytes) -> None:
        """Write the header, unless this is somebody else's file."""
        self._file.seek(0)
        rest = self._file.read()
        # Nothing, or what a crash may leave of just this line: a part of it, or zeros.
        if rest.strip(b"\0") and not first_line.startswith(rest):
            raise JournalDamaged(self.path, 1, 0, "this is no journal")
        self._cut_off(0)
        _write_durably(self._file, first_line)
        _sync_folder(self.path.parent)

    def _cut_off(self, end: int) -> None:
        torn_bytes = self._file.seek(0, os.SEEK_END) - end
        if torn_bytes > 0:
            os.ftruncate(self._file.fileno(), end)
            os.fsync(self._file.fileno())
            self.cut_bytes += torn_bytes


def read(path: Path) -> Iterator[Record]:
    """The records of a journal, without writing; one that is being written may have a torn end."""
    with path.open("rb") as file:
        for number, (offset, line) in enumerate(_whole_lines(file, path), start=1):
            if number == 1:
                read_header(line)
            else:
                yield _decoded(line, path, number, offset)


def header_of(path: Path) -> Header:
    """What the first line of a journal says."""
    with path.open("rb") as file:
        for _, line in _whole_lines(file, path):
            return read_header(line)
    raise JournalDamaged(path, 1, 0, "there is no header")


def _first_line(about: Mapping[str, str] | None) -> bytes:
    return header_line(Header(__version__, about=dict(about or {})))


def _later(now_s: float, last_s: float) -> float:
    at_s = record_time(now_s)
    assert at_s >= last_s, f"time goes back: {at_s} after {last_s}"
    return at_s


def _decoded(line: bytes, path: Path, number: int, offset: int) -> Record:
    try:
        return read_record(line)
    except Malformed as error:
        raise JournalDamaged(path, number, offset, str(error)) from None


def _whole_lines(file: BinaryIO, path: Path) -> Iterator[tuple[int, bytes]]:
    """The offsets and lines up to the end or the torn end; JournalDamaged if more follow."""
    offset = 0
    for number, line in enumerate(file, start=1):
        if not is_whole(line):
            if _ends_whole(line) or any(_ends_whole(later) for later in file):
                raise JournalDamaged(path, number, offset, "it has not its checksum")
            return
        yield offset, line
        offset += len(line)


def _ends_whole(line: bytes) -> bool:
    """Whether a record stands at its end, as it does where only the newline before is damaged."""
    return any(is_whole(line[start.start() :]) for start in RECORD_START.finditer(line))


def _opened(path: Path) -> BinaryIO:
    """The file, made if need be, for this writer alone."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    file = os.fdopen(descriptor, "rb")  # to read; to write, past any buffer, there is os.write
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise JournalInUse(path) from None
    return file


def _write_durably(file: BinaryIO, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file.fileno(), rest) :]
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file as durable as the file."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
