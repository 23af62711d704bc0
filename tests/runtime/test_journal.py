"""What was committed is read again, whatever happened to the process in between."""

from __future__ import annotations

import resource
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands import __version__
from manyhands.model.codec import Malformed, dump
from manyhands.model.events import Event, MessageReceived, Ticked
from manyhands.model.facts import TaskProgressed
from manyhands.model.records import (
    SchemaRefused,
    framed,
    is_whole,
    read_record,
    record_line,
)
from manyhands.runtime.journal import (
    FileJournal,
    Journal,
    JournalDamaged,
    JournalInUse,
    MemoryJournal,
    header_of,
    read,
)
from tests.strategies import values_of

RECORDS: list[tuple[float, Event]] = [
    (1.25, Ticked()),
    (2.5, MessageReceived(1, 0, 1, (TaskProgressed(2, 3, 4),))),
    (2.5, MessageReceived(1, 0, 2, ())),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal"


def _fill(journal: Journal, records: list[tuple[float, Event]] = RECORDS) -> None:
    for now_s, event in records:
        journal.append(now_s, event)
    journal.commit()


def _written(path: Path) -> bytes:
    with FileJournal(path) as journal:
        _fill(journal)
    return path.read_bytes()


def test_memory_and_file_hold_the_same_lines(path: Path) -> None:
    memory = MemoryJournal()
    _fill(memory)
    assert _written(path) == b"".join(memory.lines)
    assert list(memory.records()) == list(read(path)) == RECORDS


def test_a_line_can_be_read_by_anybody(path: Path) -> None:
    record = b'{"at":1.25,"type":"Ticked","body":{}}'
    assert _written(path).splitlines()[1] == b"%08x %s" % (zlib.crc32(record), record)


def test_the_first_line_says_who_wrote_it(path: Path) -> None:
    FileJournal(path, {"seed": "42"}).close()
    header = header_of(path)
    assert (header.schema, header.software) == (1, __version__)
    assert header.about == {"seed": "42"}


@settings(max_examples=50, deadline=None)
@given(st.floats(0, 4e9), values_of(Event))
def test_every_event_comes_back_with_its_time(now_s: float, event: Event) -> None:
    assert read_record(record_line(now_s, event)) == (round(now_s, 6), event)


def test_only_what_was_committed_is_there(path: Path) -> None:
    with FileJournal(path) as journal:
        _fill(journal)
        journal.append(3.0, Ticked())
        assert list(journal.records()) == RECORDS
    assert list(read(path)) == RECORDS
    memory = MemoryJournal()
    memory.append(1.0, Ticked())
    assert not list(memory.records())


def test_a_journal_goes_on_where_it_ended(path: Path) -> None:
    _written(path)
    with FileJournal(path) as journal:
        assert (journal.count, journal.last_s, journal.cut_bytes) == (3, 2.5, 0)
        _fill(journal, [(7.0, Ticked())])
        assert journal.count == 4
    assert list(read(path)) == [*RECORDS, (7.0, Ticked())]


def test_a_record_torn_at_any_byte_is_cut_off(path: Path) -> None:
    whole = _written(path)
    last = len(whole.splitlines(keepends=True)[-1])
    for torn in range(1, last):
        path.write_bytes(whole[: len(whole) - torn])
        assert list(read(path)) == RECORDS[:2]
        with FileJournal(path) as journal:
            assert (journal.count, journal.cut_bytes) == (2, last - torn)
            _fill(journal, [(9.0, Ticked())])
        assert list(read(path)) == [*RECORDS[:2], (9.0, Ticked())]


@pytest.mark.parametrize("garbage", [b"\0" * 5000, b"\0\n\0\n", b"00000000 {}\n", b"\xff" * 9])
def test_garbage_behind_the_last_record_is_cut_off(path: Path, garbage: bytes) -> None:
    path.write_bytes(_written(path) + garbage)
    assert list(read(path)) == RECORDS
    with FileJournal(path) as journal:
        assert journal.cut_bytes == len(garbage)
    assert list(read(path)) == RECORDS


def test_any_changed_byte_before_the_last_record_is_damage(path: Path) -> None:
    whole = _written(path)
    last_start = len(whole) - len(whole.splitlines(keepends=True)[-1])
    for at in range(last_start):
        changed = bytearray(whole)
        changed[at] ^= 1
        path.write_bytes(changed)
        with pytest.raises(JournalDamaged):
            FileJournal(path)
        with pytest.raises(JournalDamaged):
            list(read(path))
        assert path.read_bytes() == changed


def test_damage_is_named_by_line_and_offset(path: Path) -> None:
    lines = _written(path).splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:-5] + lines[1][-1:] + lines[2])
    with pytest.raises(JournalDamaged) as caught:
        FileJournal(path)
    assert (caught.value.line, caught.value.offset) == (2, len(lines[0]))
    assert "\n" not in str(caught.value)


