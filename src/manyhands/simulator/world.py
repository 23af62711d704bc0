"""A simulated world: the pilots, the network, the store and the master of one scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from typing import Protocol

from manyhands.model.campaign import Stage
from manyhands.model.commands import AnnounceStage, Command
from manyhands.model.coverage import EMPTY
from manyhands.model.events import (
    CampaignCancelled,
    CampaignSubmitted,
    Event,
    MessageReceived,
    PilotExited,
    PilotRemoved,
)
from manyhands.model.facts import PartialStored
from manyhands.model.failures import FailureCause
from manyhands.model.orders import StartTask
from manyhands.simulator.clock import SECOND, us
from manyhands.simulator.deciders import REAL, Deciders, HandBirth, Master
from manyhands.simulator.faults import Fault
from manyhands.simulator.master_shell import MasterShell
from manyhands.simulator.metrics import CampaignOutcome, Outcome, Simulated, figures
from manyhands.simulator.physics import Physics
from manyhands.simulator.pilot_shell import PilotShell
from manyhands.simulator.scenario import PilotPlan, Scenario, Submission
from manyhands.simulator.store import Store, StoredObject
from manyhands.simulator.transfers import Transfers

ENDED = (Stage.DONE, Stage.FAILED, Stage.CANCELLED)


class Observer(Protocol):
    """Who watches a world, to see whether its promises are kept."""

    def event(
        self, now_s: float, event: Event, commands: list[Command], controller: Master
    ) -> None:
        """An event was handled."""

    def stored(self, name: str, thing: StoredObject) -> None:
        """The store has a new object."""

    def deleted(self, name: str) -> None:
        """The store has one object less."""

    def started(self, pilot: int, order: StartTask) -> None:
        """A pilot began to work on a task."""

    def ended(self, world: World) -> None:
        """That was all."""


class World:
    """One scenario come to life; `run` it once."""

    def __init__(
        self, scenario: Scenario, observer: Observer | None = None, deciders: Deciders = REAL
    ) -> None:
        self.scenario = scenario
        self.observer = observer
        self.physics = Physics(scenario)
        self.alarms = self.physics.alarms
        self.store = Store(observer)
        self.transfers = Transfers(self.physics, self.store)
        self.master = MasterShell(
            scenario, self.physics, self.store, deciders, self._announced, observer
        )
        self.shells: list[PilotShell] = []
        self.processes: dict[int, list[PilotShell]] = {}  # of each pilot, the latest last
        self.stages: dict[int, AnnounceStage] = {}
        self._cancelled_in = {one.campaign.campaign: one.cancelled_in for one in scenario.campaigns}
        self.simulated: dict[int, Simulated] = {}  # at the close
        self.ended_us: dict[int, int] = {}
        self._deciders = deciders
        self._plan_everything()

    def run(self) -> Outcome:
        """Let it all happen."""
        self.alarms.run(us(self.scenario.until_s))
        for shell in self.shells:
            shell.observe()
        if self.observer is not None:
            self.observer.ended(self)
        return self._outcome()

    # ---- the plan ------------------------------------------------------------------------

    def _plan_everything(self) -> None:
        for submission in self.scenario.campaigns:
            self._plan_campaign(submission)
        for plan in self.scenario.pilots:
            self._plan_pilot(plan)
        for start_s, end_s in self.scenario.master.outages:
            self._plan_fault(start_s, self._outage, us(end_s))
        if self.scenario.broken_s is not None:
            start_s, end_s = self.scenario.broken_s
            self._plan_fault(start_s, self._break_down, us(end_s))
        every_s = self.scenario.master.collect_every_s
        if every_s is not None:
            self.alarms.push(us(every_s), self.master.collect)

    def _plan_campaign(self, submission: Submission) -> None:
        campaign = submission.campaign
        submitted = CampaignSubmitted(campaign)
        self.alarms.push(us(submission.submitted_s), self.master.insist, submitted)
        if submission.cancelled_s is not None:
            self._plan_fault(submission.cancelled_s, self._cancel, campaign.campaign)

    def _plan_pilot(self, plan: PilotPlan) -> None:
        self.alarms.push(us(plan.arrival_s), self._arrive, plan)
        for start_s, end_s in plan.silences:
            self._plan_fault(start_s, self._silence, (plan.pilot, us(end_s)))
        if plan.death_s is not None:
            self._plan_fault(plan.death_s, self._die, plan)
        if plan.walltime_s is not None and plan.walltime_s < self.scenario.faults_end_s:
            notice_s = max(plan.walltime_s - plan.notice_s, plan.arrival_s)
            self.alarms.push(us(notice_s), self._warn, plan)
            self.alarms.push(us(plan.walltime_s), self._take_host_back, plan)
        if plan.removed_s is not None:
            self._plan_fault(plan.removed_s, self._remove, plan.pilot)

    def _plan_fault(self, time_s: float, call: object, argument: object) -> None:
        assert callable(call)
        if time_s < self.scenario.faults_end_s:
            self.alarms.push(us(time_s), call, argument)

    # ---- what befalls it -----------------------------------------------------------------

    def _arrive(self, plan: PilotPlan) -> None:
        if plan.slow_factor > 1.0:
            self.physics.met(Fault.SLOW_REPORTER)
        if plan.profile.stepping:
            self.physics.met(Fault.SPEED_STEP)
        self._start(HandBirth(plan.pilot, 0, plan.slots, plan.site), plan)

    def _start(self, birth: HandBirth, plan: PilotPlan) -> None:
        machine = self._deciders.hand(birth)
        shell = PilotShell(plan, birth.incarnation, machine, self.transfers, self.master)
        if self.observer is not None:
            shell.starts_seen = self.observer.started
        self.shells.append(shell)
        self.processes.setdefault(plan.pilot, []).append(shell)
        self.master.shells[plan.pilot, birth.incarnation] = shell
        shell.start()

    def _die(self, plan: PilotPlan) -> None:
        shell = self.processes[plan.pilot][-1]
        if not shell.alive:
            return
        if plan.ghost:
            shell.ghost = True
        else:
            shell.end()
        if plan.exit_seen_s is not None and not plan.ghost:
            seen_us = self.alarms.now_us + us(plan.exit_seen_s)
            self.alarms.push(seen_us, self._see_exit, (plan.pilot, shell.incarnation))
        if plan.restart_s is None:
            self.physics.met(Fault.SILENT_DEATH)
        else:
            self.alarms.push(self.alarms.now_us + us(plan.restart_s), self._restart, plan)

    def _restart(self, plan: PilotPlan) -> None:
        self.physics.met(Fault.NEW_INCARNATION)
        old = self.processes[plan.pilot][-1]
        found = (*old.unanswered.values(), *self._found_besides(plan, old))
        number = old.incarnation + 1
        self._start(HandBirth(plan.pilot, number, plan.slots, plan.site, found), plan)

    def _found_besides(self, plan: PilotPlan, old: PilotShell) -> Iterator[PartialStored]:
        """What a restart takes for its last life's, by its own fault."""
        if not self.physics.faulty:
            return
        stored = next(reversed(old.unanswered.values()), old.judged_last)
        if plan.finds_otherwise and stored is not None:
            self.physics.met(Fault.FOUND_OTHERWISE)
            campaign = old.runs[stored.task].order.campaign
            yield self.transfers.store_otherwise(campaign, stored)
        if plan.finds_foreign:
            messages = (one for _, one in reversed(self.master.journal))
            others = (
                fact
                for one in messages
                if isinstance(one, MessageReceived) and one.pilot != plan.pilot
                for fact in one.facts
                if isinstance(fact, PartialStored)
            )
            for fact in islice(others, 1):
                self.physics.met(Fault.FOUND_FOREIGN)
                yield fact

    def _break_down(self, end_us: int) -> None:
        self.physics.met(Fault.APPLICATION_BROKEN)
        self.physics.broken = True
        self.alarms.push(end_us, self._mend)
        for shell in self.shells:
            shell.break_down()

    def _mend(self, _: None) -> None:
        self.physics.broken = False

    def _see_exit(self, who: tuple[int, int]) -> None:
        self.physics.met(Fault.EXIT_SEEN)
        self.master.insist(PilotExited(*who))

    def _silence(self, argument: tuple[int, int]) -> None:
        pilot, end_us = argument
        for shell in self.processes.get(pilot, ()):
            if shell.alive:
                self.physics.met(Fault.SILENCE)
                shell.cut_off = True
                self.alarms.push(end_us, self._return, shell)

    def _return(self, shell: PilotShell) -> None:
        shell.cut_off = False
        if shell.alive:
            self.physics.met(Fault.SILENCE_OVER)

    def _warn(self, plan: PilotPlan) -> None:
        for shell in self.processes[plan.pilot]:
            shell.stop(FailureCause.WALLTIME_ENDED)

    def _take_host_back(self, plan: PilotPlan) -> None:
        self.physics.met(Fault.WALLTIME)
        for shell in self.processes[plan.pilot]:
            shell.end()

    def _remove(self, pilot: int) -> None:
        self.physics.met(Fault.PILOT_REMOVED)
        self.master.insist(PilotRemoved(pilot))

    def _cancel(self, campaign: int) -> None:
        self.physics.met(Fault.CAMPAIGN_CANCELLED)
        self.master.insist(CampaignCancelled(campaign))

    def _outage(self, end_us: int) -> None:
        self.physics.met(Fault.MASTER_OUTAGE)
        self.master.leave(end_us)

    # ---- the end -------------------------------------------------------------------------

    def _announced(self, announced: AnnounceStage) -> None:
        number = announced.campaign
        self.stages[number] = announced
        if announced.stage is self._cancelled_in[number]:
            self.alarms.push(self.alarms.now_us + 1, self._cancel, number)
        if announced.stage is Stage.CLOSED:
            self.simulated.setdefault(number, self._simulated(number))
        if announced.stage in ENDED and number not in self.ended_us:
            self.ended_us[number] = self.alarms.now_us
            if len(self.ended_us) == len(self.scenario.campaigns):
                linger_us = us(self.scenario.linger_s)
                self.alarms.push(self.alarms.now_us + linger_us, self._stop)

    def _stop(self, _: None) -> None:
        self.alarms.stopped = True

    def _simulated(self, campaign: int) -> Simulated:
        accepted = self._accepted_positions()
        living = dead = dead_accepted = 0
        for shell in self.shells:
            shell.observe()
            runs = [run for run in shell.runs.values() if run.order.campaign == campaign]
            simulated = sum(run.samples() for run in runs)
            if shell.alive:
                living += simulated
            else:
                dead += simulated
                dead_accepted += sum(run.samples_to(accepted.get(run.task, 0)) for run in runs)
        return Simulated(self.alarms.now_us, living, dead, dead_accepted)

    def _accepted_positions(self) -> dict[int, int]:
        """How many positions of each task were accepted."""
        ends: dict[int, int] = {}
        for name in self.master.accepted:
            origin = self.store.origins[name]
            ends[origin.task] = max(ends.get(origin.task, 0), origin.end)
        return ends

    def _outcome(self) -> Outcome:
        journal = self.master.journal
        messages = [one for _, one in journal if isinstance(one, MessageReceived)]
        facts = chain.from_iterable(one.facts for one in messages)
        orders = self.master.orders
        return Outcome(
            seed=self.scenario.seed,
            campaigns=tuple(self._campaign_outcome(one) for one in self.scenario.campaigns),
            ended_s=self.alarms.now_us / SECOND,
            messages=sum(shell.messages for shell in self.shells),
            messages_heard=len(messages),
            replies=self.master.replies,
            pilot_periods=self._pilot_periods(),
            events=_by_name(Counter(type(one) for _, one in journal)),
            facts=_by_name(Counter(map(type, facts))),
            orders=_by_name(Counter(dict(orders))),
            incidents=dict(self.master.incidents),
            faults_met=dict(self.physics.faults_met),
        )

    def _campaign_outcome(self, submission: Submission) -> CampaignOutcome:
        campaign = submission.campaign
        number = campaign.campaign
        last = self.stages.get(number)
        names = self._answer(number)
        coverage, value = self.store.union(names) if names else (EMPTY, 0)
        samples = self.physics.toys[number].samples(coverage)
        ended_us = self.ended_us.get(number)
        at = self.simulated.get(number)
        return CampaignOutcome(
            campaign=number,
            stage=Stage.OPEN if last is None else last.stage,
            reason="" if last is None else last.reason,
            figures=None
            if at is None or not samples
            else figures(
                self.scenario, submission.submitted_s, campaign.samples_wanted, samples, at
            ),
            makespan_s=None if ended_us is None else ended_us / SECOND - submission.submitted_s,
            samples=samples,
            value=value,
            coverage=coverage,
        )

    def _answer(self, campaign: int) -> tuple[str, ...]:
        """The objects that hold what was accepted."""
        master = self.master
        return tuple(
            name
            for name, thing in self.store.objects.items()
            if thing.campaign == campaign
            and name not in master.condemned
            and master.controller.refers_to(name)
        )

    def _pilot_periods(self) -> float:
        """How long pilots lived, in their report periods, if all campaigns fix the same one."""
        periods = {one.campaign.pace.report_s for one in self.scenario.campaigns}
        period_s = periods.pop()
        if periods or period_s is None:
            return 0.0
        ended_s = self.alarms.now_us / SECOND
        total_s = 0.0
        for plan in self.scenario.pilots:
            for start_s, end_s in plan.lives(self.scenario.faults_end_s):
                total_s += max(min(end_s, ended_s) - start_s, 0.0)
        return total_s / period_s


def _by_name(counter: Counter[type]) -> dict[str, int]:
    return {kind.__name__: count for kind, count in counter.items()}
