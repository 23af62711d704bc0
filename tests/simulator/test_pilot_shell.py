"""A pilot's shell does what its machine orders, and says first how far its runs have come."""

from __future__ import annotations

from collections.abc import Callable

from manyhands.model.campaign import Campaign, Mode
from manyhands.model.commands import Reply
from manyhands.model.coverage import Coverage, Span
from manyhands.model.events import MessageReceived
from manyhands.model.failures import FailureCause
from manyhands.model.orders import Lease, StartTask
from manyhands.model.stopping import Samples
from manyhands.pilot.signals import (
    Action,
    Advanced,
    EndRun,
    Exit,
    ReplyReceived,
    RunFailed,
    Send,
    Signal,
    Started,
    StartRun,
    StopRequested,
    Ticked,
    Upload,
    UploadEnded,
    WakeAt,
    WatchPosition,
)
from manyhands.simulator.clock import us
from manyhands.simulator.host import constant
from manyhands.simulator.physics import Physics
from manyhands.simulator.pilot_shell import PilotShell
from manyhands.simulator.scenario import Network, PilotPlan, Scenario, Submission
from manyhands.simulator.store import Store
from manyhands.simulator.transfers import Transfers

PLAN = PilotPlan(0, 0.0, constant(10.0), slots=2, upload_s=(4.0, 4.0))
FREE = StartTask(1, 0, 0, 1, 0, None, (), None, False)
EXACT = StartTask(2, 1, -1, 1, 10, None, (Lease(0, 9),), None, False)


class Script:
    """A machine that orders what a test says, and notes what it is told and when."""

    def __init__(self, orders: dict[type, list[Action]]) -> None:
        self.orders = orders
        self.told: list[tuple[float, Signal]] = []

    def handle(self, now_s: float, signal: Signal) -> list[Action]:
        self.told.append((now_s, signal))
        return self.orders.pop(type(signal), [])


class Inbox:
    """A master that only listens."""

    def __init__(self) -> None:
        self.heard: list[MessageReceived] = []

    def receive(self, sender: PilotShell, message: MessageReceived) -> None:
        self.heard.append(message)


def shell_of(script: Script, plan: PilotPlan = PLAN, loss_p: float = 0.0) -> PilotShell:
    campaigns = (
        Submission(Campaign(0, "free", 1, Samples(1000))),
        Submission(Campaign(1, "exact", 1, Samples(1000), Mode.EXACT, block_samples=10)),
    )
    network = Network(1.0, 0.0, loss_p)
    physics = Physics(Scenario(1, campaigns, (plan,), until_s=100.0, network=network))
    shell = PilotShell(plan, 0, script, Transfers(physics, Store()), Inbox())
    shell.start()
    return shell


def at(shell: PilotShell, time_s: float, call: Callable[[], object]) -> None:
    shell.alarms.push(us(time_s), lambda _: call())


def test_progress_is_told_before_anything_else() -> None:
    script = Script({Started: [StartRun(FREE), StartRun(EXACT), WakeAt(2.55)]})
    shell_of(script).alarms.run(us(3))
    (_, started), *ticked = script.told
    assert isinstance(started, Started)
    assert [signal for _, signal in ticked] == [
        Advanced(1, 25, 2_550_001),
        Advanced(2, 2, 2_550_001),
        Ticked(),
    ]


def test_the_last_order_to_wake_holds() -> None:
    script = Script({Started: [WakeAt(5.0), WakeAt(7.0), WakeAt(3.0)]})
    shell_of(script).alarms.run(us(9))
    assert [round(now_s, 3) for now_s, signal in script.told if signal == Ticked()] == [3.0]


def test_a_watched_position_is_told_at_its_very_time() -> None:
    script = Script({Started: [StartRun(FREE), WatchPosition(1, 42)]})
    shell_of(script).alarms.run(us(9))
    assert script.told[1:] == [(4.2, Advanced(1, 42, 4_200_000))]


