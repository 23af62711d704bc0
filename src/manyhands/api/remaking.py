"""All files of a campaign's folder made anew from its journal and its objects, at any time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from manyhands.api.finishing import result_of, write_files
from manyhands.api.reporting import Read, leave_report, read_journal
from manyhands.api.result import Result
from manyhands.applications.showing import grids_of
from manyhands.control.campaigns import ENDED
from manyhands.model.campaign import Stage
from manyhands.model.checks import Mistake
from manyhands.runtime import database_journal
from manyhands.runtime.answer import Answer, gather
from manyhands.runtime.folder import Folder, FolderRefused
from manyhands.runtime.local_run import Ended, Ran
from manyhands.runtime.objects import Torn

TRIES_MAX = 20  # an object may be replaced by a later one while it is read


class ObjectsLost(Mistake):
    """Objects that the journal speaks of are not there, and nobody replaces them."""


def remake(path: Path) -> Result:
    """Write result, pictures and report as the journal has them now.

    A campaign may be running there: then its journal is only read, and it will write the last
    word itself. If it ends while this writes, this writes once more, so that the last word stays.
    """
    folder = Folder(path)
    grids = grids_of(folder.brief().description)  # is there a campaign at all?
    while True:
        runs = database_journal.in_use(folder.journal)
        read, answer = _gathered(folder)
        result = _result(folder, read, answer, runs)
        write_files(result, grids)
        leave_report(folder, result, read)
        over = not database_journal.in_use(folder.journal)
        if not over or not _has_grown(folder, read):
            return result


def _gathered(folder: Folder) -> tuple[Read, Answer]:
    """What the journal tells and what the objects hold, of one moment."""
    lost: Torn | None = None
    for _ in range(TRIES_MAX):
        read = read_journal(folder)
        if not read.campaigns:
            raise FolderRefused(f"{folder.path} holds no campaign yet: nothing was submitted")
        try:
            return read, gather(read.state, folder.store)
        except Torn as torn:
            lost = torn
            if not _has_grown(folder, read):
                break
    assert lost is not None
    what = "missing" if lost.missing else "damaged"
    raise ObjectsLost(
        f"object {lost.name} in {folder.path} is {what}: the files of its result were left as they "
        f"are; see manyhands verify {folder.path}"
    )


def _has_grown(folder: Folder, read: Read) -> bool:
    return database_journal.count_of(folder.journal) > read.story.events


def _result(folder: Folder, read: Read, answer: Answer, runs: bool) -> Result:
    record = next(reversed(read.state.campaigns.values()))
    ended = Ended.INTERRUPTED
    if record.stage in ENDED:
        ended = Ended.DONE if record.stage is Stage.DONE else Ended.FAILED
    reason = record.reason if record.stage in ENDED else "interrupted"
    since_s = read.story.ended_s - read.story.session_s
    pilots = {one.pilot for one in read.story.lives.values() if one.seen_s >= since_s}
    ran = Ran(ended, reason, record, tuple(read.campaigns), answer, read.story.session_s)
    result = result_of(folder, len(pilots), ran)
    if ended is Ended.INTERRUPTED and runs:
        return replace(result, ended="running", reason="still running")
    return result
