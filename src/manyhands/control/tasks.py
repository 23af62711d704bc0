"""What a pilot's tasks are told: streams and quotas in free mode, leases in exact mode."""

from __future__ import annotations

from manyhands.control.blocks import Blocks
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.campaigns import WANTING, Campaigns
from manyhands.control.leasing import (
    FIRST_LEASE_BLOCKS,
    is_too_slow,
    lasts_until_asked,
    lease_blocks,
)
from manyhands.control.ledger import Ledger
from manyhands.control.life_cycles import Row, Trail
from manyhands.control.records import (
    RATE_BITS,
    Holding,
    PilotRecord,
    TaskRecord,
    TaskState,
    Turn,
)
from manyhands.control.splitting import Progress, policy_for
from manyhands.control.state import State
from manyhands.model.campaign import Ending, Split, Stage
from manyhands.model.commands import ReportIncident
from manyhands.model.facts import LeaseCut, TaskFailed, TaskProgressed
from manyhands.model.limits import Limits
from manyhands.model.orders import (
    CutLease,
    ExtendLease,
    Lease,
    SetQuota,
    StartTask,
    StopTask,
)

ACTIVE = (TaskState.RUNNING, TaskState.ENDING)
OVER = (TaskState.ENDED, TaskState.FAILED)


class Tasks:
    """Starts, leads and ends tasks."""

    def __init__(
        self, limits: Limits, state: State, trail: Trail, ledger: Ledger, campaigns: Campaigns
    ) -> None:
        self._limits = limits
        self._state = state
        self._trail = trail
        self._ledger = ledger
        self._campaigns = campaigns

    def progress(self, pilot: PilotRecord, fact: TaskProgressed, turn: Turn) -> None:
        """A task says how far it is, and is told what it needs to know."""
        task = self._state.tasks.get(fact.task)
        if task is None or task.pilot != pilot.pilot or task.state in OVER:
            turn.orders.append(StopTask(fact.task, keep=False))
            return
        record = self._state.campaigns[task.campaign]
        if task.state is TaskState.LOST:
            self._return(record, task, turn)
        if fact.busy_us > task.busy_us:
            record.used_us += fact.busy_us - task.busy_us
        position = fact.position
        if record.blocks is not None:  # what it claims beyond its leases, it cannot have
            position = min(position, record.blocks.holdings[task.task].leased)
        record.count.advance(task, position, fact.busy_us, turn.now_us)
        if record.stage not in WANTING:
            turn.orders.append(StopTask(fact.task, keep=False))
            return
        round_trip_us = pilot.round_trip_us
        if record.goal:
            left_us = record.count.time_to(record.goal, turn.now_us)
        else:
            left_us = self._campaigns.left_us(record, turn.now_us)
        report_us = self._campaigns.report_us(record, left_us, round_trip_us, turn)
        if report_us < turn.report_us:
            turn.report_us = report_us
        if task.state is TaskState.RUNNING:
            self._lead(record, task, left_us, report_us, turn)

    def start(self, record: CampaignRecord, pilot: PilotRecord, turn: Turn) -> bool:
        """Give an idle slot a task of this campaign, if there is anything for it to do."""
        if record.stage not in WANTING or record.stopping:
            return False
        if record.tasks_started >= self._limits.tasks_per_campaign_max:
            return False
        if record.blocks is not None:
            return self._start_exact(record, record.blocks, pilot, turn)
        return self._start_free(record, pilot, turn)

    def ended(self, task: TaskRecord, turn: Turn) -> None:
        """A task stopped by itself, or as it was told."""
        if task.state in OVER:
            return
        self._finish(task, "ended", turn)

    def failed(self, pilot: PilotRecord, task: TaskRecord, fact: TaskFailed, turn: Turn) -> None:
        """A task broke off; a block that fails on too many hosts is poisoned."""
        if task.state in OVER:
            return
        self._finish(task, "failed", turn)
        record = self._state.campaigns[task.campaign]
        detail = "" if fact.block is None else f"block {fact.block}"
        turn.commands.append(ReportIncident(fact.cause, pilot.pilot, fact.task, detail))
        if record.stage not in WANTING:
            return
        blocks = record.blocks
        if blocks is not None and fact.block is not None:
            if blocks.fail(task.task, fact.block, pilot.pilot, self._limits.hosts_per_block_max):
                self._trail.row(Row.BLOCK_POISONED)
                self._campaigns.grown(record, turn)
        record.failures_in_a_row += 1
        too_many = record.failures_in_a_row >= self._limits.failures_in_a_row_max
        if too_many and record.stage in WANTING:
            self._campaigns.fail(
                record, f"the application fails everywhere: {fact.cause.value}", turn
            )

    def lose(self, task: TaskRecord, turn: Turn) -> None:
        """Its pilot is silent past its lease: what it has not stored is not counted on."""
        if task.state in ACTIVE:
            self._finish(task, "lost", turn)

    def set_aside(self, task: TaskRecord) -> None:
        """Its pilot is overdue: not counted on; idle hands may copy its blocks."""
        record = self._state.campaigns[task.campaign]
        if task.counted:
            record.count.drop(task)
        if record.blocks is not None and task.state in ACTIVE:
            record.blocks.stragglers.append(task.task)

    def count_again(self, task: TaskRecord) -> None:
        """Its pilot spoke in time."""
        if task.state in ACTIVE and not task.counted:
            record = self._state.campaigns[task.campaign]
            record.count.add(task)
            if record.blocks is not None and task.task in record.blocks.stragglers:
                record.blocks.stragglers.remove(task.task)

    def cut(self, fact: LeaseCut) -> None:
        """A holder confirms which blocks it gives back: only now are they free."""
        task = self._state.tasks.get(fact.task)
        if task is None:
            return
        blocks = self._state.campaigns[task.campaign].blocks
        if blocks is None or task.task not in blocks.holdings:
            return
        if blocks.give_back(task.task, fact.blocks):
            self._trail.row(Row.BLOCKS_RETURNED)
            blocks.holdings[task.task].cut = False  # else asking again would bring nothing either

    def _return(self, record: CampaignRecord, task: TaskRecord, turn: Turn) -> None:
        """A lost task speaks again. Its blocks or its share were given away: it only delivers."""
        given_away = record.blocks is not None or policy_for(record.campaign.splitting).reassigns
        if not given_away and not record.stopping:
            task.state = self._trail.step("task", task.state, "resumed")
        else:
            task.state = self._trail.step("task", task.state, "stop")
            turn.orders.append(StopTask(task.task, keep=True))
        record.alive += 1
        record.count.add(task)

    def _lead(
        self,
        record: CampaignRecord,
        task: TaskRecord,
        left_us: int | None,
        report_us: int,
        turn: Turn,
    ) -> None:
        if record.blocks is not None:
            self._extend(record, record.blocks, task, left_us, report_us, turn)
        elif record.campaign.ending is not Ending.FORECAST:
            self._stop_as_published(record, task, turn)
        elif record.stage is Stage.DRAINING and left_us is not None and task.share == 0:
            late_us = task.upload_us - report_us
            due_us = max(left_us - late_us, 0) if late_us > 0 else left_us
            quota = task.position + (task.rate * due_us >> RATE_BITS)
            if quota > task.accepted:
                turn.orders.append(SetQuota(task.task, quota))

    def _stop_as_published(self, record: CampaignRecord, task: TaskRecord, turn: Turn) -> None:
        """Camarasu-Pop 2013, algorithm 1: stop all when the reported samples reach N."""
        wanted = record.campaign.samples_wanted or 0
        if record.count.reported + record.count.settled >= wanted:
            record.stopping = True
        if record.stopping:
            task.state = self._trail.step("task", task.state, "stop")
            turn.orders.append(StopTask(task.task, keep=True))

    def _start_free(self, record: CampaignRecord, pilot: PilotRecord, turn: Turn) -> bool:
        campaign = record.campaign
        limit, share = campaign.samples_wanted, 0
        if campaign.splitting.kind is not Split.DYNAMIC:
            share = self._share(record, pilot)
            if share == 0:
                return False
            limit = share
        stream = campaign.begins_at + record.tasks_started
        task = self._new_task(record, pilot, stream, turn)
        task.limit = limit
        task.share = share
        self._order_start(record, task, (), turn)
        return True

    def _share(self, record: CampaignRecord, pilot: PilotRecord) -> int:
        given = record.shares.get(pilot.pilot, 0)
        share = (
            policy_for(record.campaign.splitting).share(
                Progress(
                    record.campaign.samples_wanted or 0,
                    record.unassigned,
                    record.tasks_started,
                    len(self._state.pilots),
                    given,
                )
            )
            or 0
        )
        if share > 0:
            record.shares[pilot.pilot] = given + 1
            record.unassigned -= share
        return share

    def _start_exact(
        self, record: CampaignRecord, blocks: Blocks, pilot: PilotRecord, turn: Turn
    ) -> bool:
        left_us = self._campaigns.left_us(record, turn.now_us)
        period_us = self._campaigns.report_us(record, left_us, pilot.round_trip_us, turn)
        count = FIRST_LEASE_BLOCKS
        rate = pilot.rates.get(record.campaign.campaign, 0)
        if rate > 0:
            count = lease_blocks(rate, left_us, period_us, self._limits.lease_periods_max)
        leases = self._lease_or_copy(blocks, self._state.next_task, count, pilot.pilot)
        if not leases:
            return False
        task = self._new_task(record, pilot, -1, turn)
        self._order_start(record, task, leases, turn)
        return True

    def _new_task(
        self, record: CampaignRecord, pilot: PilotRecord, stream: int, turn: Turn
    ) -> TaskRecord:
        number = self._state.next_task
        self._state.next_task += 1
        task = TaskRecord(
            number,
            record.campaign.campaign,
            pilot.pilot,
            pilot.incarnation,
            stream,
            TaskState.RUNNING,
            turn.now_us,
            rate=pilot.rates.get(record.campaign.campaign, 0),
        )
        self._state.tasks[number] = task
        pilot.tasks.append(number)
        record.tasks_started += 1
        record.alive += 1
        record.count.start(task)
        self._campaigns.rearm(record, turn)
        return task

    def _order_start(
        self, record: CampaignRecord, task: TaskRecord, leases: tuple[Lease, ...], turn: Turn
    ) -> None:
        campaign, checkpoint_s = record.campaign, None
        if campaign.pace.checkpoints:
            checkpoint_s = campaign.pace.checkpoint_s or campaign.pace.report_s
            if checkpoint_s is None:
                left_us = self._campaigns.left_us(record, turn.now_us)
                checkpoint_s = self._campaigns.report_us(record, left_us, 0, turn) / 1e6
        turn.orders.append(
            StartTask(
                task.task,
                campaign.campaign,
                task.stream,
                campaign.seed,
                campaign.block_samples,
                task.limit,
                leases,
                checkpoint_s,
                campaign.growing,
            )
        )

    def _extend(
        self,
        record: CampaignRecord,
        blocks: Blocks,
        task: TaskRecord,
        left_us: int | None,
        report_us: int,
        turn: Turn,
    ) -> None:
        """Exact mode: more blocks before the lease runs out; fewer if idle hands wait."""
        holding = blocks.holdings[task.task]
        remaining = holding.leased - task.position
        if task.rate == 0 and remaining > 1:
            return  # it has not done a block yet, and has another to do meanwhile
        # It asks again when this is left, so what it is told now must last until the answer.
        pilot = self._state.pilots[task.pilot]
        soon = lasts_until_asked(task.rate, report_us, pilot.round_trip_us)
        if remaining > soon:
            if soon == 0 or remaining > soon + 1:  # what was just given is not asked back
                self._propose_cut(task, holding, remaining, turn)
        elif not holding.last:
            count = (
                lease_blocks(task.rate, left_us, report_us, self._limits.lease_periods_max)
                - remaining
            )
            if self._state.idle > 0:
                count = min(count, soon - remaining)  # the others may have the rest
            leases: tuple[Lease, ...] = ()
            if not is_too_slow(pilot.round_trip_us, left_us, report_us):
                leases = self._lease_or_copy(blocks, task.task, max(count, 1), task.pilot)
            holding.last = not leases
            holding.cut = False
            turn.orders.append(ExtendLease(task.task, leases, last=holding.last))

    def _lease_or_copy(
        self, blocks: Blocks, task: int, count: int, pilot: int
    ) -> tuple[Lease, ...]:
        """Free blocks; where there are none, copies of those that an overdue pilot holds."""
        leases = blocks.lease(task, count, pilot)
        if not leases and blocks.stragglers:
            leases = blocks.copy(task, self._state.living)
            if leases:
                self._trail.row(Row.BLOCKS_COPIED)
        return leases

    def _propose_cut(self, task: TaskRecord, holding: Holding, remaining: int, turn: Turn) -> None:
        if self._state.idle > 0 and remaining >= 2 and not holding.cut:
            self._trail.row(Row.BLOCKS_CUT)
            holding.cut = True
            turn.orders.append(CutLease(task.task, (remaining - 1) // 2))

    def _finish(self, task: TaskRecord, happening: str, turn: Turn) -> None:
        """A task brings nothing more, or perhaps nothing more: what it held is others' now."""
        record = self._state.campaigns[task.campaign]
        was_active = task.state in ACTIVE
        task.state = self._trail.step("task", task.state, happening)
        if task.counted:
            record.count.drop(task)
        if was_active:
            record.alive -= 1
            self._take_back(record, task)
        self._ledger.settle(task)
        pilot = self._state.pilots[task.pilot]
        if happening != "lost" and task.task in pilot.tasks:
            pilot.tasks.remove(task.task)
            if task.rate:
                pilot.rates[task.campaign] = task.rate
        if record.stopping and record.alive == 0:
            record.stopping = record.stored >= (record.campaign.samples_wanted or 0)
            self._campaigns.check(record, turn)

    def _take_back(self, record: CampaignRecord, task: TaskRecord) -> None:
        if record.blocks is not None:
            record.blocks.abandon(task.task)
        elif task.share > 0 and policy_for(record.campaign.splitting).reassigns:
            record.unassigned += max(task.share - task.accepted, 0)
            task.share = 0  # it may come back, and end again
