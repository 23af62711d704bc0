"""Results as objects in a folder: whole or not there, named by what is in them."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

DIGEST_BYTES = 16


class Torn(Exception):
    """An object is not what its digest says, or is not there."""

    def __init__(self, name: str, missing: bool) -> None:
        super().__init__(name, missing)
        self.name = name
        self.missing = missing


def digest_of(data: bytes) -> str:
    """What names an object by its bytes."""
    return blake2b(data, digest_size=DIGEST_BYTES).hexdigest()


def put(store: Path, name: str, data: bytes) -> str:
    """Store an object durably under a name and its digest; the whole name."""
    whole = f"{name}/{digest_of(data)}"
    path = store / whole
    path.parent.mkdir(parents=True, exist_ok=True)
    growing = path.with_name(path.name + ".part")
    with growing.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.rename(growing, path)
    _sync_folders(path.parent, store)
    return whole


def get(store: Path, name: str, digest: str) -> bytes:
    """An object, which is what its digest says."""
    try:
        data = (store / name).read_bytes()
    except OSError:
        raise Torn(name, missing=True) from None
    if digest_of(data) != digest:
        raise Torn(name, missing=False)
    return data


def _sync_folders(folder: Path, last: Path) -> None:
    """Make the names on the way to a new file as durable as the file."""
    while True:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if folder == last:
            return
        folder = folder.parent
