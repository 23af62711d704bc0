"""Values over a pipe or a socket: a length of four bytes, then that many bytes.

What is in a frame is JSON; both ends are processes of ours, one of which may die at any moment, so
a frame that was cut short is the same as the end.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterator, List, Optional

LENGTH_BYTES = 4
FRAME_BYTES_MAX = 1 << 28
READ_BYTES = 1 << 16


class FrameTooLong(ValueError):
    """A frame that no sender of ours would write."""


class Frames:
    """Cuts what was read into frames; bytes come in, whole frames come out."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> List[bytes]:
        """The frames that are whole now, in their order."""
        self._data += data
        found: List[bytes] = []
        while True:
            if len(self._data) < LENGTH_BYTES:
                return found
            length = int.from_bytes(self._data[:LENGTH_BYTES], "big")
            if length > FRAME_BYTES_MAX:
                raise FrameTooLong(f"a frame of {length} bytes")
            end = LENGTH_BYTES + length
            if len(self._data) < end:
                return found
            found.append(bytes(self._data[LENGTH_BYTES:end]))
            del self._data[:end]


def framed(data: bytes) -> bytes:
    """Data as a frame."""
    return len(data).to_bytes(LENGTH_BYTES, "big") + data


def write_frame(descriptor: int, data: bytes) -> None:
    """Write a whole frame, waiting for whoever reads."""
    rest = memoryview(framed(data))
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def read_frames(descriptor: int) -> Iterator[bytes]:
    """Every frame until the other end is closed, waiting for each."""
    frames = Frames()
    while True:
        try:
            data = os.read(descriptor, READ_BYTES)
        except OSError:
            return  # a socket whose other end died
        if not data:
            return
        yield from frames.feed(data)


def say(descriptor: int, what: str, **more: Any) -> None:
    """Write a frame that says what, and more about it."""
    write_frame(descriptor, json.dumps({"what": what, **more}, separators=(",", ":")).encode())


def heard(frame: bytes) -> Optional[Dict[str, Any]]:
    """What a frame of `say` says; None if it is none."""
    try:
        found = json.loads(frame)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "what" in found else None
