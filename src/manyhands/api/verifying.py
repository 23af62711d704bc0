"""Is a result what its journal and its objects say? Counted, merged and computed again."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

from manyhands.analysis.files import RESULT
from manyhands.control.controller import Controller
from manyhands.control.state import State
from manyhands.model.commands import DeleteObject, Reply
from manyhands.model.coverage import EMPTY, Coverage
from manyhands.model.events import MessageReceived
from manyhands.model.facts import PartialStored
from manyhands.model.orders import PartialAccepted
from manyhands.runtime import database_journal
from manyhands.runtime.answer import digest_of, gather
from manyhands.runtime.child.rerun import RerunFailed, rerun
from manyhands.runtime.folder import Folder, limits_of
from manyhands.runtime.objects import Torn, get
from manyhands.runtime.objects import digest_of as object_digest
from manyhands.statistics.tallies import Tallies

BLOCKS_AT_ONCE_MAX = 10_000  # a partial of more is not computed again


@dataclass(slots=True)
class Verdict:
    """What was looked at, and whether it was as it should be."""

    findings: list[tuple[bool, str]] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether nothing was wrong."""
        return all(valid for valid, _ in self.findings)

    def say(self, valid: bool, what: str) -> None:
        """One more thing was looked at."""
        self.findings.append((valid, what))


@dataclass(slots=True)
class Books:
    """The ledger kept once more, from what was said and answered: no deciding code in it."""

    offered: dict[str, PartialStored] = field(default_factory=dict)
    held: dict[str, PartialStored] = field(default_factory=dict)
    controller: Controller = field(default_factory=Controller)

    def keep(self, folder: Folder) -> State:
        """Read the whole journal."""
        about = database_journal.header_of(folder.journal).about
        self.controller = Controller(limits_of(about))
        for now_s, event in database_journal.read(folder.journal):
            if isinstance(event, MessageReceived):
                for fact in event.facts:
                    if isinstance(fact, PartialStored):
                        self.offered[fact.name] = fact
            for command in self.controller.handle(now_s, event):
                if isinstance(command, Reply):
                    for order in command.orders:
                        if isinstance(order, PartialAccepted):
                            self.held[order.name] = self.offered[order.name]
                elif isinstance(command, DeleteObject):
                    self.held.pop(command.name, None)
        return self.controller.state

    def coverage(self) -> Coverage:
        """All that is held; raises Overlap if anything is held twice."""
        found = EMPTY
        for one in self.held.values():
            found |= one.coverage
        return found


def verify(path: Path, blocks: int = 3, seed: int | None = None) -> Verdict:
    """Recount the ledger, merge the objects anew, compute some blocks again."""
    folder, verdict, books = Folder(path), Verdict(), Books()
    brief = folder.brief()
    state = books.keep(folder)
    said = json.loads((path / RESULT).read_text(encoding="utf-8"))
    _recount(verdict, books, state, said)
    try:
        answer = gather(state, folder.store)
    except Torn as torn:
        verdict.say(False, f"object {torn.name} is {'missing' if torn.missing else 'damaged'}")
        return verdict
    same = answer.digest == said["digest"]
    verdict.say(same, f"{answer.partials} objects merge to {answer.digest}, as in the result")
    if brief.exact and blocks:
        _compute_again(verdict, folder, state, blocks, random.Random(seed))
    elif blocks:
        verdict.say(True, "nothing is computed again: free mode depends on the sizes of batches")
    return verdict


def _recount(verdict: Verdict, books: Books, state: State, said: dict[str, object]) -> None:
    coverage = books.coverage()
    samples = sum(
        state.campaigns[state.tasks[one.task].campaign].campaign.samples_of(one.coverage)
        for one in books.held.values()
    )
    verdict.say(
        samples == said["samples"],
        f"the journal holds {samples:,} samples, none twice, and the result {said['samples']:,}",
    )
    ours = {name: one.coverage for name, one in state.partials.items()}
    same = ours == {name: one.coverage for name, one in books.held.items()}
    verdict.say(same, f"{len(ours)} partials are held, {coverage.size:,} positions")


def _compute_again(
    verdict: Verdict, folder: Folder, state: State, blocks: int, draws: random.Random
) -> None:
    chosen = next(iter(state.campaigns.values())).numeric_class
    try:
        zero = rerun(folder.path, [(0, 1)])
        same = object_digest(zero.to_bytes()) == chosen
        verdict.say(same, f"block 0 gives the numeric class {chosen} here")
        partials = [one for one in state.partials.values() if one.coverage.size]
        sizes = sorted(one.coverage.size for one in partials)
        small = [one for one in partials if one.coverage.size <= max(blocks, sizes[0])]
        partial = draws.choice(small)
        if partial.coverage.size > BLOCKS_AT_ONCE_MAX:
            verdict.say(True, f"no partial has fewer than {BLOCKS_AT_ONCE_MAX} blocks: none is run")
            return
        again = rerun(folder.path, [(span.start, span.end) for span in partial.coverage.spans])
        stored = Tallies.from_bytes(get(folder.store, partial.name, partial.digest))
        same = digest_of(again, partial.coverage) == digest_of(stored, partial.coverage)
        verdict.say(same, f"{partial.coverage.size} blocks computed again give the same bits")
    except RerunFailed as failure:
        verdict.say(False, f"a block cannot be computed again: {failure}")
