"""Values to bytes and back: the one form of the wire, the journal and the snapshots.

Whatever travels alone does so as the envelope {"type": its class, "body": its fields}, in compact
JSON; `plain.py` says how the fields travel. What comes from outside is refused in one sentence
(`Malformed`) unless all of it is understood: no unknown type, no missing or surplus field, no
value that its class refuses. What could not be read back is not written either.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeVar, overload

from manyhands.model.malformed import Malformed, sentence
from manyhands.model.plain import codec_of, envelope, members
from manyhands.model.scalars import Convert

__all__ = [
    "SCHEMA_VERSION",
    "SIZE_BYTES_MAX",
    "Malformed",
    "encode",
    "decode",
    "to_plain",
    "from_plain",
    "dump",
    "parse",
]

SCHEMA_VERSION = 1
SIZE_BYTES_MAX = 16 * 1024 * 1024
DEPTH_MAX = 64  # brackets within brackets; only stop rules nest at will

T = TypeVar("T")


def encode(value: object) -> bytes:
    """The envelope of a dataclass's value; equal values give equal bytes."""
    plain = {"type": type(value).__name__, "body": to_plain(value, type(value))}
    data = dump(plain)
    _check_size(data, SIZE_BYTES_MAX)
    _check_depth(data, plain)
    return data


@overload
def decode(data: bytes, expected: type[T], /, *, limit: int = ...) -> T: ...
@overload
def decode(data: bytes, /, *expected: object, limit: int = ...) -> Any: ...
def decode(data: bytes, /, *expected: object, limit: int = SIZE_BYTES_MAX) -> Any:
    """The value, which must be of one of these types or unions of types."""
    convert = _envelopes.get(expected)
    if convert is None:
        types = {one: None for hint in expected for one in members(hint)}
        convert = _envelopes[expected] = envelope(tuple(types), codec_of).into
    plain = parse(data, limit)
    _check_depth(data, plain)
    return _guarded(convert, plain)


def to_plain(value: object, hint: object) -> Any:
    """A value as plain data, by its type; Malformed if it is not of this type."""
    return _guarded(codec_of(hint).out, value)


@overload
def from_plain(plain: object, hint: type[T]) -> T: ...
@overload
def from_plain(plain: object, hint: object) -> Any: ...
def from_plain(plain: object, hint: object) -> Any:
    """The value that `to_plain` made plain; Malformed if there is no such value."""
    return _guarded(codec_of(hint).into, plain)


def dump(plain: object) -> bytes:
    """Plain data as JSON in ASCII, without spaces."""
    return _writer.encode(plain).encode("ascii")


def parse(data: bytes, limit: int = SIZE_BYTES_MAX) -> Any:
    """The plain data of a JSON text in UTF-8."""
    _check_size(data, limit)
    try:
        text = data.decode("utf-8").strip(" \t\r\n")
        plain, end = _reader.raw_decode(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"no JSON in UTF-8: {sentence(error)}") from None
    if end != len(text):
        raise Malformed("no JSON in UTF-8: more follows behind it")
    return plain


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_envelopes: dict[tuple[object, ...], Convert] = {}
_reader = json.JSONDecoder(parse_constant=_refuse_constant)
_writer = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)


def _guarded(convert: Convert, value: Any) -> Any:
    try:
        return convert(value)
    except RecursionError:
        raise Malformed("nested without end") from None


def _check_size(data: bytes, limit: int) -> None:
    if len(data) > limit:
        raise Malformed(f"{len(data)} bytes long", f"at most {limit}")


def _check_depth(data: bytes, plain: Any) -> None:
    # So few brackets cannot nest deeper, and nearly every message has no more.
    if data.count(b"[") + data.count(b"{") <= DEPTH_MAX:
        return
    level = [plain]
    for _ in range(DEPTH_MAX + 1):
        level = [part for one in level if type(one) in (dict, list) for part in _parts(one)]
        if not level:
            return
    raise Malformed("nested too deeply", f"at most {DEPTH_MAX} levels deep")


def _parts(plain: Any) -> Any:
    return plain.values() if type(plain) is dict else plain
