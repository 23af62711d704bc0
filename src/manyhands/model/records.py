"""The lines of a journal: one record each, in memory and in a file alike.

A line is the CRC-32 of its JSON in eight hexadecimal digits, a space, the JSON, a newline. The
first line is the header; every other one holds a time and the event that became known at it.
"""

from __future__ import annotations

from binascii import crc32
from dataclasses import dataclass, field
from typing import Any

from manyhands.model.codec import (
    SCHEMA_VERSION,
    SIZE_BYTES_MAX,
    Malformed,
    dump,
    encode,
    from_plain,
    parse,
    to_plain,
)
from manyhands.model.events import Event

TIME_DIGITS = 6  # the pool's clock counts microseconds
TIME_BYTES_MAX = 64  # what a record has more than its event
CRC_LENGTH = 8


@dataclass(frozen=True)
class Header:
    """Who wrote a journal, in which form; `about`: whatever else its reader should know."""

    software: str
    schema: int = SCHEMA_VERSION
    about: dict[str, str] = field(default_factory=dict)


class SchemaRefused(Exception):
    """A journal in a form that this version neither reads nor writes."""

    def __init__(self, schema: object, software: object) -> None:
        super().__init__(schema, software)
        self.schema = schema
        self.software = software

    def __str__(self) -> str:
        return (
            f"the journal has schema {self.schema!r}, written by version {self.software!r}; "
            f"this version knows only schema {SCHEMA_VERSION}"
        )


def record_time(time_s: float) -> float:
    """A time as it is recorded: rounded to the microsecond."""
    return round(float(time_s), TIME_DIGITS)


def record_line(now_s: float, event: Event) -> bytes:
    """The line of an event; `now_s` is rounded."""
    # The envelope with one member more: nothing is encoded twice.
    return framed(b'{"at":%b,%b' % (dump(record_time(now_s)), encode(event)[1:]))


def read_record(line: bytes) -> tuple[float, Event]:
    """The time and event of a line; Malformed if it is no whole record."""
    plain = _plain(line)
    at_s = _time(plain.pop("at", None))
    event: Event = from_plain(plain, Event)
    return at_s, event


def header_line(header: Header) -> bytes:
    """The first line of a journal."""
    return framed(dump(to_plain(header, Header)))


def read_header(line: bytes) -> Header:
    """What the first line says; SchemaRefused if the rest cannot be understood."""
    plain = _plain(line)
    if plain.get("schema") != SCHEMA_VERSION:
        raise SchemaRefused(plain.get("schema"), plain.get("software"))
    return from_plain(plain, Header)


def framed(data: bytes) -> bytes:
    """JSON text as a line with its checksum."""
    return b"%b %b\n" % (_crc(data), data)


def is_whole(line: bytes) -> bool:
    """Whether this is a line as it was written, whatever it says."""
    return (
        line[CRC_LENGTH : CRC_LENGTH + 1] == b" "
        and line[-1:] == b"\n"
        and line[:CRC_LENGTH] == _crc(line[CRC_LENGTH + 1 : -1])
    )


def _time(plain: object) -> float:
    try:
        return from_plain(plain, float)
    except Malformed as error:
        raise error.within("at") from None


def _crc(data: bytes) -> bytes:
    return b"%08x" % crc32(data)


def _plain(line: bytes) -> dict[str, Any]:
    if not is_whole(line):
        raise Malformed("a line that is not as it was written", "a record with its checksum")
    plain = parse(line[CRC_LENGTH + 1 : -1], SIZE_BYTES_MAX + TIME_BYTES_MAX)
    if type(plain) is not dict:
        raise Malformed("no object", "an object")
    return plain
