"""What a run leaves: the result in Python, then its files, then pictures and the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from manyhands.api import outcome
from manyhands.api.doubts import doubts
from manyhands.api.result import Result
from manyhands.api.rules import in_words
from manyhands.applications.showing import grids_of
from manyhands.runtime.folder import Folder
from manyhands.runtime.local_run import Ended, Ran
from manyhands.statistics.results import Grid


def finish(folder: Folder, pilots: int, ran: Ran) -> Result:
    """The result of a run, in Python and in the folder; nothing that fails here can lose it."""
    from manyhands.api.reporting import leave_report  # not before the end: it takes a moment

    result = result_of(folder, pilots, ran)
    try:
        write_files(result, grids_of(folder.brief().description))
        leave_report(folder, result)
    except OSError as error:
        return replace(result, unwritten=f"not all could be written: {error.strerror or error}")
    except Exception as error:  # a fault of ours must not cost the user the answer
        what = f"{type(error).__name__}: {error}"
        return replace(result, unwritten=f"the report could not be drawn ({what})")
    return result


def result_of(folder: Folder, pilots: int, ran: Ran) -> Result:
    """A run's result."""
    campaign, answer = ran.record.campaign, ran.answer
    blocks = ran.record.blocks
    return Result(
        campaign.name,
        campaign.mode.value,
        outcome.ended(ran),
        outcome.reason(ran, folder.path),
        ", then ".join(in_words(one.stop) for one in ran.campaigns),
        answer.samples,
        ran.seconds,
        pilots,
        campaign.seed,
        answer.digest,
        {} if answer.tallies is None else answer.tallies.results(),
        folder.path,
        ran.record.refused * (campaign.block_samples or 1),
        0 if blocks is None or ran.ended is Ended.INTERRUPTED else _skipped(ran),
        doubts(ran),
    )


def write_files(result: Result, grids: Mapping[str, Grid]) -> None:
    """The numbers as files that any program opens."""
    from manyhands.analysis.files import ARCHIVE, RESULT, write_archive, write_images, write_result

    if result.tallies:
        write_archive(result.folder / ARCHIVE, result.tallies, result.samples)
        write_images(result.folder, result.tallies, grids)
    write_result(result.folder / RESULT, result.to_plain())


def _skipped(ran: Ran) -> int:
    """Samples of poisoned blocks that belong to the answer's range but are not in it."""
    blocks = ran.record.blocks
    assert blocks is not None
    end = ran.record.final_blocks
    campaign = ran.record.campaign
    return sum(
        campaign.samples_in(last) - campaign.samples_in(first)
        for first, last in blocks.poisoned.intervals()
        if end is None or first < end
    )
