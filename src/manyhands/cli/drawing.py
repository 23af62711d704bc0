"""The progress of a run, drawn on a terminal: every line fits, whatever the width."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from manyhands.analysis.progress import PilotLine, Progress, Standing
from manyhands.cli.live import STAGES, STOPPING, done, duration, left, number, precision

REFRESHES_PER_S = 4
PILOTS_SHOWN_MAX = 16
OTHER_LINES = 6  # besides those of pilots, and some room
MARGIN = 3  # columns left free at the end of each line, for the ^C of a terminal that shows it
BAR = 16
GAP = "  "
TITLE_MAX = 24
TIME_MAX = 24  # 1 min 11 s ± 36 s left, and some
COLOURS = {"live": "green", "overdue": "yellow", "lost": "red", "removed": "red"}


@contextmanager
def drawing(progress: Progress, title: str) -> Iterator[None]:
    """Draw the progress again and again for as long as this lasts, then leave nothing of it."""
    console = Console(stderr=True)

    def lines() -> Group:
        found = drawn(title, progress.now, console.width - MARGIN, console.height)
        if progress.stopping:
            found.append(Text(STOPPING, "bold yellow"))
        return Group(*(_cut(line, console.width - MARGIN) for line in found))

    with Live(
        get_renderable=lines,
        console=console,
        refresh_per_second=REFRESHES_PER_S,
        transient=True,
    ):
        yield


def drawn(title: str, now: Standing | None, width: int, height: int) -> list[Text]:
    """The whole display, line by line."""
    if now is None:
        return [Text(f"{title}: starting …", "dim")]
    room = max(min(PILOTS_SHOWN_MAX, height - OTHER_LINES), 1)
    # Where not all can be shown, those in trouble are.
    shown = sorted(now.pilots, key=lambda one: one.state == "live")[:room]
    lines = _pilot_lines(sorted(shown, key=lambda one: one.pilot))
    if more := len(now.pilots) - len(shown):
        rest = sum(one.rate for one in now.pilots if one not in shown)
        lines.append(Text(f"… and {more} more pilots{GAP}{number(rest)}/s", "dim"))
    lines.append(_campaign_line(title, now, width))
    if now.far_off:
        lines.append(Text(f"this precision takes {now.far_off}", "yellow"))
    if now.incidents:
        lines.append(Text(f"{now.incidents} incidents, the last: {now.last_incident}", "yellow"))
    return lines


def _pilot_lines(pilots: list[PilotLine]) -> list[Text]:
    """One line each, in columns."""
    rows = [_pilot_cells(one) for one in pilots]
    widths = [max((len(row[k]) for row in rows), default=0) for k in range(4)]
    lines = []
    for one, (name, state, samples, rate, rest) in zip(pilots, rows, strict=True):
        colour = COLOURS.get(one.state, "dim")
        lines.append(
            Text.assemble(
                ("● ", colour),
                f"{name:<{widths[0]}}{GAP}",
                (f"{state:<{widths[1]}}", colour),
                f"{GAP}{samples:>{widths[2]}}{GAP}{rate:>{widths[3]}}{GAP}",
                (rest, "dim"),
            )
        )
    return lines


def _pilot_cells(one: PilotLine) -> tuple[str, str, str, str, str]:
    again = f" (start {one.incarnation + 1})" if one.incarnation else ""
    return (
        f"pilot {one.pilot}{again}",
        one.state,
        f"{number(one.samples)} samples" if one.tasks else "",
        f"{number(one.rate)}/s" if one.rate else "",
        f"heard {duration(one.heard_s)} ago" if one.heard_s > 2 else "",
    )


def _campaign_line(title: str, now: Standing, width: int) -> Text:
    """As much as the width has room for; cells have room to grow, so that nothing jumps."""
    name = title if len(title) <= TITLE_MAX else "…" + title[1 - TITLE_MAX :]
    found = (done(now).removesuffix(" samples") if now.goal else done(now)).ljust(13)
    rate = f"{number(now.rate)}/s".rjust(9)
    time = left(now) if now.left_s is not None else duration(now.elapsed_s)
    value, error = _precision(now)
    bar = _bar(now) if now.goal else ""
    stage = STAGES.get(now.stage, now.stage).ljust(7)
    told: list[str] = []
    for cells in (
        [name, stage, bar, found, rate, value + error, time],
        [name, bar, found, rate, error, time],
        [name, found, rate, error, time],
        [found, rate, error, time],
    ):
        told = [one for one in cells if one]
        if len(GAP.join([*told[:-1], time.ljust(TIME_MAX)])) <= width:
            break
    styles = {name: "bold", bar: "green", error: "cyan", value + error: "cyan"}
    return Text(GAP).join(Text(one, styles.get(one, "")) for one in told)


def _precision(now: Standing) -> tuple[str, str]:
    """The value, and its error on the way to the target: `3.142 `, `± 0.013 % → 0.010 % (k=1)`."""
    said = precision(now).replace(", target", " →")
    value, sign, error = said.partition("±")
    return (value.ljust(8), (sign + error).ljust(25)) if sign else ("", said)


def _bar(now: Standing) -> str:
    assert now.goal
    full = min(round(BAR * now.samples / now.goal), BAR)
    return "━" * full + "┄" * (BAR - full)


def _cut(line: Text, width: int) -> Text:
    line.truncate(width, overflow="ellipsis")
    line.no_wrap = True
    return line
