"""Pilots as processes of this machine, each with a line to the master.

A line is one end of a socket pair that the pilot inherits. When either end is closed the other
knows at once: a pilot that has died is a fact, and a pilot whose master has died ends. One that
has died comes back as the next incarnation, unless it never gets to say a word.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from manyhands.model.codec import Malformed, decode, encode
from manyhands.model.commands import Reply
from manyhands.model.events import Event, MessageReceived, PilotExited, PilotRemoved
from manyhands.model.facts import MergeStored, PartialStored
from manyhands.model.failures import FailureCause
from manyhands.pilot.birth import Birth
from manyhands.pilot.frames import FrameTooLong, read_frames, write_frame
from manyhands.runtime.layout import PILOTS, STORE
from manyhands.runtime.objects import Torn, get

BACK_OFF_S = 0.05  # before a pilot that has died is started again; doubled each time
BACK_OFF_S_MAX = 2.0
LIVED_S = 10.0  # who lived so long did not die of being started
SPEECHLESS_MAX = 3  # deaths in a row without a word, and it is given up
END_WAIT_S = 5.0


@dataclass(frozen=True, slots=True)
class Hands:
    """How many pilots there are to be, and what their children may take."""

    pilots: int
    slots: int = 1
    silence_s: float = 900.0
    disk_bytes: int | None = None
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Hand:
    """One pilot: its process, and how it has fared."""

    pilot: int
    incarnation: int
    process: subprocess.Popen[bytes] | None = None
    line: socket.socket | None = None
    born_s: float = 0.0
    deaths: int = 0  # in a row, soon after birth
    speechless: int = 0  # deaths in a row without a word
    spoke: bool = False
    sending: threading.Lock = field(default_factory=threading.Lock)


class LocalPilots:
    """Starts them, listens to them, answers them, starts them again."""

    def __init__(self, folder: Path, hands: Hands) -> None:
        self._folder = folder.resolve()
        self._store = self._folder / STORE
        self._hands = hands
        self._put: Callable[[Event], None] = lambda event: None  # until somebody listens
        self._all: dict[int, Hand] = {}
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    @property
    def count(self) -> int:
        """How many there are to be."""
        return self._hands.pilots

    @property
    def heard(self) -> bool:
        """Whether somebody listens to them, who will also end them."""
        return bool(self._threads)

    @property
    def living(self) -> int:
        """How many have a process, or will have one again."""
        return sum(thread.is_alive() for thread in self._threads)

    def start(self, incarnations: dict[int, int]) -> None:
        """Start them all; `incarnations`: the last that was known of each."""
        for pilot in range(self._hands.pilots):
            hand = Hand(pilot, incarnations.get(pilot, -1))
            self._all[pilot] = hand
            self._start(hand)

    def listen(self, put: Callable[[Event], None]) -> None:
        """Pass on what they say, and start again those that die."""
        self._put = put
        for pilot, hand in self._all.items():
            thread = threading.Thread(target=self._keep, args=(hand,), name=f"pilot {pilot}")
            thread.start()
            self._threads.append(thread)

    def reply(self, reply: Reply) -> None:
        """Answer a pilot; one that has died meanwhile needs no answer."""
        hand = self._all.get(reply.pilot)
        if hand is None or hand.incarnation != reply.incarnation:
            return
        with hand.sending:
            if hand.line is not None:
                try:
                    write_frame(hand.line.fileno(), encode(reply))
                except OSError:
                    pass  # its end will be seen

    def stop(self) -> None:
        """Ask all to store what they have and to leave."""
        self._stopping.set()
        for hand in self._all.values():
            if hand.process is not None:
                try:
                    hand.process.send_signal(signal.SIGTERM)
                except ProcessLookupError:
                    pass

    def dismiss(self) -> None:
        """Close every line, wherever the pilots are: they leave at once."""
        self._stopping.set()
        for hand in self._all.values():
            with hand.sending:
                if hand.line is not None:
                    try:
                        hand.line.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass  # the other end is closed already

    def end(self) -> None:
        """Dismiss them, and see their ends."""
        self.dismiss()
        for thread in self._threads:
            thread.join()

    def abandon(self) -> None:
        """End those to whom nobody ever listened."""
        for hand in self._all.values():
            assert hand.process is not None, "it was started"
            hand.process.kill()
            self._see_off(hand)

    def pids(self) -> dict[int, int]:
        """The processes of the pilots that have one."""
        return {
            hand.pilot: hand.process.pid
            for hand in self._all.values()
            if hand.process is not None and hand.process.poll() is None
        }

    # ---- one pilot -------------------------------------------------------------------------

    def _start(self, hand: Hand) -> None:
        hand.incarnation += 1
        hand.born_s, hand.spoke = time.monotonic(), False
        ours, theirs = socket.socketpair()
        folder = self._folder / PILOTS / str(hand.pilot)
        folder.mkdir(parents=True, exist_ok=True)
        python = [sys.executable, "-P", "-m"]
        child = [*python, "manyhands.runtime.child", "{read}", "{write}", str(self._folder)]
        birth = Birth(
            hand.pilot,
            hand.incarnation,
            self._hands.slots,
            theirs.fileno(),
            child,
            str(folder),
            self._hands.silence_s,
            self._hands.disk_bytes,
        )
        with (folder / "pilot.txt").open("ab") as log:
            process = subprocess.Popen(
                [*python, "manyhands.pilot", json.dumps(asdict(birth))],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                pass_fds=(theirs.fileno(),),
                env=_with_our_path() | self._hands.environment,
                start_new_session=True,
            )
        theirs.close()
        with hand.sending:
            hand.line, hand.process = ours, process

    def _keep(self, hand: Hand) -> None:
        """Listen to a pilot until its end, then start it again; a thread of its own."""
        while True:
            self._listen(hand)
            self._see_off(hand)
            if self._stopping.is_set() or hand.speechless >= SPEECHLESS_MAX:
                return
            if not self._start_again(hand):
                return

    def _start_again(self, hand: Hand) -> bool:
        """Start a pilot that has died, after a while; False if that is given up."""
        while hand.speechless < SPEECHLESS_MAX:
            wait_s = min(BACK_OFF_S * 2.0**hand.deaths, BACK_OFF_S_MAX)
            if self._stopping.wait(wait_s):
                return False
            try:
                self._start(hand)
            except OSError:  # a full disk, or no more processes
                hand.deaths += 1
                hand.speechless += 1
            else:
                return True
        return False

    def _listen(self, hand: Hand) -> None:
        line = hand.line
        assert line is not None, "it was started"
        try:
            for frame in read_frames(line.fileno()):
                hand.spoke = True
                self._hear(hand, decode(frame, MessageReceived))
        except (Malformed, FrameTooLong):
            self._put(PilotRemoved(hand.pilot, FailureCause.PROTOCOL_BROKEN))

    def _hear(self, hand: Hand, message: MessageReceived) -> None:
        """Pass a message on, when the objects that it speaks of are seen to be whole."""
        for fact in message.facts:
            if isinstance(fact, PartialStored | MergeStored):
                try:
                    get(self._store, fact.name, fact.digest)
                except Torn:
                    self._put(PilotRemoved(hand.pilot, FailureCause.OBJECT_TORN))
                    return
        self._put(message)

    def _see_off(self, hand: Hand) -> None:
        """Its line has ended, so it has, or is about to."""
        process, line = hand.process, hand.line
        assert process is not None, "it was started"
        assert line is not None, "it was started"
        with hand.sending:
            line.close()
            hand.line = None
        try:
            process.wait(END_WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        soon = time.monotonic() - hand.born_s < LIVED_S
        hand.deaths = hand.deaths + 1 if soon else 0
        hand.speechless = 0 if hand.spoke else hand.speechless + 1
        self._put(PilotExited(hand.pilot, hand.incarnation))


def _with_our_path() -> dict[str, str]:
    """The environment, in which the same manyhands is found as here."""
    ours = str(Path(__file__).resolve().parents[2])
    if ours.endswith("-packages"):
        return dict(os.environ)  # installed: every Python of this environment finds it
    before = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": ours if not before else ours + os.pathsep + before}
