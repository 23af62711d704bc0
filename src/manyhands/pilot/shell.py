"""A real pilot: does what its machine orders with real processes, and tells it what comes of it.

It waits for whatever happens first: a reply on its link, a word of a child, a signal, the time of
the next tick. It computes nothing itself, so it always answers.

Children compute on while the pilot thinks. That does no harm but to one order: blocks that a task
gives back must not have been begun. So before the machine hears a reply with such an order, the
children concerned stand still and say where they are.
"""

from __future__ import annotations

import os
import selectors
import signal
import time
from typing import Any, Callable, Dict, List, Optional

from manyhands.model.codec import decode, encode
from manyhands.model.commands import Reply
from manyhands.model.failures import FailureCause
from manyhands.model.orders import CutLease
from manyhands.pilot.benchmark import host_speed
from manyhands.pilot.birth import Birth
from manyhands.pilot.children import Child
from manyhands.pilot.frames import READ_BYTES, Frames, write_frame
from manyhands.pilot.machine import PilotMachine
from manyhands.pilot.signals import (
    Action,
    Advanced,
    ClassComputed,
    ComputeClass,
    EndRun,
    Exit,
    ExtendRun,
    Merge,
    MergeEnded,
    ReplyReceived,
    RunFailed,
    Send,
    Signal,
    Started,
    StartRun,
    StopRequested,
    Ticked,
    TrimRun,
    Upload,
    UploadEnded,
    WakeAt,
    WatchPosition,
)

NO_CLASS = "block 0 failed"  # hosts on which it fails are alike: their tasks say how it fails
LOG = "log.txt"  # what the children print
DISK_LOOK_S = 1.0  # how often their folders are measured, unless they hold very much
DISK_LOOKS = 20  # how many times as long as a look the time to the next is
LOOK_AGAIN_S = 0.5  # how long a wait lasts at most, so that a silent child is seen


