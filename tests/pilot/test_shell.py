"""A real pilot with real children that a test plays the master to."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from manyhands.model.codec import decode, encode
from manyhands.model.commands import Reply
from manyhands.model.events import MessageReceived
from manyhands.model.facts import Fact, TaskFailed, TaskProgressed, WorkRequested
from manyhands.model.failures import FailureCause
from manyhands.model.orders import ExtendLease, Lease, Order, StartTask
from manyhands.pilot.birth import Birth
from manyhands.pilot.children import SANDBOXES, Child
from manyhands.pilot.frames import Frames, framed

WAIT_S = 20.0

# A child that does as it is told in its first argument behind the descriptors.
STAND_IN = """
import json, os, sys, time
reads, writes, body = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
def say(what, **more):
    data = json.dumps({"what": what, **more}).encode()
    os.write(writes, len(data).to_bytes(4, "big") + data)
say("ready")
frames = bytearray()
while True:
    data = os.read(reads, 65536)
    if not data:
        os._exit(0)
    frames += data
    while len(frames) >= 4:
        end = 4 + int.from_bytes(frames[:4], "big")
        if len(frames) < end:
            break
        order = json.loads(bytes(frames[4:end]))
        del frames[:end]
        exec(body)
"""


class Office:
    """The master's end of the line."""

    def __init__(self, folder: Path, body: str, silence_s: float = 900.0) -> None:
        self.folder = folder
        self._line, theirs = socket.socketpair()
        self._line.settimeout(WAIT_S)
        self._frames = Frames()
        child = [sys.executable, "-c", STAND_IN, "{read}", "{write}", body]
        birth = Birth(0, 0, 1, theirs.fileno(), child, str(folder), silence_s)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "manyhands.pilot", json.dumps(asdict(birth))],
                pass_fds=(theirs.fileno(),),
            )

    def next(self) -> MessageReceived:
        while True:
            data = self._line.recv(65536)
            assert data, "the pilot has ended"
            for frame in self._frames.feed(data):
                return decode(frame, MessageReceived)

    def reply(self, message: MessageReceived, *orders: Order, report_in_s: float = 900.0) -> None:
        reply = Reply(0, 0, message.number, orders, report_in_s)
        self._line.sendall(framed(encode(reply)))

    def hire(self) -> None:
        """Give the task to whoever asks first."""
        message = self.next()
        assert any(isinstance(one, WorkRequested) for one in message.facts)
        self.reply(message, StartTask(7, 0, -1, 1, 10, None, (Lease(3, 5, 0),), 900.0, False))

    def until(self, kind: type[Fact]) -> Fact:
        """The next fact of a kind; whatever else is said is answered."""
        while True:
            message = self.next()
            for fact in message.facts:
                if isinstance(fact, kind):
                    return fact
            self.reply(message)

    def close(self) -> None:
        self._line.close()
        try:
            self.process.wait(WAIT_S)
        finally:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def offices() -> Iterator[list[Office]]:
    found: list[Office] = []
    yield found
    for office in found:
        office.close()


def test_when_the_master_is_gone_the_pilot_ends_and_leaves_nothing(
    tmp_path: Path, offices: list[Office]
) -> None:
    office = Office(tmp_path, "")
    offices.append(office)
    office.next()
    office.close()
    assert office.process.returncode == 0
    assert not list(tmp_path.glob(f"{SANDBOXES}*"))


def test_a_folder_may_have_any_name(tmp_path: Path, offices: list[Office]) -> None:
    folder = tmp_path / "{1} {read} ü"
    folder.mkdir()
    offices.append(Office(folder, "{0}"))
    assert offices[0].next().number == 1


@pytest.mark.slow
def test_a_child_that_died_is_seen_though_another_process_keeps_its_pipes(
    tmp_path: Path, offices: list[Office]
) -> None:
    body = "if order['what'] == 'start' and os.fork():\n    os._exit(1)\n"
    offices.append(Office(tmp_path, body))
    offices[0].hire()
    found = offices[0].until(TaskFailed)
    assert found == TaskFailed(7, FailureCause.APPLICATION_CRASHED, None)


@pytest.mark.slow
def test_who_says_nothing_while_it_has_work_is_ended(tmp_path: Path, offices: list[Office]) -> None:
    offices.append(Office(tmp_path, "", silence_s=0.1))
    offices[0].hire()
    found = offices[0].until(TaskFailed)
    assert found == TaskFailed(7, FailureCause.APPLICATION_SILENT, None)


@pytest.mark.slow
def test_who_has_done_all_it_was_given_may_be_silent(tmp_path: Path, offices: list[Office]) -> None:
    body = (
        "at = {'start': 2, 'extend': 3}.get(order['what'])\n"
        "if at is not None:\n"
        "    say('advanced', task=7, position=at, busy_us=9, last=False)\n"
    )
    offices.append(Office(tmp_path, body, silence_s=0.1))
    office = offices[0]
    office.hire()
    asks = office.next()  # for more blocks, which do not come for long
    assert office.next() == asks
    office.reply(asks, ExtendLease(7, (Lease(5, 6, 0),), last=False))
    seen: set[Fact] = set()
    while TaskProgressed(7, 3, 9) not in seen:
        message = office.next()
        seen.update(message.facts)
        assert not any(isinstance(one, TaskFailed) for one in seen)
        office.reply(message)


def test_a_number_that_was_waited_for_is_not_killed(tmp_path: Path) -> None:
    child = Child([sys.executable, "-c", "pass"], os.devnull, str(tmp_path))
    child.kill()
    pid = child.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert child.close() is not None
