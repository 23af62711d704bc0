"""Blocks computed once more, in a process like those that computed them first.

`python -m manyhands.runtime.child.rerun FOLDER OUT FIRST-END …` writes the tallies of these blocks
to OUT; what the application raises is shown as it is.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from manyhands.applications.loading import load
from manyhands.applications.stream import Stream
from manyhands.pilot.children import PINNED
from manyhands.runtime.brief import Brief
from manyhands.runtime.child.failing import RAISED, shown
from manyhands.runtime.child.run import BlockSize
from manyhands.runtime.layout import BRIEF
from manyhands.statistics.tallies import Reference, Tallies, Watch

Interval = tuple[int, int]


class RerunFailed(Exception):
    """The application did not compute a block again; what it said is in the message."""


def rerun(folder: Path, intervals: Iterable[Interval]) -> Tallies:
    """Compute these blocks of a folder's campaign again, in a process of its own."""
    brief = Brief.from_json((folder / BRIEF).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as sandbox:
        out = Path(sandbox) / "tallies"
        spans = [f"{first}-{end}" for first, end in intervals]
        command = [sys.executable, "-P", "-m", __name__, str(folder.resolve()), str(out), *spans]
        environment = {**os.environ, **PINNED, **brief.environment}
        ended = subprocess.run(
            command, cwd=sandbox, env=environment, capture_output=True, text=True, check=False
        )
        if ended.returncode != 0:
            raise RerunFailed(ended.stderr.strip() or f"it ended with {ended.returncode}")
        return Tallies.from_bytes(out.read_bytes())


def compute(brief: Brief, intervals: Iterable[Interval]) -> Tallies:
    """The tallies of these blocks, computed here."""
    application = load(brief.description)
    application.prepare()
    size = BlockSize.of(brief)
    zero = application.advance(size.samples(0), Stream(brief.seed, 0))
    watch = None if brief.watch is None else Watch(*brief.watch)
    tallies = Tallies.exact(Reference.of_block(zero, size.samples(0)), watch)
    for first, end in intervals:
        for block in range(first, end):
            samples = size.samples(block)
            tallies.add(application.advance(samples, Stream(brief.seed, block)), samples)
    return tallies


def main(arguments: list[str]) -> None:
    """What the process does."""
    folder, out, *spans = arguments
    brief = Brief.from_json((Path(folder) / BRIEF).read_text(encoding="utf-8"))
    intervals = [(int(first), int(end)) for first, end in (one.split("-") for one in spans)]
    try:
        tallies = compute(brief, intervals)
    except RAISED as error:
        sys.exit(shown(error))
    Path(out).write_bytes(tallies.to_bytes())


if __name__ == "__main__":
    main(sys.argv[1:])
