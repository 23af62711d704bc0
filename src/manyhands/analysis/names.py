"""Tally names as names of files and of arrays: safe anywhere, and no two the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")
LENGTH_MAX = 80  # of the readable part
TAKEN = ("brief", "failures", "journal", "methods", "report", "result")  # by other files
SAMPLES = "samples"  # in the archive: how many it holds
ERROR, EDGES = "_error", "_edges"  # behind a tally's name: what else is known of it


@dataclass(frozen=True, slots=True)
class Names:
    """What one tally is called outside of Python."""

    file: str  # without its ending; that of its errors has _error behind it
    array: str  # in the archive; those of errors and edges have _error and _edges behind it


def names_of(tallies: Iterable[str]) -> dict[str, Names]:
    """Names for these tallies: their own wherever those are safe and cannot be mixed up."""
    listed = list(tallies)
    known = set(listed)
    return {name: Names(_file(name, known), _array(name, known)) for name in listed}


def _file(name: str, known: set[str]) -> str:
    """The name if any file system takes it, else what can be read of it and a digest."""
    readable = UNSAFE.sub("_", name)[:LENGTH_MAX].lstrip(".-")
    safe = readable == name and name.lower() not in TAKEN and not _is_anothers(name, known)
    # Some file systems do not tell small letters from capitals.
    alone = sum(one.lower() == name.lower() for one in known) == 1
    return name if safe and alone else f"{readable}-{_digest(name)}"


def _array(name: str, known: set[str]) -> str:
    return f"{name}-{_digest(name)}" if name == SAMPLES or _is_anothers(name, known) else name


def _is_anothers(name: str, known: set[str]) -> bool:
    """Whether it is what another tally's error or edges are called."""
    return any(name.endswith(end) and name.removesuffix(end) in known for end in (ERROR, EDGES))


def _digest(name: str) -> str:
    return blake2b(name.encode(), digest_size=4).hexdigest()