def test_a_record_of_unknown_content_is_damage_though_its_checksum_is_right(path: Path) -> None:
    unknown = framed(b'{"at":3.0,"type":"Tocked","body":{}}')
    path.write_bytes(_written(path) + unknown)
    with pytest.raises(JournalDamaged, match=r"line 5, at byte .*type is 'Tocked'"):
        FileJournal(path)
    with pytest.raises(JournalDamaged):
        list(read(path))


def test_another_schema_is_refused(path: Path) -> None:
    path.write_bytes(framed(dump({"schema": 2, "software": "9.9", "more": 1})))
    for refused in (lambda: FileJournal(path), lambda: list(read(path)), lambda: header_of(path)):
        with pytest.raises(SchemaRefused, match=r"schema 2, written by version '9\.9'"):
            refused()


@pytest.mark.parametrize("text", [b"Dear diary,\n", b"x", b"\n\n\n", b"\0\0x"])
def test_a_file_that_is_no_journal_is_left_alone(path: Path, text: bytes) -> None:
    path.write_bytes(text)
    with pytest.raises(JournalDamaged, match="no journal"):
        FileJournal(path)
    assert path.read_bytes() == text


def test_a_crash_while_the_journal_is_made_does_no_harm(path: Path) -> None:
    FileJournal(path).close()
    header = path.read_bytes()
    for left in [header[:end] for end in range(len(header))] + [b"\0" * 100]:
        path.write_bytes(left)
        with FileJournal(path) as journal:
            _fill(journal)
        assert list(read(path)) == RECORDS


def test_a_journal_has_one_writer(path: Path) -> None:
    with FileJournal(path) as journal:
        with pytest.raises(JournalInUse, match="one at a time"):
            FileJournal(path)
        _fill(journal)
        assert list(read(path)) == RECORDS
    FileJournal(path).close()


def test_time_does_not_go_back(path: Path) -> None:
    _written(path)
    memory = MemoryJournal()
    _fill(memory)
    with FileJournal(path) as journal:
        for one in (journal, memory):
            with pytest.raises(AssertionError, match="time goes back"):
                one.append(2.4, Ticked())
            one.append(2.4999999, Ticked())  # the same microsecond


def test_after_a_failed_commit_nothing_more_is_taken(path: Path) -> None:
    whole = _written(path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with FileJournal(path) as journal:
        for number in range(1000):
            journal.append(3.0 + number, Ticked())
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 100, limits[1]))
        try:
            with pytest.raises(OSError, match="too large"):
                journal.commit()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        with pytest.raises(AssertionError, match="closed"):
            journal.commit()
    with FileJournal(path) as journal:  # what reached the disk whole may stay: no one was told
        assert journal.count >= len(RECORDS)
        assert list(journal.records())[:3] == RECORDS


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_line_is_read_or_refused(line: bytes) -> None:
    assert not is_whole(line)
    with pytest.raises(Malformed):
        read_record(line)
    with pytest.raises(Malformed):
        read_record(framed(line))
