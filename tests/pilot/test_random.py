"""Any sequence of verdicts, failures, lost and doubled messages loses and doubles nothing."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.model.commands import Reply
from manyhands.model.coverage import BLOCK_LINE
from manyhands.model.events import MessageReceived
from manyhands.model.facts import PartialStored, TaskEnded, WorkRequested
from manyhands.model.failures import FailureCause, Refusal
from manyhands.model.orders import (
    CutLease,
    ExtendLease,
    Lease,
    Order,
    PartialAccepted,
    PartialRefused,
    SetQuota,
    StartTask,
    StopTask,
)
from manyhands.pilot.machine import PilotMachine
from manyhands.pilot.signals import (
    Action,
    Advanced,
    EndRun,
    ExtendRun,
    ReplyReceived,
    Send,
    Signal,
    Started,
    StartRun,
    Ticked,
    TrimRun,
    Upload,
    UploadEnded,
)

TASK = 1
FOREIGN = 7  # every block that this divides was accepted from somebody else, once it is offered
Step = tuple[str, int]


class Master:
    """Judges the partials of one task by the table of the protocol, and gives arbitrary orders."""

    def __init__(self, order: StartTask) -> None:
        self.order = order
        self.exact = order.stream == BLOCK_LINE
        self.seal = 0
        self.end = 0  # of what is accepted
        self.open: set[int] = set()
        self.sealed: set[int] = set()
        self.names: dict[str, bool] = {}
        self.block = 12  # the next free one
        self.segment = 0
        self.given = False
        self.ended = False
        self.number = 0
        self.last: Reply | None = None
        self.whims: list[Step] = []

    def answer(self, message: MessageReceived) -> Reply | None:
        """The reply; a repeat gets the one it had."""
        if message.number < self.number:
            return None
        if message.number > self.number:
            assert message.number == self.number + 1
            self.number = message.number
            orders = [order for fact in message.facts for order in self._judge(fact)]
            orders += [order for whim in self.whims for order in self._obey(whim)]
            self.whims = []
            self.last = Reply(0, 1, self.number, tuple(orders), 10.0)
        return self.last

    def claim(self) -> None:
        """A merger seals what is open."""
        self.sealed |= self.open
        self.open = set()
        self.seal = self.end

    def _judge(self, fact: object) -> Iterator[Order]:
        if isinstance(fact, WorkRequested) and not self.given:
            self.given = True
            yield self.order
        if isinstance(fact, TaskEnded):
            self.ended = True
        if isinstance(fact, PartialStored):
            yield self._verdict(fact)

    def _verdict(self, fact: PartialStored) -> Order:
        held = {one for span in fact.coverage.spans for one in range(span.start, span.end)}
        assert len(held) == fact.end - fact.start
        if fact.name in self.names:
            return PartialAccepted(TASK, fact.name, self.seal)
        if any(kind == "collect" for kind, _ in self.whims):
            return PartialRefused(TASK, fact.name, Refusal.COLLECTED, self.seal)
        if self.exact and any(one % FOREIGN == 0 for one in held - self.open):
            return PartialRefused(TASK, fact.name, Refusal.HAVE, self.seal)
        if fact.final and fact.start == self.end:
            self.claim()
        if fact.start != self.seal or fact.end <= self.end:
            return PartialRefused(TASK, fact.name, Refusal.ELSEWHERE, self.seal)
        assert self.open <= held
        assert not held & self.sealed
        self.names[fact.name] = True
        self.open, self.end = held, fact.end
        if fact.final:
            self.claim()
        return PartialAccepted(TASK, fact.name, self.seal)

    def _obey(self, whim: Step) -> Iterator[Order]:
        kind, number = whim
        if kind == "quota" and not self.exact:
            yield SetQuota(TASK, self.end + number)
        elif kind == "cut" and self.exact:
            yield CutLease(TASK, number)
        elif kind == "lease" and self.exact:
            self.segment += number % 2
            start, self.block = self.block, self.block + number + 1
            yield ExtendLease(TASK, (Lease(start, self.block, self.segment),), False)
        elif kind == "stop":
            yield StopTask(TASK, True)


class World:
    """A machine between a run that computes and a line that loses and doubles."""

    def __init__(self, exact: bool) -> None:
        leases = (Lease(0, 5, 0), Lease(5, 12, 1)) if exact else ()
        stream = BLOCK_LINE if exact else 3
        order = StartTask(TASK, 0, stream, 1, 8, None, leases, 20.0, False)
        self.machine = PilotMachine(0, 1, 1)
        self.master = Master(order)
        self.now_s = 0.0
        self.running = self.ending = False
        self.raw = 0
        self.ahead: list[int] = []
        self.done: list[int] = []
        self.upload: Upload | None = None
        self.names: set[str] = set()
        self.line: list[MessageReceived] = []
        self.replies: list[Reply] = []
        self.handled = 0  # the number of the last reply that the machine was told
        self.sent = 0
        self.seal = 0  # as the machine was told
        self.accepted = 0
        self.offered_end = 0
        self.tell(Started())

    def tell(self, signal: Signal) -> None:
        """How far the run is, then this."""
        if self.running and not self.ending:
            self._perform(self.machine.handle(self.now_s, self._position()))
        self._perform(self.machine.handle(self.now_s, signal))

    def compute(self, count: int) -> None:
        """The run goes on, if it may; one that is to end finishes what it has in hand."""
        if not self.running:
            return
        if self.ending:
            count = 1
        for _ in range(count):
            if self.master.exact and not self.ahead:
                break
            self.done.append(self.ahead.pop(0) if self.master.exact else self.raw)
            self.raw += 1
        self.now_s += count
        if self.ending:
            self.running = False
        self._perform(self.machine.handle(self.now_s, self._position()))

    def wait(self, seconds: int) -> None:
        """Time passes."""
        self.now_s += seconds
        self.tell(Ticked())

    def store(self, fails: bool) -> None:
        """An upload is over."""
        if self.upload is not None:
            upload, self.upload = self.upload, None
            cause = FailureCause.UPLOAD_FAILED if fails else None
            self.tell(UploadEnded(TASK, f"{upload.name}/d", "d", (), 1_000_000, cause))

    def carry(self, copies: int) -> None:
        """A message reaches the master, and its reply is on the way so many times."""
        if self.line:
            reply = self.master.answer(self.line.pop(0))
            if reply is not None:
                self.replies += [reply] * copies

    def receive(self) -> None:
        """A reply arrives."""
        if self.replies:
            reply = self.replies.pop(0)
            if reply.number > self.handled:
                self.handled = reply.number
                self._learn(reply.orders)
            self.tell(ReplyReceived(reply))

    def _position(self) -> Advanced:
        return Advanced(TASK, self.raw, round(self.now_s * 1e6))

    def _perform(self, actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Send):
                assert action.message.number in (self.sent, self.sent + 1)
                assert action.message.number == self.handled + 1
                self.sent = action.message.number
                self.line.append(action.message)
            elif isinstance(action, StartRun):
                self.running = True
                self._lease(action.order.leases)
            elif isinstance(action, ExtendRun):
                self._lease(action.leases)
            elif isinstance(action, TrimRun):
                del self.ahead[1:]
                self._lease(action.leases)
            elif isinstance(action, EndRun):
                self.ending = True
                self.running = bool(self.ahead) or not self.master.exact
            elif isinstance(action, Upload):
                self._begin(action)

    def _learn(self, orders: tuple[Order, ...]) -> None:
        for order in orders:
            if isinstance(order, (PartialAccepted, PartialRefused)):
                self.seal = order.base
            if isinstance(order, PartialAccepted):
                self.accepted = self.offered_end

    def _begin(self, action: Upload) -> None:
        assert self.upload is None
        assert action.name not in self.names
        self.names.add(action.name)
        held = [one for span in action.coverage.spans for one in range(span.start, span.end)]
        assert len(held) == action.end - action.start > 0
        assert set(held) <= set(self.done)
        behind = self.master.exact and action.start == self.accepted
        assert action.start == self.seal or behind
        self.offered_end = action.end
        self.upload = action

    def _lease(self, leases: tuple[Lease, ...]) -> None:
        for lease in leases:
            self.ahead += range(lease.start, lease.end)


def play(world: World, step: Step) -> None:
    """One thing happens."""
    kind, number = step
    if kind == "compute":
        world.compute(number)
    elif kind == "wait":
        world.wait(number)
    elif kind in ("store", "fail"):
        world.store(kind == "fail")
    elif kind == "carry":
        world.carry(number % 3)
    elif kind == "lose":
        del world.line[:1]
    elif kind == "receive":
        world.receive()
    elif kind == "claim":
        world.master.claim()
    else:
        world.master.whims.append(step)


def settle(world: World) -> None:
    """Nothing fails any more, and the task is to end."""
    world.master.whims = [("stop", 0)]
    for _ in range(200):
        for kind, number in (("carry", 1), ("receive", 0), ("compute", 1), ("store", 0)):
            play(world, (kind, number))
        world.wait(400)
        if world.master.ended:
            return
        if not world.ending:
            world.master.whims = [("stop", 0)]
    raise AssertionError("the task did not end")


KINDS = (
    "compute",
    "wait",
    "store",
    "fail",
    "carry",
    "lose",
    "receive",
    "claim",
    "collect",
    "quota",
    "cut",
    "lease",
)
steps = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 12)), max_size=120)


def check_all_counted(world: World) -> None:
    """What was computed was counted once, or dropped whole with a block that another had."""
    counted = world.master.open | world.master.sealed
    computed = set(world.done)
    assert len(world.done) == len(computed)
    assert counted <= computed
    if world.master.exact:
        assert not any(one % FOREIGN == 0 for one in counted)
    else:
        assert counted == computed


@settings(max_examples=300, deadline=None)
@given(steps)
def test_free_mode_counts_every_sample_once(drawn: list[Step]) -> None:
    world = World(exact=False)
    for step in drawn:
        play(world, step)
    settle(world)
    check_all_counted(world)


@settings(max_examples=300, deadline=None)
@given(steps)
def test_exact_mode_counts_every_block_once_or_drops_it(drawn: list[Step]) -> None:
    world = World(exact=True)
    for step in drawn:
        play(world, step)
    settle(world)
    check_all_counted(world)
