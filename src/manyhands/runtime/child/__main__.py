"""`python -m manyhands.runtime.child READ WRITE FOLDER`: live for as long as the pilot does."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import threading
from pathlib import Path
from queue import Empty, SimpleQueue

from manyhands.applications.loading import load
from manyhands.pilot.children import IN_HAND
from manyhands.pilot.frames import heard, read_frames, say
from manyhands.runtime.brief import Brief
from manyhands.runtime.child.child import Child, Told
from manyhands.runtime.child.failing import RAISED, Unable, note_failure
from manyhands.runtime.layout import BRIEF

PR_SET_PDEATHSIG = 1


def end_with_the_pilot() -> None:
    """Where the system can, be killed when the pilot is, even in the middle of a computation."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def limit_memory(limit_bytes: int | None) -> None:
    """Let more than this be refused, as a MemoryError, not be taken from everybody else."""
    if limit_bytes is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (limit_bytes, limit_bytes))


def listen(descriptor: int, orders: SimpleQueue[Told]) -> None:
    """Read what the pilot says; when it says nothing any more, end at once."""
    for frame in read_frames(descriptor):
        order = heard(frame)
        assert order is not None, "a pilot speaks in frames"
        orders.put(order)
    os._exit(0)


def main(arguments: list[str]) -> None:
    """Do what the pilot says, and compute in between."""
    end_with_the_pilot()
    in_hand = os.open(IN_HAND, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    reads, writes, folder = int(arguments[0]), int(arguments[1]), Path(arguments[2])
    orders: SimpleQueue[Told] = SimpleQueue()
    threading.Thread(target=listen, args=(reads, orders), daemon=True).start()
    # Hands are started before it is known what they are for: that is written before they are told.
    first = None if (folder / BRIEF).is_file() else orders.get()
    brief = Brief.from_json((folder / BRIEF).read_text(encoding="utf-8"))
    limit_memory(brief.memory_bytes)
    try:
        application = load(brief.description)
        application.prepare()
    except RAISED as error:
        note_failure(folder, brief.seed, error)
        child: Child | Unable = Unable(writes, error)
    else:
        child = Child(folder, writes, in_hand, brief, application)
    say(writes, "ready")
    if first is not None:
        child.told(first)
    busy = first is not None
    while True:
        try:
            order = orders.get(block=not busy)
        except Empty:
            busy = child.step()
        else:
            child.told(order)
            busy = True


if __name__ == "__main__":
    main(sys.argv[1:])
