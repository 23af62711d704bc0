"""More samples for a campaign that has ended: others than it has, so that all count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from manyhands.api.finishing import finish
from manyhands.api.quantities import BadQuantity
from manyhands.api.result import Result
from manyhands.api.rules import in_words
from manyhands.api.running import hands_of
from manyhands.control.campaigns import ENDED
from manyhands.control.controller import Controller
from manyhands.control.state import State
from manyhands.control.stopping import judged
from manyhands.model.campaign import Campaign, Mode, Stage
from manyhands.model.coverage import Coverage
from manyhands.model.events import PrecisionJudged
from manyhands.model.stopping import Precision, Samples, StopRule
from manyhands.runtime import database_journal
from manyhands.runtime.answer import Answer, gather
from manyhands.runtime.brief import Brief
from manyhands.runtime.folder import Folder, FolderRefused, limits_of, room_in, undamaged
from manyhands.runtime.local_pilots import Hands
from manyhands.runtime.local_run import extend_locally
from manyhands.runtime.master import Watches
from manyhands.statistics.judging import measure

ROUNDS_MAX = 12
ROUND_MORE = 1.02  # a forecast is passed a little, so that one round is usually enough


def extend(
    path: Path, until: StopRule, pilots: int | None = None, watchers: Sequence[Watches] = ()
) -> Result:
    """Go on to a number of samples in all, or to a precision of what is then there."""
    folder = Folder(path)
    hands = hands_of(folder.brief(), pilots)
    result: Result | None = None
    for _ in range(ROUNDS_MAX):
        state = state_of(folder)
        _require_ended(folder, state)
        with undamaged(path):
            answer = gather(state, folder.store)
        missing = _missing(until, answer, path)
        if missing <= 0:
            break
        more = _next(state, answer.coverage, missing)
        result = _round(folder, more, hands, watchers)
        if result.ended != "done":
            return result
    if result is None:
        raise BadQuantity(f"{path} needs no more: {in_words(until)} is met already")
    return result


def samples_in(path: Path) -> int:
    """How many samples a campaign holds."""
    folder = Folder(path)
    state = state_of(folder)
    with undamaged(path):
        return gather(state, folder.store).samples


def state_of(folder: Folder) -> State:
    """What the journal leads to."""
    folder.brief()  # is there a campaign at all?
    with undamaged(folder.path):
        controller = Controller(limits_of(database_journal.header_of(folder.journal).about))
        for now_s, event in database_journal.read(folder.journal):
            controller.handle(now_s, event)
    return controller.state


def _round(folder: Folder, campaign: Campaign, hands: Hands, watchers: Sequence[Watches]) -> Result:
    brief = folder.brief()
    short = brief.short_blocks | _short_block(brief, campaign.begins_at)
    brief = replace(brief, samples_wanted=campaign.samples_wanted, short_blocks=short)
    with undamaged(folder.path), room_in(folder.path):
        folder.change_brief(brief)
        ran = extend_locally(folder, campaign, hands, watchers)
    return finish(folder, hands.pilots, ran)


def _short_block(brief: Brief, blocks: int) -> dict[str, int]:
    """The last of so many blocks, if it is shorter than the others: it is not the last any more."""
    wanted = brief.samples_wanted
    missing = 0 if wanted is None or not brief.exact else blocks * brief.block_samples - wanted
    return {str(blocks - 1): brief.block_samples - missing} if missing > 0 else {}


def _require_ended(folder: Folder, state: State) -> None:
    last = next(reversed(state.campaigns.values()), None)
    if last is None or last.stage not in ENDED:
        raise FolderRefused(f"{folder.path} has not ended: manyhands run --resume {folder.path}")
    if not state.partials:
        raise FolderRefused(f"{folder.path} holds no samples: run it anew in another folder")
    first = next(iter(state.campaigns.values())).campaign
    if first.mode is Mode.EXACT and last.stage is Stage.FAILED:
        raise FolderRefused(
            f"{folder.path} has failed ({last.reason}): blocks are missing, behind which no others "
            "can be added; run it anew in another folder"
        )
    if first.mode is Mode.EXACT and first.samples_in(1) < first.block_samples:
        raise FolderRefused(
            f"{folder.path} holds less than one block of {first.block_samples} samples: "
            "run it again with as many samples as are wanted"
        )


def _missing(until: StopRule, answer: Answer, path: Path) -> int:
    """How many samples more are needed, as far as can be told from those that are there."""
    if isinstance(until, Samples):
        return until.count - answer.samples
    if not isinstance(until, Precision) or answer.tallies is None:
        raise BadQuantity(f"{in_words(until)} does not extend {path}: samples or a precision do")
    found = measure(until, answer.tallies)
    estimate = judged(
        until,
        PrecisionJudged(0, 1, answer.samples, found.error, found.batches, found.vov, 0),
    )
    if estimate.met:
        return 0
    if estimate.goal is None:
        raise BadQuantity(
            f"tally {until.tally!r} is 0 so far where it should be precise: ask for more samples"
        )
    return math.ceil(estimate.goal * ROUND_MORE) - answer.samples


def _next(state: State, held: Coverage, missing: int) -> Campaign:
    """A campaign for samples that no earlier one has."""
    records = list(state.campaigns.values())
    before, number = records[0].campaign, len(records)
    if before.mode is Mode.FREE:
        used = records[-1].campaign.begins_at + records[-1].tasks_started
        return replace(before, campaign=number, stop=Samples(missing), begins_at=used)
    blocks = max(span.end for span in held.spans)
    return replace(
        before,
        campaign=number,
        stop=Samples(blocks * before.block_samples + missing),
        begins_at=blocks,
        numeric_class=records[0].numeric_class,
    )
