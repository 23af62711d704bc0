"""Pilots as processes of this machine, each with a line to the master.

A line is one end of a socket pair that the pilot inherits. When either end is closed the other
knows at once: a pilot that has died is a fact, and a pilot whose master has died ends. One that
has died comes back as the next incarnation, unless it never gets to say a word or was removed.

Each hand belongs to a thread of its own, which starts, hears and buries it. What others do to it
(answer, stop, end) they do under its lock, and so is it started: who stops all of them misses none.
They may be started before anybody listens: until then, what is heard of them waits.
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
from collections.abc import Callable, Container, Mapping
from dataclasses import asdict, dataclass, field
from itertools import count, islice
from pathlib import Path

from manyhands.model.codec import Malformed, decode, encode
from manyhands.model.commands import Reply
from manyhands.model.events import Event, MessageReceived, PilotExited, PilotRemoved
from manyhands.model.facts import MergeStored, PartialStored
from manyhands.model.failures import FailureCause
from manyhands.pilot.birth import Birth
from manyhands.pilot.frames import FrameTooLong, read_frames, write_frame
from manyhands.runtime.layout import PILOTS, STORE
from manyhands.runtime.leftovers import sweep
from manyhands.runtime.objects import Torn, get

LOG = "pilot.txt"  # what one of them prints
BACK_OFF_S = 0.05  # before a pilot that has died is started again; doubled each time
BACK_OFF_S_MAX = 2.0
DOUBLINGS_MAX = 10
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
    heard: int = 0  # the last message of this incarnation; 0: it has not said a word
    removed: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


class LocalPilots:
    """Starts them, listens to them, answers them, starts them again."""

    def __init__(
        self, folder: Path, hands: Hands, put: Callable[[Event], None] | None = None
    ) -> None:
        self._folder = folder.resolve()
        self._store = self._folder / STORE
        self._hands = hands
        self._early: list[Event] = []
        self._listener = put
        self._passing = threading.Lock()
        self._all: dict[int, Hand] = {}
        self._stopping = threading.Event()
        self.threads: list[threading.Thread] = []

    @property
    def count(self) -> int:
        """How many there are to be."""
        return self._hands.pilots

    @property
    def heard(self) -> bool:
        """Whether somebody listens to them, who will also end them."""
        return self._listener is not None

    @property
    def living(self) -> int:
        """How many have a process, or will have one again."""
        return sum(thread.is_alive() for thread in self.threads)

    def start(self, incarnations: Mapping[int, int], removed: Container[int] = ()) -> None:
        """Start them all; `incarnations`: the last known of each; `removed`: who never works."""
        numbers = (number for number in count() if number not in removed)
        for pilot in islice(numbers, self._hands.pilots):
            hand = Hand(pilot, incarnations.get(pilot, -1))
            self._all[pilot] = hand
            thread = threading.Thread(target=self._keep, args=(hand,), name=f"pilot {pilot}")
            self.threads.append(thread)
            thread.start()

    def listen(self, put: Callable[[Event], None]) -> None:
        """Pass on what they say from now on, and what they have said."""
        with self._passing:
            for event in self._early:
                put(event)
            self._early.clear()
            self._listener = put

    def reply(self, reply: Reply) -> None:
        """Answer a pilot; one that has died meanwhile needs no answer."""
        hand = self._all.get(reply.pilot)
        if hand is None:
            return
        with hand.lock:
            if hand.line is not None and hand.incarnation == reply.incarnation:
                try:
                    write_frame(hand.line.fileno(), encode(reply))
                except OSError:
                    pass  # its end will be seen

    def stop(self) -> None:
        """Ask all to store what they have and to leave."""
        self._stopping.set()
        for hand in self._all.values():
            with hand.lock:
                if hand.process is not None:
                    try:
                        hand.process.send_signal(signal.SIGTERM)
                    except ProcessLookupError:
                        pass

    def dismiss(self) -> None:
        """Close every line, wherever the pilots are: they leave at once."""
        self._stopping.set()
        for hand in self._all.values():
            with hand.lock:
                if hand.line is not None:
                    try:
                        hand.line.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass  # the other end is closed already

    def end(self) -> None:
        """Dismiss them, and see their ends."""
        self.dismiss()
        for thread in self.threads:
            thread.join()

    def _put(self, event: Event) -> None:
        with self._passing:
            if self._listener is None:
                self._early.append(event)
            else:
                self._listener(event)

    # ---- one pilot -------------------------------------------------------------------------

    def _keep(self, hand: Hand) -> None:
        """Start a pilot, listen to it until its end, and again; a thread of its own."""
        sweep(self._folder_of(hand))
        while not hand.removed and hand.speechless < SPEECHLESS_MAX:
            if hand.deaths and self._stopping.wait(_back_off_s(hand.deaths - 1)):
                return
            hand.born_s, hand.heard = time.monotonic(), 0
            try:
                if not self._start(hand):
                    return
            except OSError as error:
                self._note(hand, f"pilot {hand.pilot} cannot be started: {error}\n")
            else:
                self._listen(hand)
                self._see_off(hand)
            soon = time.monotonic() - hand.born_s < LIVED_S
            hand.deaths = hand.deaths + 1 if soon else 1
            hand.speechless = 0 if hand.heard else hand.speechless + 1

    def _start(self, hand: Hand) -> bool:
        """Start its next incarnation, unless all of them stop."""
        folder = self._folder_of(hand)
        folder.mkdir(parents=True, exist_ok=True)
        with hand.lock:
            if self._stopping.is_set():
                return False
            hand.incarnation += 1
            ours, theirs = socket.socketpair()
            try:
                with theirs, (folder / LOG).open("ab") as log:
                    hand.process = subprocess.Popen(
                        self._command(hand, theirs.fileno()),
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                        cwd=folder,
                        pass_fds=(theirs.fileno(),),
                        env=_with_our_path() | self._hands.environment,
                        start_new_session=True,
                    )
            except OSError:
                ours.close()
                raise
            hand.line = ours
        return True

    def _command(self, hand: Hand, link: int) -> list[str]:
        hands, python = self._hands, [sys.executable, "-P", "-m"]
        child = [*python, "manyhands.runtime.child", "{read}", "{write}", str(self._folder)]
        birth = Birth(
            hand.pilot,
            hand.incarnation,
            hands.slots,
            link,
            child,
            str(self._folder_of(hand)),
            hands.silence_s,
            hands.disk_bytes,
        )
        return [*python, "manyhands.pilot", json.dumps(asdict(birth))]

    def _listen(self, hand: Hand) -> None:
        line = hand.line
        assert line is not None, "it was started"
        try:
            for frame in read_frames(line.fileno()):
                self._hear(hand, decode(frame, MessageReceived))
        except (Malformed, FrameTooLong):
            self._remove(hand, FailureCause.PROTOCOL_BROKEN)

    def _hear(self, hand: Hand, message: MessageReceived) -> None:
        """Pass a message on, when the objects that it speaks of are seen to be whole."""
        # What is said again was seen then, and may have been merged and deleted since.
        facts = message.facts if message.number > hand.heard else ()
        for fact in facts:
            if isinstance(fact, PartialStored | MergeStored):
                try:
                    get(self._store, fact.name, fact.digest)
                except Torn:
                    self._remove(hand, FailureCause.OBJECT_TORN)
                    return
        hand.heard = max(hand.heard, message.number)
        self._put(message)

    def _remove(self, hand: Hand, cause: FailureCause) -> None:
        """It cannot be trusted, and is not started again."""
        hand.removed = True
        self._put(PilotRemoved(hand.pilot, cause))

    def _see_off(self, hand: Hand) -> None:
        """Its line has ended, so it has, or is about to."""
        process, line = hand.process, hand.line
        assert process is not None, "it was started"
        assert line is not None, "it was started"
        with hand.lock:
            line.close()
            hand.line = None
        try:
            process.wait(END_WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        sweep(self._folder_of(hand))
        self._put(PilotExited(hand.pilot, hand.incarnation))

    def _folder_of(self, hand: Hand) -> Path:
        return self._folder / PILOTS / str(hand.pilot)

    def _note(self, hand: Hand, line: str) -> None:
        try:
            with (self._folder_of(hand) / LOG).open("a") as log:
                log.write(line)
        except OSError:
            pass  # the same trouble, most likely


def _back_off_s(deaths_before: int) -> float:
    return min(BACK_OFF_S * 2.0 ** min(deaths_before, DOUBLINGS_MAX), BACK_OFF_S_MAX)


def _with_our_path() -> dict[str, str]:
    """The environment, in which the same manyhands is found as here."""
    ours = str(Path(__file__).resolve().parents[2])
    if ours.endswith("-packages"):
        return dict(os.environ)  # installed: every Python of this environment finds it
    before = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": ours if not before else ours + os.pathsep + before}
