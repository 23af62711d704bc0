"""What a pilot leaves that was killed: folders of its children, and what these had started.

A child ends with its pilot. A program that a child has started may not know that, but it has
inherited the name of the child's folder, which nobody else ever has.
"""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

from manyhands.pilot.children import SANDBOX, SANDBOXES

PROCESSES = Path("/proc")  # elsewhere than on Linux nobody is found


def sweep(folder: Path) -> None:
    """End and remove what is left in the folder of a pilot that is dead."""
    sandboxes = sorted(folder.glob(f"{SANDBOXES}*"))
    if sandboxes:
        end_all({f"{SANDBOX}={sandbox}".encode() for sandbox in sandboxes})
    for sandbox in sandboxes:
        shutil.rmtree(sandbox, ignore_errors=True)


def end_all(marks: set[bytes]) -> None:
    """End every process that has one of these in its environment."""
    for entry in PROCESSES.glob("[0-9]*"):
        try:
            if marks.isdisjoint((entry / "environ").read_bytes().split(b"\0")):
                continue
            os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue  # another user's, or it has ended