class Shell:
    """One incarnation of a pilot, as a process."""

    def __init__(self, birth: Birth) -> None:
        self._birth = birth
        self._machine = PilotMachine(
            birth.pilot, birth.incarnation, birth.slots, speed=host_speed()
        )
        self._replies = Frames()
        self._children: List[Child] = []
        self._by_task: Dict[int, Child] = {}
        self._selector = selectors.DefaultSelector()
        self._wake_s: Optional[float] = None
        self._waiting: Optional[Reply] = None  # until children stand still
        self._holds: Dict[int, bool] = {}  # by task: whether its child stands still
        self._merges = 0
        self._killed_at: Optional[int] = None  # the block at which the last one was killed
        self._disk_look_s = 0.0
        self._death_look_s = 0.0
        self._signals: List[FailureCause] = []
        self._exited = False
        self._perform_by: Dict[type, Callable[[Any], None]] = {
            Send: self._send,
            StartRun: self._start_run,
            ExtendRun: self._extend_run,
            TrimRun: self._trim_run,
            EndRun: self._end_run,
            WatchPosition: self._watch,
            Upload: self._upload,
            ComputeClass: self._compute_class,
            Merge: self._merge,
            WakeAt: self._wake_at,
            Exit: self._exit,
        }
        self._heard_by: Dict[str, Callable[[Child, Dict[str, Any]], None]] = {
            "ready": lambda child, said: None,
            "advanced": self._advanced,
            "held": self._held,
            "failed": self._failed,
            "uploaded": self._uploaded,
            "class": self._class_computed,
            "merged": self._merged,
        }

    def run(self) -> None:
        """Live until the machine or the master has had enough."""
        wakes, woken = os.pipe()
        os.set_blocking(woken, False)
        signal.set_wakeup_fd(woken)
        signal.signal(signal.SIGTERM, lambda *_: self._signals.append(FailureCause.PILOT_LEFT))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._selector.register(wakes, selectors.EVENT_READ, None)
        self._selector.register(self._birth.link, selectors.EVENT_READ, None)
        try:
            for _ in range(self._birth.slots):
                self._new_child()
            self._tell(Started())
            while not self._exited:
                self._turn(wakes)
        finally:
            for child in self._children:
                child.close()

    def _turn(self, wakes: int) -> None:
        """Wait for something, and deal with it."""
        now_s = time.time()
        wait_s = LOOK_AGAIN_S
        if self._wake_s is not None:
            wait_s = min(max(self._wake_s - now_s, 0.0), wait_s)
        for key, _ in self._selector.select(wait_s):
            if isinstance(key.data, Child):
                self._listen(key.data)
            elif key.fd == wakes:
                os.read(wakes, READ_BYTES)
            else:
                self._hear_master()
        while self._signals:
            self._tell(StopRequested(self._signals.pop()))
        now_s = time.time()
        if self._wake_s is not None and now_s >= self._wake_s:
            self._wake_s = None
            self._tell(Ticked())
        self._bury_dead(now_s)
        self._end_silent(now_s)
        self._end_greedy(now_s)

    def _tell(self, what: Signal) -> None:
        for action in self._machine.handle(time.time(), what):
            self._perform(action)

    def _perform(self, action: Action) -> None:
        self._perform_by[type(action)](action)

    # ---- the master ------------------------------------------------------------------------

    def _send(self, action: Send) -> None:
        try:
            write_frame(self._birth.link, encode(action.message))
        except OSError:
            self._exited = True  # the master is gone, and so is this pilot's reason to be

    def _hear_master(self) -> None:
        try:
            data = os.read(self._birth.link, READ_BYTES)
        except OSError:
            data = b""
        if not data:
            self._exited = True
        for frame in self._replies.feed(data):
            self._replied(decode(frame, Reply))

    def _replied(self, reply: Reply) -> None:
        if self._waiting is not None:
            return  # the same again: only one message is ever unanswered
        cut = [one.task for one in reply.orders if isinstance(one, CutLease)]
        self._holds = {task: False for task in cut if task in self._by_task}
        self._waiting = reply
        for task in self._holds:
            self._by_task[task].tell("hold", task=task)
        self._go_on_if_held()

    def _held(self, child: Child, said: Dict[str, Any]) -> None:
        if said["task"] in self._holds:
            self._holds[said["task"]] = True
        self._go_on_if_held()

    def _go_on_if_held(self) -> None:
        if self._waiting is None or not all(self._holds.values()):
            return
        reply, held = self._waiting, list(self._holds)
        self._waiting, self._holds = None, {}
        self._tell(ReplyReceived(reply))
        for task in held:
            child = self._by_task.get(task)
            if child is not None:
                child.tell("go", task=task)

    def _wake_at(self, action: WakeAt) -> None:
        self._wake_s = action.time_s

    def _exit(self, action: Exit) -> None:
        self._exited = True

    # ---- orders to children ----------------------------------------------------------------

    def _start_run(self, action: StartRun) -> None:
        order = action.order
        child = self._idle_child()
        child.task, child.ending, child.heard_s = order.task, False, time.time()
        self._by_task[order.task] = child
        child.tell(
            "start",
            task=order.task,
            stream=order.stream,
            limit=order.limit,
            leases=_plain(order.leases),
        )

    def _extend_run(self, action: ExtendRun) -> None:
        child = self._by_task[action.task]
        child.heard_s = time.time()
        child.tell("extend", task=action.task, leases=_plain(action.leases))

    def _trim_run(self, action: TrimRun) -> None:
        self._by_task[action.task].tell("trim", task=action.task, leases=_plain(action.leases))

    def _end_run(self, action: EndRun) -> None:
        child = self._by_task[action.task]
        child.ending = True
        child.tell("end", task=action.task)

    def _watch(self, action: WatchPosition) -> None:
        child = self._by_task.get(action.task)
        if child is not None:
            child.tell("watch", task=action.task, position=action.position)

    def _upload(self, action: Upload) -> None:
        spans = [[span.line, span.start, span.end] for span in action.coverage.spans]
        child = self._by_task.get(action.task)
        if child is None:
            self._fail_upload(action.task, action.name)
            return
        child.asked[action.name] = action.task
        child.tell("upload", task=action.task, name=action.name, coverage=spans)

    def _compute_class(self, action: ComputeClass) -> None:
        child = self._idle_child()
        child.busy_with, child.heard_s = "class", time.time()
        child.asked["class"] = action.campaign
        child.tell("class", campaign=action.campaign)

    def _merge(self, action: Merge) -> None:
        order, birth = action.order, self._birth
        child = self._idle_child()
        child.busy_with, child.heard_s = "merge", time.time()
        child.asked["merge"] = order.claim
        self._merges += 1
        who = f"{birth.pilot}.{birth.incarnation}/{self._merges}"
        child.tell(
            "merge",
            claim=order.claim,
            name=f"{order.campaign}/merged/{order.claim}/{who}",
            inputs=[[one.name, one.digest] for one in order.inputs],
        )

    # ---- what children say -----------------------------------------------------------------

    def _listen(self, child: Child) -> None:
        said, lives = child.read()
        child.heard_s = time.time()
        for one in said:
            self._heard_by[one["what"]](child, one)
        if not lives:
            self._bury(child, FailureCause.APPLICATION_CRASHED)

    def _advanced(self, child: Child, said: Dict[str, Any]) -> None:
        task, position = said["task"], said["position"]
        if child.task != task or (child.ending and not said["last"]):
            return
        if said["last"]:
            child.task, child.ending = None, False
        child.tell("heard", task=task, position=position)
        self._tell(Advanced(task, position, said["busy_us"]))

    def _failed(self, child: Child, said: Dict[str, Any]) -> None:
        if child.task == said["task"]:
            child.task, child.ending = None, False
            cause = FailureCause(said["cause"])
            self._tell(RunFailed(said["task"], cause, said["block"]))

    def _uploaded(self, child: Child, said: Dict[str, Any]) -> None:
        task = child.asked.pop(said["asked"])
        if "cause" in said:
            self._fail_upload(task, said["asked"])
            return
        sums = tuple(said["sums"])
        self._tell(UploadEnded(task, said["name"], said["digest"], sums, said["upload_us"]))

    def _class_computed(self, child: Child, said: Dict[str, Any]) -> None:
        child.busy_with = ""
        self._tell(ClassComputed(child.asked.pop("class"), said["digest"] or NO_CLASS))

    def _merged(self, child: Child, said: Dict[str, Any]) -> None:
        child.busy_with = ""
        claim = child.asked.pop("merge")
        if "cause" in said:
            self._tell(MergeEnded(claim, "", "", FailureCause(said["cause"]), said["bad"]))
        else:
            self._tell(MergeEnded(claim, said["name"], said["digest"]))

    # ---- ends of children ------------------------------------------------------------------

    def _bury_dead(self, now_s: float) -> None:
        """Those whose end is not heard, because what they started has their pipe."""
        if now_s < self._death_look_s:
            return
        self._death_look_s = now_s + LOOK_AGAIN_S
        for child in list(self._children):
            if child.has_ended():
                self._bury(child, FailureCause.APPLICATION_CRASHED)

    def _end_silent(self, now_s: float) -> None:
        for child in list(self._children):
            task = child.task
            works = child.busy_with or (task is not None and not self._machine.waits(task))
            if works and now_s - child.heard_s > self._birth.silence_s:
                child.kill()
                self._bury(child, FailureCause.APPLICATION_SILENT)

    def _end_greedy(self, now_s: float) -> None:
        limit = self._birth.disk_bytes
        if limit is None or now_s < self._disk_look_s:
            return
        for child in list(self._children):
            if child.used_bytes() > limit:
                child.kill()
                self._bury(child, FailureCause.APPLICATION_OVERSIZE)
        taken_s = time.time() - now_s
        self._disk_look_s = now_s + max(DISK_LOOK_S, DISK_LOOKS * taken_s)

    def _bury(self, child: Child, cause: FailureCause) -> None:
        """A child has ended: what it was at has failed, and its slot gets another."""
        self._selector.unregister(child.descriptor)
        self._children.remove(child)
        block = self._block_to_blame(child, cause)
        gone = [task for task, one in self._by_task.items() if one is child]
        for task in gone:
            del self._by_task[task]
        self._new_child()
        for asked, what in list(child.asked.items()):
            if asked == "class":
                self._tell(ClassComputed(what, NO_CLASS))
            elif asked == "merge":
                self._tell(MergeEnded(what, "", "", cause))
            else:
                self._fail_upload(what, asked)
        if child.task is not None:
            self._tell(RunFailed(child.task, cause, block))
        for task in gone:
            self._holds.pop(task, None)
        self._go_on_if_held()

    def _block_to_blame(self, child: Child, cause: FailureCause) -> Optional[int]:
        """The block at which it ended, unless somebody from outside may have killed it."""
        child.kill()
        block = child.block_in_hand()
        by_itself = cause is FailureCause.APPLICATION_CRASHED
        killed = child.close() == -signal.SIGKILL and by_itself
        again = block == self._killed_at
        self._killed_at = block if killed else None
        return block if again or not killed else None

    def _fail_upload(self, task: int, name: str) -> None:
        self._tell(UploadEnded(task, name, "", (), 0, FailureCause.UPLOAD_FAILED))

    def _idle_child(self) -> Child:
        for child in self._children:
            if child.idle:
                return child
        raise AssertionError("no slot is idle")

    def _new_child(self) -> None:
        folder = self._birth.folder
        child = Child(self._birth.child, os.path.join(folder, LOG), folder)
        self._children.append(child)
        self._selector.register(child.descriptor, selectors.EVENT_READ, child)


def _plain(leases: Any) -> List[List[int]]:
    return [[one.start, one.end, one.segment] for one in leases]
