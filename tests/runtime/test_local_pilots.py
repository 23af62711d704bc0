"""Processes of pilots: started, heard, answered, started again, stopped; whatever they do.

The pilots here are stand-ins: a package of the same name that Python finds first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from queue import SimpleQueue

import pytest

from manyhands.model.codec import encode
from manyhands.model.commands import Reply
from manyhands.model.coverage import Coverage, Span
from manyhands.model.events import Event, MessageReceived, PilotExited, PilotRemoved
from manyhands.model.facts import PartialStored, PilotRegistered
from manyhands.model.failures import FailureCause
from manyhands.pilot.children import SANDBOX, SANDBOXES
from manyhands.runtime.layout import PILOTS, STORE
from manyhands.runtime.local_pilots import LOG, Hands, LocalPilots
from manyhands.runtime.objects import put

WAIT_S = 20.0
BLOCKED_S = 0.2
LIVES = 40

STAND_IN = """
import json, os, socket, sys
birth = json.loads(sys.argv[1])
line = socket.socket(fileno=birth["link"])
def say(data):
    line.sendall(len(data).to_bytes(4, "big") + data)
"""


class Stage:
    """Pilots that do as a text says, and what is heard of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events: SimpleQueue[Event] = SimpleQueue()
        self.pilots: LocalPilots | None = None

    def start(self, program: str, pilots: int = 1, removed: tuple[int, ...] = ()) -> LocalPilots:
        made = self.make(program, pilots)
        made.start({}, removed)
        return made

    def make(self, program: str, pilots: int = 1) -> LocalPilots:
        package = self.path / "stand-in" / "manyhands" / "pilot"
        package.mkdir(parents=True)
        for folder in (package.parent, package):
            (folder / "__init__.py").touch()
        (package / "__main__.py").write_text(STAND_IN + program)
        found = {"PYTHONPATH": str(package.parents[1])}
        self.pilots = LocalPilots(self.path, Hands(pilots, environment=found), self.events.put)
        return self.pilots

    def next(self) -> Event:
        return self.events.get(timeout=WAIT_S)

    def end(self) -> None:
        if self.pilots is not None:
            ends = threading.Thread(target=self.pilots.end)
            ends.start()
            ends.join(WAIT_S)
            assert not ends.is_alive(), "a pilot does not end"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def hello(number: int = 1) -> MessageReceived:
    return MessageReceived(0, 0, number, (PilotRegistered(1),))


def said(message: MessageReceived) -> str:
    return f"say({encode(message)!r})\n"


def test_who_ends_is_a_fact_and_comes_back_as_the_next(stage: Stage) -> None:
    stage.start(said(hello()))
    assert [stage.next() for _ in range(4)] == [
        hello(),
        PilotExited(0, 0),
        hello(),
        PilotExited(0, 1),
    ]
    stage.end()


def test_who_never_says_a_word_is_given_up(stage: Stage) -> None:
    pilots = stage.start("sys.exit(7)")
    assert [stage.next() for _ in range(3)] == [PilotExited(0, one) for one in range(3)]
    for thread in pilots.threads:
        thread.join(WAIT_S)
    assert pilots.living == 0
    stage.end()


def test_who_talks_nonsense_is_removed_and_not_started_again(stage: Stage) -> None:
    pilots = stage.start(said(hello()) + "say(b'nonsense')\nline.recv(1)\n")
    removed = PilotRemoved(0, FailureCause.PROTOCOL_BROKEN)
    assert [stage.next() for _ in range(3)] == [hello(), removed, PilotExited(0, 0)]
    for thread in pilots.threads:
        thread.join(WAIT_S)
    assert pilots.living == 0
    stage.end()


def stored(name: str) -> MessageReceived:
    digest = name.rpartition("/")[2]
    coverage = Coverage((Span(0, 0, 5),))
    return MessageReceived(0, 0, 1, (PartialStored(0, 0, 5, name, digest, coverage, False, (), 0),))


def test_an_object_that_is_not_there_removes_its_pilot(stage: Stage) -> None:
    stage.start(said(stored("0/1/00")) + "line.recv(1)\n")
    assert stage.next() == PilotRemoved(0, FailureCause.OBJECT_TORN)
    stage.end()


