"""What a run says while it runs, on standard error: one line per pilot and one for the campaign.

On a terminal the lines are drawn again four times a second (`drawing.py`, which is imported only
there: that takes a while); elsewhere a plain line comes now and then, ever more seldom.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from manyhands.analysis.progress import Progress, Standing

PLAIN_FIRST_S, PLAIN_GROWTH, PLAIN_S_MAX = 2.0, 2.0, 60.0
STAGES = {"open": "running", "draining": "ending", "closed": "merging"}
STOPPING = "storing what is there … Ctrl-C again leaves at once"


@contextmanager
def shown(progress: Progress, title: str) -> Iterator[None]:
    """Show the progress for as long as this lasts."""
    if sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        from manyhands.cli.drawing import drawing

        with drawing(progress, title):
            yield
    else:
        with _plain_lines(progress, title):
            yield


def in_words(title: str, now: Standing) -> str:
    """The campaign in one plain line."""
    parts = [f"{title}: {STAGES.get(now.stage, now.stage)}", done(now), f"{number(now.rate)}/s"]
    if found := precision(now):
        parts.append(found)
    if now.left_s is not None:
        parts.append(left(now))
    if now.far_off:
        parts.append(f"this precision takes {now.far_off}")
    if now.incidents:
        parts.append(f"{now.incidents} incidents")
    return ", ".join(parts)


def done(now: Standing) -> str:
    """How many samples there are, of how many."""
    if not now.goal:
        return f"{number(now.samples)} samples"
    return f"{min(now.samples / now.goal, 1):.0%} of {number(now.goal)} samples"


def precision(now: Standing) -> str:
    """The error against its target: `3.142 ± 0.013 %, target 0.010 % (k=1)`."""
    if now.error is None or not now.reach:
        return ""
    if now.value is None:
        scale, unit = (100, " %") if now.relative else (1, "")
        found, wanted = now.error * scale, now.reach * scale
        return f"worst cell ± {found:.2g}{unit}, target {wanted:.2g}{unit} (k=1)"
    if now.value == 0:
        return f"error {now.error:.2g}, target {now.reach:.2g} (k=1)"
    per_cent = 100 / abs(now.value)
    found, wanted = now.error * per_cent, now.reach * per_cent
    return f"{now.value:.5g} ± {found:.2g} %, target {wanted:.2g} % (k=1)"


def left(now: Standing) -> str:
    """The time to the end, and by how much the forecasts of it differ."""
    assert now.left_s is not None
    spread = f" ± {roughly(now.left_spread_s)}" if now.left_spread_s >= 0.1 else ""
    return f"{duration(now.left_s)}{spread} left"


def roughly(seconds: float) -> str:
    """A time in its largest unit."""
    return " ".join(duration(seconds).split()[:2])


def number(value: float) -> str:
    """A number in three digits: 950, 12.3 k, 4.56 M, 7.89e12."""
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= 1e12:
            break
        if value >= size:
            return f"{value / size:.3g}{letter}" if value < 999.5 * size else f"{value:.3g}"
    return f"{value:.0f}" if value < 1e12 else f"{value:.3g}"


def duration(seconds: float) -> str:
    """A time in its two largest units: 42 s, 3 min 20 s, 2 h 5 min, 3 d 4 h."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    for size, name, smaller, lesser in (
        (86400, "d", 3600, "h"),
        (3600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {name}" + (f" {rest} {lesser}" if rest else "")
    raise AssertionError(f"{seconds} s has no unit")


@contextmanager
def _plain_lines(progress: Progress, title: str) -> Iterator[None]:
    over = threading.Event()

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    def speak() -> None:
        wait_s = PLAIN_FIRST_S
        while not over.wait(wait_s):
            if progress.now is not None and not progress.stopping:
                say(in_words(title, progress.now))
            wait_s = min(wait_s * PLAIN_GROWTH, PLAIN_S_MAX)

    progress.when_stopping = lambda: say(f"{title}: {STOPPING}")
    thread = threading.Thread(target=speak, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(timeout=1.0)
