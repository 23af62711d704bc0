"""Applications that say from outside what they are at, so that somebody can act at that moment.

They ring a bell, a named pipe that a variable of the environment names; what they return does not
depend on it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import manyhands as mh

BELL = "MANYHANDS_BELL"
LINE = "{pid} {stream}\n"
SLOWED = "MANYHANDS_SLOWED"  # a pilot whose samples cost as many times as SLOWER says
SLOWER = 8


def toll(samples: int, stream: mh.Stream, stall_s: float = 0.0) -> dict[str, Any]:
    """Points in a square; a batch or block takes at least so long."""
    ring(stream.number)
    points = stream.numpy().random((2, samples))
    if stall_s:
        time.sleep(stall_s)
    inside = (points * points).sum(axis=0) < 1
    return {
        "pi": mh.mean(4.0 * inside),
        "x": mh.histogram(points[0], [0.0, 0.25, 0.5, 0.75, 1.0]),
    }


def uneven(samples: int, stream: mh.Stream, work: int = 200) -> dict[str, Any]:
    """The same work on every pilot, but on one of them it is done several times over."""
    times = SLOWER if pilot_here() == os.environ.get(SLOWED) else 1
    values = found = stream.numpy().random(samples)
    for _ in range(times):
        found = values
        for _ in range(work):
            found = (found * 3.9) * (1.0 - found)
    return {"last": mh.mean(found), "first": mh.mean(values)}


def costly(samples: int, stream: mh.Stream, second: float = 0.02) -> dict[str, Any]:
    """Samples of an exponential distribution, which take as long as their values say."""
    values = stream.numpy().exponential(1.0, samples)
    time.sleep(second * float(values.sum()))
    return {"value": mh.mean(values)}


def pilot_here() -> str:
    """The pilot whose child this is: a child works in a folder of its pilot's."""
    return Path.cwd().parent.name


def ring(stream: int) -> None:
    """Say which stream is begun, if anybody listens and is not behind."""
    path = os.environ.get(BELL)
    if path is None:
        return
    try:
        bell = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return
    try:
        os.write(bell, LINE.format(pid=os.getpid(), stream=stream).encode())
    except BlockingIOError:
        pass
    finally:
        os.close(bell)