def test_what_is_said_again_may_be_gone_meanwhile(stage: Stage) -> None:
    name = put(stage.path / STORE, "0/1", b"a result")
    message = stored(name)
    stage.start(said(message) + "line.recv(1)\n" + said(message) + "line.recv(1)\n")
    assert stage.next() == message
    (stage.path / STORE / name).unlink()
    assert stage.pilots is not None
    stage.pilots.reply(Reply(0, 0, 1, (), 1.0))
    assert stage.next() == message
    stage.end()


def test_a_reply_to_a_dead_incarnation_is_dropped(stage: Stage) -> None:
    pilots = stage.start(
        "if birth['incarnation']:\n"
        f"    {said(hello(2))}"
        "    line.recv(1)\n"
        f"    {said(hello(3))}"
        "else:\n"
        f"    {said(hello(1))}"
    )
    assert [stage.next() for _ in range(3)] == [hello(1), PilotExited(0, 0), hello(2)]
    pilots.reply(Reply(0, 0, 1, (), 1.0))
    pilots.reply(Reply(0, 1, 2, (), 1.0))
    assert stage.next() == hello(3)
    stage.end()


def test_a_removed_number_is_not_used_again(stage: Stage) -> None:
    stage.start("say(b'nonsense')\n", pilots=2, removed=(0,))
    found = [stage.next() for _ in range(4)]
    assert {one.pilot for one in found if isinstance(one, PilotExited)} == {1, 2}
    stage.end()


def test_who_cannot_be_started_is_given_up_with_a_note(stage: Stage) -> None:
    folder = stage.path / PILOTS / "0"
    folder.parent.mkdir()
    folder.write_text("in the way")
    pilots = stage.start("")
    for thread in pilots.threads:
        thread.join(WAIT_S)
    assert pilots.living == 0
    assert stage.events.empty()
    stage.end()


def test_who_is_just_being_started_is_stopped_too(stage: Stage) -> None:
    folder = stage.path / PILOTS / "0"
    folder.mkdir(parents=True)
    os.mkfifo(folder / LOG)  # it cannot be opened before somebody reads it
    pilots = stage.start("line.recv(1)\n")
    stops = threading.Thread(target=pilots.stop)
    stops.start()
    stops.join(BLOCKED_S)
    reader = os.open(folder / LOG, os.O_RDONLY)
    stops.join(WAIT_S)
    pilots.threads[0].join(WAIT_S)
    assert pilots.living == 0
    os.close(reader)
    stage.end()


def test_when_all_are_stopped_nobody_is_started(stage: Stage) -> None:
    stage.make("")
    assert stage.pilots is not None
    stage.pilots.stop()
    stage.pilots.start({})
    stage.end()
    assert stage.events.empty()
    assert not (stage.path / PILOTS / "0" / LOG).exists()


@pytest.mark.slow
def test_many_lives_leave_no_descriptor_open(stage: Stage) -> None:
    before = len(os.listdir("/proc/self/fd"))
    stage.start(said(hello()), pilots=8)
    lives = 0
    while lives < LIVES:
        lives += isinstance(stage.next(), PilotExited)
    stage.end()
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_a_killed_pilot_left_is_ended_and_removed(stage: Stage) -> None:
    sandbox = stage.path / PILOTS / "0" / f"{SANDBOXES}left"
    sandbox.mkdir(parents=True)
    program = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"]
    environment = {**os.environ, SANDBOX: str(sandbox)}
    left = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    with left:
        assert left.stdout is not None
        left.stdout.readline()
        stage.start(said(hello()))
        assert stage.next() == hello()
        assert left.wait(WAIT_S) == -9
    assert not sandbox.exists()
    stage.end()


def test_what_a_pilot_prints_is_kept(stage: Stage) -> None:
    stage.start("print('here', flush=True)\n" + said(hello()))
    stage.next()
    assert "here" in (stage.path / PILOTS / "0" / LOG).read_text()
    stage.end()