def test_a_run_that_is_ended_says_its_last_word_behind_its_block() -> None:
    ends: list[Action] = [EndRun(1), EndRun(2), WakeAt(2.8)]
    script = Script({Started: [StartRun(FREE), StartRun(EXACT), WakeAt(2.5)], Ticked: ends})
    shell_of(script).alarms.run(us(9))
    assert script.told[3:] == [
        (2.500001, Ticked()),
        (2.500001, Advanced(1, 25, 2_500_001)),
        (2.800001, Ticked()),
        (3.0, Advanced(2, 3, 3_000_000)),
    ]


def test_an_upload_puts_the_object_there_and_says_its_digest() -> None:
    upload = Upload(1, 0, 20, "1/1", Coverage((Span(0, 0, 20),)))
    script = Script({Started: [StartRun(FREE), WakeAt(2.0)], Ticked: [upload]})
    shell = shell_of(script)
    shell.alarms.run(us(9))
    ended = script.told[-1][1]
    assert isinstance(ended, UploadEnded)
    assert ended.cause is None
    assert ended.name == f"1/1/{ended.digest}"
    assert ended.upload_us == us(4)
    assert shell.transfers.store.objects[ended.name].coverage == upload.coverage
    assert shell.transfers.store.origins[ended.name] is upload


def test_nothing_passes_while_the_line_is_cut_and_an_upload_is_tried_again() -> None:
    upload = Upload(1, 0, 20, "1/1", Coverage((Span(0, 0, 20),)))
    message = MessageReceived(0, 0, 1, ())
    script = Script({Started: [StartRun(FREE), WakeAt(2.0)], Ticked: [upload, Send(message)]})
    shell = shell_of(script)
    at(shell, 1.0, lambda: setattr(shell, "cut_off", True))
    at(shell, 3.0, lambda: shell.receive(Reply(0, 0, 1, (), 60.0)))
    at(shell, 7.0, lambda: setattr(shell, "cut_off", False))
    shell.alarms.run(us(20))
    assert isinstance(shell.inbox, Inbox)
    assert not shell.inbox.heard
    assert [type(one) for _, one in script.told].count(ReplyReceived) == 0
    assert script.told[-1][0] == 10.000001
    assert isinstance(script.told[-1][1], UploadEnded)


def test_a_message_takes_its_time_and_may_be_lost() -> None:
    message = MessageReceived(0, 0, 1, ())
    for loss_p, heard in ((0.0, [message]), (1.0, [])):
        shell = shell_of(Script({Started: [Send(message)]}), loss_p=loss_p)
        assert isinstance(shell.inbox, Inbox)
        shell.alarms.run(us(0.9))
        assert not shell.inbox.heard
        shell.alarms.run(us(1.1))
        assert shell.inbox.heard == heard


def test_a_process_that_has_ended_is_told_nothing() -> None:
    script = Script({Started: [StartRun(FREE), WakeAt(5.0)]})
    shell = shell_of(script)
    at(shell, 2.0, shell.end)
    shell.alarms.run(us(9))
    assert len(script.told) == 1
    assert shell.runs[1].position == 20


def test_a_stop_is_told_and_an_exit_is_the_end() -> None:
    cause = FailureCause.WALLTIME_ENDED
    script = Script({Started: [WakeAt(5.0)], StopRequested: [Exit(cause)]})
    shell = shell_of(script)
    at(shell, 2.0, lambda: shell.stop(cause))
    shell.alarms.run(us(9))
    assert [type(one) for _, one in script.told] == [Started, StopRequested]
    assert not shell.alive


def test_a_task_that_crashes_says_so_and_goes_no_further() -> None:
    plan = PilotPlan(0, 0.0, constant(10.0), fails_task_p=1.0)
    script = Script({Started: [StartRun(EXACT)]})
    shell = shell_of(script, plan)
    shell.alarms.run(us(2000))
    failed = [one for _, one in script.told if isinstance(one, RunFailed)]
    assert [one.task for one in failed] == [2]
    assert shell.runs[2].ended
