"""What a run came to, in the words of whoever asked for it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from manyhands.api.rules import in_words
from manyhands.control.campaign_record import CampaignRecord
from manyhands.model.failures import FailureCause
from manyhands.model.stopping import AnyOf, Budget, Deadline, Precision, Samples, StopRule, leaves
from manyhands.runtime.child.failing import FAILURES
from manyhands.runtime.local_run import Ended, Ran

PARTIAL = "partial"  # a deadline or a budget came before what was wanted


def ended(ran: Ran) -> str:
    """done, partial, failed or interrupted."""
    if ran.ended is Ended.DONE and _wanted(ran.record) and not _reached(ran):
        return PARTIAL
    return ran.ended.value


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
    if ended(ran) == PARTIAL:
        return f"stopped by the limit ({met}) before {missed}"
    return f"reached {met}"


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


def _failure(ran: Ran, folder: Path) -> str:
    """What the master says, what the application said, and how to see it again."""
    said = ran.reason
    notes = failures(folder)
    if notes:
        (message, _), *_ = Counter(note["message"] for note in notes).most_common(1)
        causes = {one.value for one in FailureCause}
        what, _, cause = said.rpartition(": ")
        said = f"{what if cause in causes else said}: {message}"
    said = said.replace(FailureCause.APPLICATION_SILENT.value, "it was silent for too long")
    blocks = ran.record.blocks
    if blocks is not None and blocks.poisoned.size:
        first = blocks.poisoned.intervals()[0][0]
        said += f"; see it again: manyhands rerun {folder} --block {first}"
    return said


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
