"""Looks at merged results, beside the deciding thread: merge what is stored, measure, say so.

What is looked at is held by a second name of its file, so that it may be replaced meanwhile. What
the last look of a campaign merged is kept: the next goes on from there if it is about the same
objects and more, as in exact mode, where nothing below a look is replaced.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from manyhands.model.commands import JudgePrecision
from manyhands.model.events import Event, PrecisionJudged, PrecisionUnjudged
from manyhands.model.where import BadWhere
from manyhands.runtime.answer import merged_from
from manyhands.runtime.objects import Torn
from manyhands.statistics.judging import measure
from manyhands.statistics.tallies import GridOverflow, MergeRefused, Tallies

HELD = "judging"  # beside the store: what is looked at


class Judges:
    """One thread that takes looks, one after the other."""

    def __init__(self, folder: Path, store: Path, put: Callable[[Event], None]) -> None:
        self._held = folder / HELD
        self._store = store
        self._put = put
        self._orders: SimpleQueue[JudgePrecision | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._over = False
        self._merged: dict[int, tuple[tuple[str, ...], Tallies]] = {}

    def judge(self, command: JudgePrecision) -> None:
        """Hold what a look is about, and leave the rest to the thread."""
        if self._thread is None:
            shutil.rmtree(self._held, ignore_errors=True)  # of whoever was here before
            self._thread = threading.Thread(target=self._work, name="judge", daemon=True)
            self._thread.start()
        for one in command.partials:
            path = self._place(command) / one.name
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(self._store / one.name, path)
            except OSError:
                pass  # there is no second name to be had here: perhaps it stays long enough
        self._orders.put(command)

    def end(self) -> None:
        """No more looks; one that is under way comes to nothing."""
        self._over = True
        if self._thread is not None:
            self._orders.put(None)
            self._thread.join()
            shutil.rmtree(self._held, ignore_errors=True)

    def _work(self) -> None:
        while (command := self._orders.get()) is not None:
            if not self._over:
                self._put(self._answered(command))
            shutil.rmtree(self._place(command), ignore_errors=True)

    def _answered(self, command: JudgePrecision) -> Event:
        try:
            return self._answer(command)
        except Exception as fault:  # ours; but the campaign must not wait for ever
            problem = f"the look failed: {type(fault).__name__}: {fault}"
            return PrecisionUnjudged(command.campaign, command.look, "", problem)

    def _answer(self, command: JudgePrecision) -> Event:
        begun_s = time.monotonic()
        number, look = command.campaign, command.look
        try:
            tallies = self._merge(command)
            found = measure(command.rule, tallies)
        except Torn as torn:
            return PrecisionUnjudged(number, look, torn.name, "")
        except (BadWhere, MergeRefused, GridOverflow) as problem:
            return PrecisionUnjudged(number, look, "", str(problem))
        except MemoryError:
            lack = "there is not enough memory to merge the result while it is judged"
            return PrecisionUnjudged(number, look, "", lack)
        held = tallies.samples
        assert held == command.samples, f"the ledger holds {command.samples}, the objects {held}"
        took_us = round((time.monotonic() - begun_s) * 1e6)
        return PrecisionJudged(number, look, held, found.error, found.batches, found.vov, took_us)

    def _merge(self, command: JudgePrecision) -> Tallies:
        """What the objects hold together."""
        names = tuple(one.name for one in command.partials)
        before, onto = self._merged.pop(command.campaign, ((), None))
        if onto is None or not set(before) <= set(names):
            before, onto = (), None
        have = dict.fromkeys(before)
        more = [(one.name, one.digest) for one in command.partials if one.name not in have]
        place = self._place(command)
        for name, digest in more:
            if self._over:
                raise Torn(name, missing=True)
            store = place if (place / name).exists() else self._store
            onto = merged_from(store, [(name, digest)], onto)
        assert onto is not None, "a look is about something"
        self._merged[command.campaign] = (names, onto)
        return onto

    def _place(self, command: JudgePrecision) -> Path:
        return self._held / f"{command.campaign}-{command.look}"
