"""One campaign on this machine, from its submission or its resumption to its answer."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from types import FrameType

from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.campaigns import ENDED
from manyhands.control.controller import Controller
from manyhands.control.records import PilotState
from manyhands.model.campaign import Campaign, Stage
from manyhands.model.checks import Broken
from manyhands.model.commands import JudgePrecision, Reply
from manyhands.model.events import CampaignSubmitted, ObjectCollected, PilotExited
from manyhands.runtime.answer import Answer, gather
from manyhands.runtime.brief import Brief
from manyhands.runtime.database_journal import DatabaseJournal, JournalFailed
from manyhands.runtime.folder import Folder, FolderRefused, limits_of
from manyhands.runtime.judging import Judges
from manyhands.runtime.layout import KEPT, PILOTS
from manyhands.runtime.local_pilots import Hands, LocalPilots
from manyhands.runtime.master import Master, Watches

FLUSH_S_MAX = 60.0  # how long pilots may take to store what they have when they are stopped


class Ended(Enum):
    """How a run ended."""

    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"  # the campaign is still open: it can be resumed


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that has ended, whatever it came to."""

    ended: Ended
    reason: str
    record: CampaignRecord  # of the last campaign
    campaigns: tuple[Campaign, ...]  # the first, and those that extended it
    answer: Answer
    seconds: float


