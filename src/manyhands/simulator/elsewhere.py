"""Deciding once more in another process, whose hashes differ: what comes out must not.

Run as a module, it reads the limits and the events of a journal from standard input, one a line,
and writes the commands that each event leads to, one event a line.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator

from manyhands.control.controller import Controller
from manyhands.model.codec import decode, encode
from manyhands.model.commands import Command
from manyhands.model.events import Event
from manyhands.model.limits import Limits
from manyhands.simulator.master_shell import Journal

HASH_SEED = "4711"


def encoded_lines(commands: Iterable[list[Command]]) -> Iterator[bytes]:
    """The commands of each event, as one line of bytes."""
    for several in commands:
        yield b"\t".join(encode(one) for one in several)


def commands_elsewhere(limits: Limits, journal: Journal) -> list[bytes]:
    """What another process decides on this journal."""
    lines = [encode(limits)]
    lines += [repr(now_s).encode() + b"\t" + encode(event) for now_s, event in journal]
    done = subprocess.run(
        [sys.executable, "-m", __name__],
        input=b"\n".join(lines),
        env={**os.environ, "PYTHONHASHSEED": HASH_SEED},
        stdout=subprocess.PIPE,
        check=True,
    )
    return done.stdout.split(b"\n")


def main() -> None:
    """The other process."""
    first, *lines = sys.stdin.buffer.read().split(b"\n")
    machine = Controller(decode(first, Limits))
    out = []
    for line in lines:
        now, _, body = line.partition(b"\t")
        out.append(machine.handle(float(now), decode(body, Event)))
    sys.stdout.buffer.write(b"\n".join(encoded_lines(out)))


if __name__ == "__main__":
    main()
