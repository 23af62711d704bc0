"""The answer: every accepted partial of a campaign merged into one, and what it holds."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from manyhands.control.campaign_record import CampaignRecord
from manyhands.control.records import PartialRecord
from manyhands.control.state import State
from manyhands.model.coverage import BLOCK_LINE, EMPTY, Coverage
from manyhands.runtime.objects import get
from manyhands.statistics.tallies import Tallies

DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Answer:
    """What a campaign has found so far."""

    tallies: Tallies | None  # None: nothing was stored
    coverage: Coverage
    samples: int
    partials: int  # that it was merged from
    digest: str


def gather(state: State, store: Path) -> Answer:
    """Merge what is accepted of a campaign and of those that extend it.

    The count is checked against what the objects hold.
    """
    merged: Tallies | None = None
    coverage, samples = EMPTY, 0
    for partial in sorted(state.partials.values(), key=_start):
        coverage |= partial.coverage
        samples += samples_in(state.campaigns[partial.campaign], partial.coverage)
        one = Tallies.from_bytes(get(store, partial.name, partial.digest))
        if merged is None:
            merged = one
        else:
            merged.merge(one)
    held = 0 if merged is None else merged.samples
    assert held == samples, f"the ledger holds {samples} samples, the objects {held}"
    return Answer(merged, coverage, samples, len(state.partials), digest_of(merged, coverage))


def _start(partial: PartialRecord) -> tuple[int, int]:
    first = partial.coverage.spans[0]
    return first.line, first.start


def samples_in(record: CampaignRecord, coverage: Coverage) -> int:
    """How many samples a coverage holds: its positions, or what is in its blocks."""
    campaign = record.campaign
    if record.blocks is None:
        return coverage.size
    return sum(
        campaign.samples_in(span.end) - campaign.samples_in(span.start)
        for span in coverage.spans
        if span.line == BLOCK_LINE
    )


def digest_of(tallies: Tallies | None, coverage: Coverage) -> str:
    """The answer in 32 digits: equal for equal numbers over the same samples."""
    hasher = blake2b(digest_size=DIGEST_BYTES)
    hasher.update((tallies.digest() if tallies is not None else "").encode())
    for span in coverage.spans:
        hasher.update(f"{span.line}:{span.start}-{span.end};".encode())
    return hasher.hexdigest()
