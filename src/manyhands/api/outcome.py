"""What a run came to, in the words of whoever asked for it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from manyhands.api.rules import in_words
from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.stopping import standard_errors
from manyhands.model.checks import is_span
from manyhands.model.events import MessageReceived
from manyhands.model.facts import TaskFailed
from manyhands.model.failures import FailureCause
from manyhands.model.stopping import AnyOf, Budget, Deadline, Precision, Samples, StopRule, leaves
from manyhands.runtime import database_journal
from manyhands.runtime.folder import Folder
from manyhands.runtime.layout import FAILURES, PILOTS
from manyhands.runtime.local_run import Ended, Ran
from manyhands.statistics.forecast import duration, samples_needed

IN_WORDS = {
    FailureCause.APPLICATION_SILENT: "it computed longer without a word than --silence allows",
    FailureCause.APPLICATION_CRASHED: "its process ended without a word: see {log}/*/log.txt",
    FailureCause.APPLICATION_OVERSIZE: "it took more than --memory or --disk allows",
    FailureCause.UPLOAD_FAILED: "results cannot be stored: is the disk full?",
}
PARTIAL = "partial"  # a deadline or a budget came before what was wanted


def ended(ran: Ran) -> str:
    """done, partial, failed or interrupted."""
    if ran.ended is Ended.DONE and not ran.answer.samples:
        return Ended.FAILED.value  # a limit came before anything was stored
    if ran.ended is Ended.DONE and _wanted(ran.record) and not _reached(ran):
        return PARTIAL
    return ran.ended.value


def mistake(ran: Ran, folder: Path) -> str:
    """What the first results showed to be wrong with what was asked for; empty if nothing was."""
    if ran.ended is not Ended.FAILED or ran.answer.samples:
        return ""
    said = [str(note["message"]) for note in failures(folder) if note.get("mistake")]
    return said[0] if said else ""


def reason(ran: Ran, folder: Path) -> str:
    """Why it ended, in one line."""
    if ran.ended is Ended.INTERRUPTED:
        return ran.reason
    if ran.ended is Ended.FAILED:
        return _failure(ran, folder)
    reached = _reached(ran) or [
        one for one in leaves(ran.record.campaign.stop) if isinstance(one, Deadline | Budget)
    ]
    met = " and ".join(in_words(one) for one in reached)
    missed = " or ".join(in_words(one) for one in _wanted(ran.record))
    if not ran.answer.samples:
        return f"nothing was stored before the limit ({met}): give it more time"
    if ended(ran) == PARTIAL:
        return f"stopped by the limit ({met}) before {missed}{_how_far(ran)}"
    if len(ran.campaigns) > 1:
        return f"extended to {ran.answer.samples:,} samples"
    blocks = ran.record.blocks
    if blocks is not None and blocks.poisoned.size and ran.record.campaign.skip_poisoned:
        return f"every other block of {met} was accepted"
    return f"reached {met}" if _wanted(ran.record) else f"its time was up ({met})"


def _wanted(record: CampaignRecord) -> list[StopRule]:
    """The goals of a rule, whose limits are something else."""
    return [one for one in leaves(record.campaign.stop) if isinstance(one, Samples | Precision)]


def _reached(ran: Ran) -> list[StopRule]:
    """Which of the goals were reached."""
    record = ran.record
    if not isinstance(record.campaign.stop, AnyOf):
        return _wanted(record)  # or it would not have ended
    return [
        one
        for one in _wanted(record)
        if (ran.answer.samples >= one.count if isinstance(one, Samples) else record.found.met)
    ]


def _how_far(ran: Ran) -> str:
    """How well a tally is known, and what the precision that was asked for would take."""
    rule, tallies = ran.record.campaign.precision, ran.answer.tallies
    if rule is None or tallies is None:
        return ""
    found = tallies.results()[rule.tally]
    if not isinstance(found.value, float) or not isinstance(found.error, float):
        return ""
    error = found.error * standard_errors(rule.confidence)
    target = rule.absolute if rule.absolute is not None else (rule.relative or 0) * abs(found.value)
    if not target > 0 or not is_span(ran.seconds):
        return f": {rule.tally} is {found.value:g} so far"
    known = f"{100 * error / abs(found.value):.2g} %" if rule.relative else f"{error:.2g}"
    needed = samples_needed(ran.answer.samples, error, target)
    if needed is None or needed <= ran.answer.samples:
        return f": {rule.tally} is known to {known}"
    left_s = (needed / ran.answer.samples - 1) * ran.seconds
    return f": {rule.tally} is known to {known}, the rest takes about {duration(left_s)} more"


def _failure(ran: Ran, folder: Path) -> str:
    """What the master says, what the application said, and how to see it again."""
    said, notes, blocks = ran.reason, failures(folder), ran.record.blocks
    block = None
    if blocks is not None and blocks.poisoned.size:
        block = blocks.poisoned.intervals()[0][0]
        notes = [note for note in notes if note["block"] == block]
        if not notes:  # nobody lived to write one
            said += f": {_how_it_failed(folder, block)}"
    if notes:
        (message, _), *_ = Counter(note["message"] for note in notes).most_common(1)
        causes = {one.value for one in FailureCause}
        what, _, cause = said.rpartition(": ")
        said = f"{what if cause in causes else said}: {message}"
    for one, words in IN_WORDS.items():
        said = said.replace(one.value, words.format(log=folder / PILOTS))
    if block is not None:
        said += f"; see it again: manyhands rerun {folder} --block {block}"
    return said


def _how_it_failed(folder: Path, block: int) -> str:
    """How hands said most often that a block failed."""
    said = Counter(
        fact.cause.value
        for _, event in database_journal.read(Folder(folder).journal)
        if isinstance(event, MessageReceived)
        for fact in event.facts
        if isinstance(fact, TaskFailed) and fact.block == block
    )
    return said.most_common(1)[0][0]


def failures(folder: Path) -> list[dict[str, Any]]:
    """What hands noted of the application's failures, the oldest first."""
    try:
        lines = (folder / FAILURES).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue  # torn when its writer was killed
    return found
