"""The application at work on one run at a time, as its pilot orders.

It computes in its only busy thread, a batch or a block at a time, and looks at what it was told in
between; objects are stored in the background.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from manyhands.applications.loading import Application
from manyhands.applications.stream import Stream
from manyhands.model.coverage import Coverage, Span
from manyhands.pilot.children import note_block
from manyhands.pilot.frames import say
from manyhands.runtime.brief import Brief
from manyhands.runtime.child.alike import agree, agreed
from manyhands.runtime.child.failing import RAISED, cause_of, note_failure
from manyhands.runtime.child.parts import Parts
from manyhands.runtime.child.run import NEVER, BatchSize, BlockSize, Run, Step
from manyhands.runtime.child.storing import Storing
from manyhands.runtime.objects import digest_of
from manyhands.statistics.audit import require_same
from manyhands.statistics.forms import Form
from manyhands.statistics.tallies import Reference, Tallies, Watch

REPORT_GAP_S = 0.05  # positions that nobody waits for are not said more often
Told = dict[str, Any]


class Child:
    """One process of the application."""

    def __init__(
        self,
        folder: Path,
        descriptor: int,
        in_hand: int,
        brief: Brief,
        application: Application,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._folder = folder
        self._descriptor = descriptor
        self._writing = threading.Lock()
        self._brief = brief
        self._application = application
        self._storing = Storing(folder, brief, self._say)
        self._watch = None if brief.watch is None else Watch(*brief.watch)
        self._reference: Reference | None = None
        self._forms: dict[str, Form] | None = None  # of everybody's results, in free mode
        self._zero: Any = None  # what block 0 returned
        self._batch = BatchSize(brief.batch_s)
        self._block = BlockSize.of(brief)
        self._runs: dict[int, Run[Tallies]] = {}
        self._run: Run[Tallies] | None = None
        self._stream: Stream | None = None
        self._said_s = 0.0
        self._in_hand = in_hand
        self._doors: dict[str, Callable[[Told], None]] = {
            "start": self._start,
            "extend": self._extend,
            "hold": self._hold,
            "trim": self._trim,
            "go": self._go,
            "end": self._end,
            "watch": self._set_watch,
            "heard": self._heard,
            "upload": self._upload,
            "class": self._prove,
            "merge": self._merge,
        }

    def told(self, order: Told) -> None:
        """Do what was said."""
        self._doors[order["what"]](order)

    def step(self) -> bool:
        """Compute one batch or block; False if there is nothing to do."""
        run = self._run
        step = None if run is None else run.next_step(self._batch.samples)
        if run is None or step is None:
            return False
        begun_s = self._clock()
        try:
            samples = self._compute_block(run, step) if run.exact else self._compute(run, step)
        except RAISED as error:
            self._fail(run, step, error)
            return False
        taken_s = self._clock() - begun_s
        if not run.exact:
            self._batch.measured(step.samples, taken_s)
        run.done(step, samples, round(1e6 * taken_s))
        self._report(run)
        return True

    def _compute(self, run: Run[Tallies], step: Step) -> int:
        stream = self._stream
        assert stream is not None, "a run in free mode has a stream"
        stream.first = step.span.start
        returned = self._application.advance(step.samples, stream)
        result = run.parts.open_result(step.segment)
        samples = result.add(returned, step.samples)
        if self._forms is None:
            self._forms = agree(self._folder, result.forms)
            require_same(self._forms, result.forms)
        stream.next_batch()
        return samples

    def _compute_block(self, run: Run[Tallies], step: Step) -> int:
        note_block(self._in_hand, step.stream)
        stream = Stream(self._brief.seed, step.stream)
        returned = self._application.advance(step.samples, stream)
        samples = run.parts.open_result(step.segment).add(returned, step.samples)
        note_block(self._in_hand, -1)
        return samples

    # ---- what is told ----------------------------------------------------------------------

    def _start(self, order: Told) -> None:
        block = self._block
        task, stream, limit = order["task"], order["stream"], order["limit"]
        try:
            make = self._tallies()
        except RAISED as error:
            # Block 0, which says how all others are summed up, cannot be computed here.
            note_failure(self._folder, self._brief.seed, error, task, 0)
            self._say("failed", task=task, cause=cause_of(error).value, block=0)
            return
        run: Run[Tallies] = Run(task, stream, limit, Parts(make), block)
        run.lease(tuple(one) for one in order["leases"])
        # What the run before still has to deliver is in the hands of the storing by now.
        self._runs = {run.task: run}
        self._run = run
        if not run.exact:
            self._stream = Stream(self._brief.seed, run.stream, batch=0)

    def _extend(self, order: Told) -> None:
        run = self._of(order)
        if run is not None:
            run.lease(tuple(one) for one in order["leases"])

    def _hold(self, order: Told) -> None:
        """Compute nothing until the pilot has heard where it is and has said `go`."""
        run = self._of(order)
        if run is None or run is not self._run:
            self._say("held", task=order["task"])  # it failed meanwhile, as the pilot will hear
            return
        run.held = True
        self._say_position(run)
        self._say("held", task=run.task)

    def _trim(self, order: Told) -> None:
        run = self._of(order)
        if run is not None:
            run.trim(tuple(one) for one in order["leases"])

    def _go(self, order: Told) -> None:
        run = self._of(order)
        if run is not None:
            run.held = False

    def _end(self, order: Told) -> None:
        run = self._of(order)
        if run is not None:
            run.ended = True
            self._say_position(run)
            self._run = None

    def _set_watch(self, order: Told) -> None:
        run = self._of(order)
        if run is not None:
            run.watch = order["position"]
            if run.position >= run.watch:
                self._say_position(run)

    def _heard(self, order: Told) -> None:
        run = self._of(order)
        if run is not None:
            run.parts.heard(order["position"])

    def _upload(self, order: Told) -> None:
        run = self._runs[order["task"]]
        self._storing.store(order, run.parts.take(coverage_of(order["coverage"])))

    def _prove(self, order: Told) -> None:
        digest = ""
        try:
            make = self._tallies()
        except RAISED as error:
            note_failure(self._folder, self._brief.seed, error, None, 0)
        else:
            tallies = make()
            tallies.add(self._zero, self._block.samples(0))
            digest = digest_of(tallies.to_bytes())
        self._say("class", campaign=order["campaign"], digest=digest)

    def _merge(self, order: Told) -> None:
        self._storing.merge(order)

    # ---- computing -------------------------------------------------------------------------

    def _of(self, order: Told) -> Run[Tallies] | None:
        """The run that is meant; None if it failed to start, of which the pilot is yet to hear."""
        return self._runs.get(order["task"])

    def _tallies(self) -> Callable[[], Tallies]:
        if not self._brief.exact:
            self._forms = self._forms or agreed(self._folder)
            return lambda: Tallies.free(self._watch, self._forms)
        if self._reference is None:
            samples = self._block.samples(0)
            self._zero = self._application.advance(samples, Stream(self._brief.seed, 0))
            self._reference = Reference.of_block(self._zero, samples)
        reference = self._reference
        return lambda: Tallies.exact(reference, self._watch)

    def _report(self, run: Run[Tallies]) -> None:
        due = run.position >= run.watch or run.next_step(1) is None
        if due or self._clock() - self._said_s >= REPORT_GAP_S:
            self._say_position(run)

    def _say_position(self, run: Run[Tallies]) -> None:
        run.parts.close()
        self._said_s = self._clock()
        if run.position >= run.watch:
            run.watch = NEVER
        at = {"position": run.position, "busy_us": run.busy_us, "last": run.ended}
        self._say("advanced", task=run.task, **at)

    def _fail(self, run: Run[Tallies], step: Step, error: BaseException) -> None:
        block = step.stream if run.exact else None
        self._run = None
        note_failure(self._folder, self._brief.seed, error, run.task, block)
        self._say("failed", task=run.task, cause=cause_of(error).value, block=block)

    def _say(self, what: str, **more: Any) -> None:
        with self._writing:
            say(self._descriptor, what, **more)


def coverage_of(spans: list[list[int]]) -> Coverage:
    """A coverage as it travels in a frame."""
    return Coverage(tuple(Span(*one) for one in spans))
