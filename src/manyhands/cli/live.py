"""What a run shows while it runs: one line per pilot and one for the campaign.

On a terminal the lines are drawn again four times a second; elsewhere a plain line comes now and
then. All of it goes to standard error.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from manyhands.analysis.progress import PilotLine, Progress, Standing

REFRESHES_PER_S = 4
PILOTS_SHOWN_MAX = 16
PLAIN_FIRST_S, PLAIN_GROWTH, PLAIN_S_MAX = 2.0, 2.0, 60.0
COLOURS = {"live": "green", "overdue": "yellow", "lost": "red", "removed": "red"}


@contextmanager
def shown(progress: Progress, title: str, quiet: bool = False) -> Iterator[None]:
    """Show the progress for as long as this lasts."""
    console = Console(stderr=True)
    if quiet:
        yield
    elif console.is_terminal:
        with Live(
            get_renderable=lambda: drawn(title, progress.now),
            console=console,
            refresh_per_second=REFRESHES_PER_S,
            transient=True,
        ):
            yield
    else:
        with _plain_lines(progress, title):
            yield


def drawn(title: str, now: Standing | None) -> RenderableType:
    """The whole display."""
    if now is None:
        return Text(f"{title}: starting …", style="dim")
    table = Table.grid(padding=(0, 2))
    for line in now.pilots[:PILOTS_SHOWN_MAX]:
        table.add_row(*_pilot_cells(line))
    parts: list[RenderableType] = [table]
    if len(now.pilots) > PILOTS_SHOWN_MAX:
        parts.append(Text(f"… and {len(now.pilots) - PILOTS_SHOWN_MAX} more pilots", style="dim"))
    parts.append(_campaign_line(title, now))
    if now.far_off:
        parts.append(Text(f"this precision takes {now.far_off}", "yellow"))
    if now.incidents:
        parts.append(Text(f"{now.incidents} incidents, the last: {now.last_incident}", "yellow"))
    return Group(*parts)


def in_words(title: str, now: Standing) -> str:
    """The campaign in one plain line."""
    done = f"{number(now.samples)} samples"
    if now.goal:
        done = f"{min(now.samples / now.goal, 1):.0%} of {number(now.goal)} samples"
    parts = [f"{title}: {now.stage}", done, f"{number(now.rate)}/s"]
    if precision := _precision(now):
        parts.append(precision)
    if now.left_s is not None:
        parts.append(_left(now))
    if now.far_off:
        parts.append(f"this precision takes {now.far_off}")
    if now.incidents:
        parts.append(f"{now.incidents} incidents")
    return ", ".join(parts)


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


def _pilot_cells(line: PilotLine) -> list[RenderableType]:
    again = f" (start {line.incarnation + 1})" if line.incarnation else ""
    return [
        Text("●", COLOURS.get(line.state, "dim")),
        Text(f"pilot {line.pilot}{again}"),
        Text(line.state, COLOURS.get(line.state, "dim")),
        Text(f"{number(line.samples)} samples" if line.tasks else "", justify="right"),
        Text(f"{number(line.rate)}/s" if line.rate else "", justify="right"),
        Text(f"heard {duration(line.heard_s)} ago" if line.heard_s > 2 else "", "dim"),
    ]


def _campaign_line(title: str, now: Standing) -> RenderableType:
    cells: list[RenderableType] = [Text(title, "bold"), Text(now.stage)]
    if now.goal:
        cells.append(ProgressBar(total=now.goal, completed=min(now.samples, now.goal), width=16))
        cells.append(Text(f"{min(now.samples / now.goal, 1):.0%} of {number(now.goal)}"))
    else:
        cells.append(Text(f"{number(now.samples)} samples"))
    cells.append(Text(f"{number(now.rate)}/s"))
    if precision := _precision(now):
        cells.append(Text(precision, "cyan"))
    cells.append(Text(_left(now) if now.left_s is not None else duration(now.elapsed_s)))
    line = Table.grid(padding=(0, 2))
    line.add_row(*cells)
    return line


def _precision(now: Standing) -> str:
    """The error against its target: `3.142 ± 0.013 % of 0.010 % (k=1)`."""
    if now.error is None or not now.reach:
        return ""
    if now.value is None:
        if now.relative:
            return f"worst cell {100 * now.error:.2g} % of {100 * now.reach:.2g} % (k=1)"
        return f"worst cell {now.error:.2g} of {now.reach:.2g} (k=1)"
    if now.value == 0:
        return f"error {now.error:.2g} of {now.reach:.2g} (k=1)"
    per_cent = 100 / abs(now.value)
    found, wanted = now.error * per_cent, now.reach * per_cent
    return f"{now.value:.5g} ± {found:.2g} % of {wanted:.2g} % (k=1)"


def _left(now: Standing) -> str:
    assert now.left_s is not None
    spread = f" ± {duration(now.left_spread_s)}" if now.left_spread_s >= 0.1 else ""
    return f"{duration(now.left_s)}{spread} left"


@contextmanager
def _plain_lines(progress: Progress, title: str) -> Iterator[None]:
    over = threading.Event()

    def speak() -> None:
        wait_s = PLAIN_FIRST_S
        while not over.wait(wait_s):
            if progress.now is not None:
                print(in_words(title, progress.now), file=sys.stderr, flush=True)
            wait_s = min(wait_s * PLAIN_GROWTH, PLAIN_S_MAX)

    thread = threading.Thread(target=speak, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(timeout=1.0)
