"""Is a result what its journal and its objects say? Counted, merged and computed again."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from manyhands.analysis.files import RESULT
from manyhands.api.quantities import BadQuantity
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
from manyhands.runtime.folder import Folder, FolderDamaged, limits_of, said_of, undamaged
from manyhands.runtime.layout import KEPT
from manyhands.runtime.objects import digest_of as object_digest
from manyhands.runtime.objects import get
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


@dataclass(frozen=True, slots=True)
class Stretch:
    """Blocks that can be computed again alone: those that an object has and an earlier one not."""

    whole: PartialStored
    before: PartialStored | None  # an object that was kept
    coverage: Coverage


@dataclass(slots=True)
class Books:
    """The ledger kept once more, from what was said and answered: no deciding code in it."""

    offered: dict[str, PartialStored] = field(default_factory=dict)
    held: dict[str, PartialStored] = field(default_factory=dict)
    before: dict[str, PartialStored] = field(default_factory=dict)  # what each one replaced
    open: dict[tuple[int, int], PartialStored] = field(default_factory=dict)  # by task and start
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
                            self._accept(self.offered[order.name])
                elif isinstance(command, DeleteObject):
                    self.held.pop(command.name, None)
        return self.controller.state

    def _accept(self, fact: PartialStored) -> None:
        open_one = self.open.get((fact.task, fact.start))
        if open_one is not None and open_one.end < fact.end:
            self.before[fact.name] = open_one
        self.open[fact.task, fact.start] = self.held[fact.name] = fact

    def coverage(self) -> Coverage:
        """All that is held; raises Overlap if anything is held twice."""
        found = EMPTY
        for one in self.held.values():
            found |= one.coverage
        return found


def verify(path: Path, blocks: int = 3, seed: int | None = None) -> Verdict:
    """Recount the ledger, merge the objects anew, compute some blocks again."""
    if blocks < 0:
        raise BadQuantity(f"blocks is {blocks}, but must be 0 or more")
    verdict = Verdict()
    folder = Folder(path)
    try:
        with undamaged(path):
            _look_at(verdict, folder, blocks, random.Random(seed))
    except FolderDamaged as damage:
        verdict.say(False, str(damage))
    except RerunFailed as failure:
        verdict.say(False, f"a block cannot be computed again: {failure}")
    return verdict


def _look_at(verdict: Verdict, folder: Folder, blocks: int, draws: random.Random) -> None:
    brief, books = folder.brief(), Books()
    state = books.keep(folder)
    said = _result_of(folder)
    _recount(verdict, books, state, said)
    answer = gather(state, folder.store)
    same = answer.digest == said.get("digest")
    verdict.say(same, f"{answer.partials} objects merge to {answer.digest}, as in the result")
    if brief.keep_partials:
        _recount_kept(verdict, folder, books, state)
    if brief.exact and blocks and books.held:
        _compute_again(verdict, folder, state, _chosen(folder, books, blocks, draws))
    elif blocks:
        verdict.say(True, "nothing is computed again: free mode depends on the sizes of batches")


def _result_of(folder: Folder) -> dict[str, Any]:
    try:
        said = json.loads((folder.path / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FolderDamaged(f"{folder.path} is damaged: {RESULT}: {said_of(error)}") from error
    if not isinstance(said, dict):
        raise FolderDamaged(f"{folder.path} is damaged: {RESULT} holds no object")
    return said


def _recount(verdict: Verdict, books: Books, state: State, said: dict[str, Any]) -> None:
    coverage = books.coverage()
    samples = sum(_samples_of(one, state) for one in books.held.values())
    claimed = said.get("samples")
    shown = f"{claimed:,}" if isinstance(claimed, int) else repr(claimed)
    what = f"the journal holds {samples:,} samples, none twice, and the result {shown}"
    verdict.say(samples == claimed, what)
    ours = {name: one.coverage for name, one in state.partials.items()}
    same = ours == {name: one.coverage for name, one in books.held.items()}
    verdict.say(same, f"{len(ours)} partials are held, {coverage.size:,} positions")


def _samples_of(one: PartialStored, state: State) -> int:
    return state.campaigns[state.tasks[one.task].campaign].campaign.samples_of(one.coverage)


def _recount_kept(verdict: Verdict, folder: Folder, books: Books, state: State) -> None:
    """Every object that was replaced on the way is still what it was accepted as."""
    kept = list(books.before.values())
    wrong = [one for one in kept if _tallies(folder, one).samples != _samples_of(one, state)]
    verdict.say(not wrong, f"{len(kept)} objects that were replaced hold the samples they claimed")


def _chosen(folder: Folder, books: Books, blocks: int, draws: random.Random) -> Stretch:
    """One of those with as few blocks as are wanted, or one of the smallest there are."""
    found = list(_stretches(folder, books))
    smallest = min(one.coverage.size for one in found)
    return draws.choice([one for one in found if one.coverage.size <= max(blocks, smallest)])


def _stretches(folder: Folder, books: Books) -> Iterator[Stretch]:
    for whole in books.held.values():
        later: PartialStored | None = whole
        while later is not None:
            before = books.before.get(later.name)
            if before is None or not (folder.path / KEPT / before.name).is_file():
                before = None
            coverage = later.coverage if before is None else later.coverage - before.coverage
            yield Stretch(later, before, coverage)
            later = before


def _tallies(folder: Folder, one: PartialStored) -> Tallies:
    store = folder.store if (folder.store / one.name).is_file() else folder.path / KEPT
    return Tallies.from_bytes(get(store, one.name, one.digest))


def _compute_again(verdict: Verdict, folder: Folder, state: State, chosen: Stretch) -> None:
    campaign = next(iter(state.campaigns.values()))
    zero = object_digest(rerun(folder.path, [(0, 1)]).to_bytes())
    same = zero == campaign.numeric_class
    verdict.say(same, f"block 0 gives the numeric class {campaign.numeric_class} here")
    if chosen.coverage.size > BLOCKS_AT_ONCE_MAX:
        verdict.say(True, f"no partial has fewer than {BLOCKS_AT_ONCE_MAX} blocks: none is run")
        return
    again = rerun(folder.path, [(span.start, span.end) for span in chosen.coverage.spans])
    if chosen.before is not None:
        again.merge(_tallies(folder, chosen.before))
    coverage = chosen.whole.coverage
    stored = digest_of(_tallies(folder, chosen.whole), coverage)
    same = digest_of(again, coverage) == stored
    verdict.say(same, f"{chosen.coverage.size} blocks computed again give the same bits")
