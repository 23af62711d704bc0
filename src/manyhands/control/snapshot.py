"""The whole state of a deciding object as bytes, and the object again from them.

A snapshot is generic: the state of a machine is its records, and the hints of their fields say all
there is to know (`model/plain.py`: what keeps its order, its type and its bits, and what is left
out because it is made anew at birth). So a machine needs no code of its own for this, and a field
that is added is saved. One rule follows: no two fields may hold the same mutable record, since
each would come back as a record of its own.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TypeVar

from manyhands.model.codec import SCHEMA_VERSION, Malformed, dump, from_plain, parse, to_plain

T = TypeVar("T")

KIND = "snapshot"
DIGEST_BYTES = 16


def save(machine: object) -> bytes:
    """The state of a machine, any dataclass; equal states give equal bytes."""
    name = type(machine).__name__
    state = to_plain(machine, type(machine))
    return dump({"schema": SCHEMA_VERSION, "kind": KIND, "type": name, "state": state})


def restore(data: bytes, machine: type[T]) -> T:
    """The machine of this class that was saved; Malformed if the data hold no such thing."""
    plain = parse(data, limit=len(data))
    expected = {"schema": SCHEMA_VERSION, "kind": KIND, "type": machine.__name__}
    found = plain if type(plain) is dict else {}
    for name, value in expected.items():
        if found.get(name) != value:
            raise Malformed(repr(found.get(name)), repr(value)).within(name)
    return from_plain(found.get("state"), machine)


def digest(machine: object) -> str:
    """What two machines have in common if, and only if, their states are equal."""
    return blake2b(save(machine), digest_size=DIGEST_BYTES).hexdigest()
