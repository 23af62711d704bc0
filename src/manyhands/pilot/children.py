"""The processes that compute for a pilot: one per slot, each in a group of its own.

A child is told what to do by frames on one pipe and answers on another. It works in a folder of its
own, which goes when it does. It may die, or say nothing for too long, at any moment: its slot gets
another one.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import struct
import subprocess
import tempfile
from typing import Any, Dict, List, Optional, Tuple

from manyhands.pilot.frames import READ_BYTES, Frames, heard, say

# The same arithmetic on any number of cores, and the same order of everything that is hashed.
PINNED = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


SANDBOXES = "child-"  # how their folders begin
SANDBOX = "MANYHANDS_SANDBOX"  # tells whatever a child starts in whose folder it works

# Where a child leaves the number of the block that it is at, for when it dies there.
IN_HAND = "in_hand"
_NUMBER = struct.Struct("<q")


def note_block(descriptor: int, block: int) -> None:
    """This block is in hand now (-1: none is)."""
    os.pwrite(descriptor, _NUMBER.pack(block), 0)


class Child:
    """One process of the application, and what it is at."""

    def __init__(self, command: List[str], log: str, folder: str) -> None:
        reads, self._writes = os.pipe()
        self.descriptor, writes = os.pipe()
        self._sandbox = sandbox = tempfile.mkdtemp(prefix=SANDBOXES, dir=folder)
        ends = {"{read}": str(reads), "{write}": str(writes)}
        with open(log, "ab") as output:
            self._process = subprocess.Popen(
                [ends.get(part, part) for part in command],
                cwd=sandbox,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(reads, writes),
                env={**os.environ, **PINNED, SANDBOX: sandbox},
                start_new_session=True,
            )
        os.close(reads)
        os.close(writes)
        self._frames = Frames()
        self.task: Optional[int] = None  # whose run it holds
        self.ending = False  # it was told to end that run and has not said so
        self.busy_with = ""  # a merge or a proof
        self.asked: Dict[str, Any] = {}
        self.heard_s = 0.0  # when it spoke last, or was told to go to work

    @property
    def idle(self) -> bool:
        """Whether it may be given something."""
        return self.task is None and not self.busy_with

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def tell(self, what: str, **more: Any) -> None:
        """Tell it something; what a dead one is told is lost, and its end will be seen."""
        try:
            say(self._writes, what, **more)
        except BrokenPipeError:
            pass

    def read(self) -> Tuple[List[Dict[str, Any]], bool]:
        """What it has said, and whether it still lives."""
        data = os.read(self.descriptor, READ_BYTES)
        said = [heard(frame) for frame in self._frames.feed(data)]
        return [one for one in said if one is not None], bool(data)

    def kill(self) -> None:
        """End it and all that it started."""
        if self._process.returncode is not None:
            return  # it was waited for, so its number may be another's by now
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()

    def has_ended(self) -> bool:
        """Whether it is dead and was heard out; what it started may keep its pipes open."""
        if not hasattr(os, "waitid"):
            return False
        how = os.WEXITED | os.WNOHANG | os.WNOWAIT  # its number stays its own until `kill`
        if os.waitid(os.P_PID, self._process.pid, how) is None:
            return False
        return not select.select([self.descriptor], [], [], 0)[0]

    def block_in_hand(self) -> Optional[int]:
        """The block that it was at, if it was at one."""
        try:
            with open(os.path.join(self._sandbox, IN_HAND), "rb") as file:
                block = int(_NUMBER.unpack(file.read(_NUMBER.size))[0])
        except (OSError, struct.error):
            return None
        return block if block >= 0 else None

    def used_bytes(self) -> int:
        """How much its folder holds."""
        used = 0
        for folder, _, files in os.walk(self._sandbox):
            for file in files:
                try:
                    used += os.lstat(os.path.join(folder, file)).st_size
                except OSError:
                    pass  # gone meanwhile
        return used

    def close(self) -> Optional[int]:
        """It has ended, or shall now: how."""
        self.kill()
        os.close(self._writes)
        os.close(self.descriptor)
        shutil.rmtree(self._sandbox, ignore_errors=True)
        return self._process.returncode