class LocalRun:
    """The master, its pilots and their objects, for one campaign in one folder."""

    def __init__(
        self,
        folder: Folder,
        journal: DatabaseJournal,
        pilots: LocalPilots,
        watchers: Sequence[Watches],
    ) -> None:
        self._folder = folder
        self._journal = journal
        controller = Controller(limits_of(journal.header.about))
        self.master = Master(journal, controller, self, watchers)
        self.pilots = pilots
        self._keeps = folder.brief().keep_partials
        self._judges = Judges(folder.path, folder.store, self.master.put)
        self._watchers = watchers
        self._begun_s = time.monotonic()
        self._stop_s: float | None = None
        self._campaign = 0
        self._interrupts = 0

    # ---- what the master has done ----------------------------------------------------------

    def reply(self, reply: Reply) -> None:
        """Answer a pilot."""
        self.pilots.reply(reply)

    def delete(self, name: str) -> None:
        """Delete an object, and the folder that it leaves empty; or keep it elsewhere."""
        path = self._folder.store / name
        if self._keeps and self.master.controller.state.given_up.get(name):
            kept = self._folder.path / KEPT / name
            kept.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                path.replace(kept)
        path.unlink(missing_ok=True)
        try:
            path.parent.rmdir()
        except OSError:
            pass  # there are others in it

    def judge(self, command: JudgePrecision) -> None:
        """Look at the merged result, beside everything else."""
        self._judges.judge(command)

    # ---- the run ---------------------------------------------------------------------------

    def begin(self, campaign: Campaign) -> Ran:
        """Run a new campaign; its pilots have been started."""
        return self._run(partial(self._submit, campaign))

    def resume(self) -> Ran:
        """Go on with the campaign that was begun in this folder."""
        return self._run(self._go_on)

    def extend(self, campaign: Campaign) -> Ran:
        """Run another campaign in the same pool, whose samples are others."""
        return self._run(partial(self._add, campaign))

    def _submit(self, campaign: Campaign) -> None:
        """The campaign is a durable fact before anybody works for it."""
        number = self._campaign = campaign.campaign
        self.master.put(CampaignSubmitted(campaign))
        while number not in self.master.controller.state.campaigns:
            self.master.turn()
        self.pilots.listen(self.master.put)

    def _go_on(self) -> None:
        self.master.recover(self._journal.records())
        self._campaign = next(reversed(self.master.controller.state.campaigns), 0)
        if self._record() is None:
            path = self._folder.path
            raise FolderRefused(
                f"{path} holds no campaign: it was stopped before it began; "
                f"run it again with --out {path}"
            )
        if not self._has_ended():
            self._start_pilots()

    def _add(self, campaign: Campaign) -> None:
        self.master.recover(self._journal.records())
        self._submit(campaign)
        self._start_pilots()

    def _start_pilots(self) -> None:
        """Those who worked before are dead; what they left without a fact is garbage."""
        pilots = list(self.master.controller.state.pilots.values())
        for pilot in pilots:
            self.master.put(PilotExited(pilot.pilot, pilot.incarnation))
        self._collect()
        removed = {one.pilot for one in pilots if one.state is PilotState.REMOVED}
        self.pilots.listen(self.master.put)
        self.pilots.start({one.pilot: one.incarnation for one in pilots}, removed)

    def interrupt(self) -> None:
        """Stop: the first time with all that is under way stored, the second time at once."""
        self._interrupts += 1
        self.master.wake()

    def _run(self, start: Callable[[], None]) -> Ran:
        with self._interruptible():
            try:
                ended, reason = self._course(start)
                self.pilots.dismiss()
                return self._ran(ended, reason)  # while they leave
            finally:
                self.pilots.end()
                self._judges.end()
                self._journal.close()

    def _course(self, start: Callable[[], None]) -> tuple[Ended, str]:
        try:
            return self._until_the_end(start)
        except JournalFailed as error:
            again = f"make room, then manyhands run --resume {self._folder.path}"
            return Ended.FAILED, f"the journal cannot be written ({error}): {again}"

    def _ran(self, ended: Ended, reason: str) -> Ran:
        record = self._record()
        if record is None:
            raise Broken(reason)  # it could not even be noted
        state = self.master.controller.state
        answer = gather(state, self._folder.store)
        campaigns = tuple(one.campaign for one in state.campaigns.values())
        return Ran(ended, reason, record, campaigns, answer, time.monotonic() - self._begun_s)

    def _until_the_end(self, start: Callable[[], None]) -> tuple[Ended, str]:
        start()
        while True:
            record = self._record()
            assert record is not None, "a campaign was submitted"
            if record.stage in ENDED:
                done = record.stage is Stage.DONE
                return (Ended.DONE if done else Ended.FAILED), record.reason
            if self._interrupts and self._stop_s is None:
                self._stop_s = time.monotonic()
                self.pilots.stop()
                for watcher in self._watchers:
                    watcher.stop()
            if self._stop_s is not None:
                overdue = time.monotonic() - self._stop_s > FLUSH_S_MAX
                if self._interrupts > 1 or overdue or not self.pilots.living:
                    self._hear_the_rest()
                    return Ended.INTERRUPTED, "interrupted"
            elif not self.pilots.living:
                self._hear_the_rest()
                where = self._folder.path / PILOTS
                return Ended.FAILED, f"no pilot can be started or trusted: see {where}"
            self.master.turn()

    def _hear_the_rest(self) -> None:
        """What the last pilots said before they ended."""
        self.master.wake()
        self.master.turn()

    def _record(self) -> CampaignRecord | None:
        campaigns = self.master.controller.state.campaigns
        return campaigns.get(self._campaign)

    def _has_ended(self) -> bool:
        record = self._record()
        return record is not None and record.stage in ENDED

    def _collect(self) -> None:
        """Give up the objects that no fact speaks of; those who made them are all dead."""
        store = self._folder.store
        for path in sorted(store.rglob("*")):
            if path.suffix == ".part":
                path.unlink(missing_ok=True)
            elif path.is_file():
                name = path.relative_to(store).as_posix()
                if not self.master.controller.refers_to(name):
                    self.master.put(ObjectCollected(name))

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Ctrl-C is a wish to stop, not an exception, while this lasts."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def heard(number: int, frame: FrameType | None) -> None:
            self.interrupt()

        before = {one: signal.signal(one, heard) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


def run_locally(
    folder: Folder,
    brief: Brief,
    campaign: Campaign,
    pilots: LocalPilots,
    lock: int,
    watchers: Sequence[Watches] = (),
) -> Ran:
    """Run a new campaign in a folder that was claimed, with pilots that have been started."""
    journal = folder.begin(brief, pilots.count, lock)
    return LocalRun(folder, journal, pilots, watchers).begin(campaign)


def resume_locally(folder: Folder, hands: Hands, watchers: Sequence[Watches] = ()) -> Ran:
    """Go on where a campaign was interrupted, by whatever it was."""
    pilots = LocalPilots(folder.path, hands)
    return LocalRun(folder, folder.resume(), pilots, watchers).resume()


def extend_locally(
    folder: Folder, campaign: Campaign, hands: Hands, watchers: Sequence[Watches] = ()
) -> Ran:
    """Add the samples of another campaign to one that has ended."""
    pilots = LocalPilots(folder.path, hands)
    return LocalRun(folder, folder.resume(), pilots, watchers).extend(campaign)
