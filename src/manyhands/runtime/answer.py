"""The answer: every accepted partial of a campaign merged into one, and what it holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from manyhands.control.records import PartialRecord
from manyhands.control.state import State
from manyhands.model.coverage import EMPTY, Coverage
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
    coverage, samples = EMPTY, 0
    partials = sorted(state.partials.values(), key=_start)
    for partial in partials:
        coverage |= partial.coverage
        samples += state.campaigns[partial.campaign].campaign.samples_of(partial.coverage)
    merged = merged_from(store, [(one.name, one.digest) for one in partials])
    held = 0 if merged is None else merged.samples
    assert held == samples, f"the ledger holds {samples} samples, the objects {held}"
    return Answer(merged, coverage, samples, len(partials), digest_of(merged, coverage))


def merged_from(
    store: Path, named: Iterable[tuple[str, str]], onto: Tallies | None = None
) -> Tallies | None:
    """Merge objects, each by its name and digest, onto what there is; None of nothing."""
    for name, digest in named:
        one = Tallies.from_bytes(get(store, name, digest))
        if onto is None:
            onto = one
        else:
            onto.merge(one)
    return onto


def _start(partial: PartialRecord) -> tuple[int, int]:
    first = partial.coverage.spans[0]
    return first.line, first.start


def digest_of(tallies: Tallies | None, coverage: Coverage) -> str:
    """The answer in 32 digits: equal for equal numbers over the same samples."""
    hasher = blake2b(digest_size=DIGEST_BYTES)
    hasher.update((tallies.digest() if tallies is not None else "").encode())
    for span in coverage.spans:
        hasher.update(f"{span.line}:{span.start}-{span.end};".encode())
    return hasher.hexdigest()
