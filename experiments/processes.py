"""A campaign in real processes, watched and hurt from outside.

Every process of a run carries a mark in its environment, so that none is overlooked and none of
somebody else's is touched. Nothing here waits by sleeping: a named pipe says which block is begun,
and the system says which process has ended.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from experiments.toll import BELL

ENTRY = "from manyhands.cli import main; main()"
MARK = "MANYHANDS_RUN_MARK"
TOLL = f"{Path(__file__).with_name('toll.py')}:toll"
COSTLY = f"{Path(__file__).with_name('toll.py')}:costly"
UNEVEN = f"{Path(__file__).with_name('toll.py')}:uneven"


class Kind(Enum):
    """What a process is for."""

    MASTER = "master"
    PILOT = "pilot"
    CHILD = "child"
    OTHER = "other"  # between fork and exec, or started by an application


@dataclass(frozen=True, slots=True)
class Process:
    """One process of a run."""

    pid: int
    parent: int
    kind: Kind


class Bell:
    """The named pipe on which applications say what they begin."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        # Also open for writing, so that it never ends.
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self._rest = b""
        self.begun: dict[int, int] = {}  # how often, by stream

    def listen(self, seconds: float, enough: int | None = None, until: int | None = None) -> int:
        """Count rings for so long, or until there are enough, or until a descriptor is readable."""
        heard, end_s = 0, time.monotonic() + seconds
        others = [] if until is None else [until]
        while enough is None or heard < enough:
            left_s = end_s - time.monotonic()
            ready = select.select([self._descriptor, *others], [], [], max(left_s, 0.0))[0]
            if self._descriptor in ready:
                heard += self._read()
            if not ready or left_s <= 0 or (until is not None and until in ready):
                break
        return heard

    def close(self) -> None:
        """Hear no more."""
        os.close(self._descriptor)
        self.path.unlink()

    def _read(self) -> int:
        *lines, self._rest = (self._rest + os.read(self._descriptor, 1 << 16)).split(b"\n")
        for line in lines:
            stream = int(line.split()[1])
            self.begun[stream] = self.begun.get(stream, 0) + 1
        return len(lines)


@dataclass(slots=True)
class Said:
    """How a command ended, and what it printed."""

    status: int
    output: str
    errors: str

    @property
    def result(self) -> dict[str, Any]:
        """The one JSON object."""
        found: dict[str, Any] = json.loads(self.output)
        return found


@dataclass(slots=True)
class Run:
    """`manyhands` with some words, in a session of its own."""

    words: Sequence[str]
    logs: Path
    bell: Bell | None = None
    environment: dict[str, str] = field(default_factory=dict)
    mark: str = field(default_factory=lambda: secrets.token_hex(8))
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> Run:
        """Start it."""
        self.logs.mkdir(parents=True, exist_ok=True)
        bell = {} if self.bell is None else {BELL: str(self.bell.path)}
        environment = {**os.environ, **bell, **self.environment, MARK: self.mark}
        with self._log("out").open("wb") as out, self._log("err").open("wb") as err:
            self._process = subprocess.Popen(
                [sys.executable, "-c", ENTRY, *self.words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment,
                start_new_session=True,
            )
        return self

    @property
    def pid(self) -> int:
        """The master."""
        assert self._process is not None, "it was started"
        return self._process.pid

    @property
    def over(self) -> bool:
        """Whether the master has ended."""
        return self._process is not None and self._process.poll() is not None

    def end(self, timeout_s: float = 120.0) -> Said:
        """Wait for its end."""
        assert self._process is not None, "it was started"
        if self.bell is not None and not self.over:
            with _handle_of(self.pid) as handle:
                self.bell.listen(timeout_s, until=handle)
        status = self._process.wait(timeout_s if self.bell is None else 1.0)
        return Said(status, self._log("out").read_text(), self._log("err").read_text())

    def interrupt(self) -> None:
        """Ctrl-C: the signal goes to the master's whole group, as from a terminal."""
        os.killpg(self.pid, signal.SIGINT)

    def processes(self, kind: Kind | None = None) -> list[Process]:
        """All that are its own and live."""
        return [one for one in marked(self.mark) if kind is None or one.kind is kind]

    def kill(self, process: Process) -> bool:
        """End one of them without a word; False if it has ended by itself."""
        try:
            with _handle_of(process.pid) as handle:
                if _environment_has(process.pid, self.mark):
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
                    return True
        except ProcessLookupError:
            pass
        return False

    def kill_all(self) -> None:
        """End them all, the master first, again and again until nobody is left."""
        while found := self.processes():
            for one in found:
                self.kill(one)
            self.gone(5.0)
        self.gone(0.0)

    def gone(self, seconds: float) -> list[Process]:
        """Wait until none is left, at most so long; those that are."""
        end_s = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < end_s:
            try:
                with _handle_of(left[0].pid) as handle:
                    select.select([handle], [], [], max(end_s - time.monotonic(), 0.0))
            except ProcessLookupError:
                pass
        if self._process is not None and all(one.pid != self.pid for one in left):
            self._process.wait()
        return left

    def _log(self, what: str) -> Path:
        return self.logs / f"{self.mark}.{what}"


def command(
    *words: str, environment: dict[str, str] | None = None, timeout_s: float = 120.0
) -> Said:
    """`manyhands` with some words, until its end."""
    done = subprocess.run(
        [sys.executable, "-c", ENTRY, *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(environment or {})},
        timeout=timeout_s,
    )
    return Said(done.returncode, done.stdout, done.stderr)


def marked(mark: str) -> list[Process]:
    """The living processes that carry a mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and _environment_has(int(entry.name), mark):
            one = _seen(int(entry.name))
            if one is not None:
                found.append(one)
    return sorted(found, key=lambda one: one.pid)


def _environment_has(pid: int, mark: str) -> bool:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return f"{MARK}={mark}".encode() in variables


def _seen(pid: int) -> Process | None:
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[:2]
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return None
    if state in ("Z", "X"):
        return None
    return Process(pid, int(parent), _kind(words))


def _kind(words: Sequence[bytes]) -> Kind:
    if b"manyhands.pilot" in words:
        return Kind.PILOT
    if b"manyhands.runtime.child" in words:
        return Kind.CHILD
    return Kind.MASTER if ENTRY.encode() in words else Kind.OTHER


@contextmanager
def _handle_of(pid: int) -> Iterator[int]:
    """A descriptor that means this process and no other that may get its number."""
    handle = os.pidfd_open(pid)
    try:
        yield handle
    finally:
        os.close(handle)
