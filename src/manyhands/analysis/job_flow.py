"""The job flow: one bar per task over time, grouped by pilot, coloured by how it ended.

It is the figure by which Camarasu-Pop (2013, figures 3.5 and 6.7-6.10) shows how well hands are
used: bars that begin late, end early, or break off are what a schedule loses.
"""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.analysis.accounting import is_broken
from manyhands.analysis.drawing import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    Frame,
    line,
    svg,
    text,
    time_axis,
    unit_of,
)
from manyhands.analysis.story import Engagement, Story

ROWS_MAX = 300  # of bars; of more, every so many is shown
TASKS_MAX = 300  # of more, tasks of one pilot that follow each other share a row
ROW_MAX, ROW_MIN = 18.0, 2.0  # how high a row is
HEIGHT_MAX = 620.0  # of all rows together, unless there are too many
APART_MIN = 0.4  # bars of one kind closer to each other than this are one
LABEL_MIN = 11.0  # labels of pilots are no closer
KINDS = {  # how a task ended: the class of its bar, and what the legend says
    "done": "ended by itself",
    "closed": "worked until the end",
    "left": "left with its pilot",
    "failed": "failed",
    "lost": "lost",
    "open": "still open",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """One task, or several that are too small to be told apart."""

    from_s: float
    end_s: float
    kind: str


@dataclass(slots=True)
class Row:
    """Bars of one pilot that do not overlap."""

    pilot: int
    bars: list[Bar]


def kind_of(task: Engagement) -> str:
    """How it ended, as one of KINDS."""
    if is_broken(task):
        return "lost" if task.ended == "lost" else "failed"
    return {"": "open", "ended": "done", "left": "left"}.get(task.ended, "closed")


def job_flow(story: Story) -> str:
    """The drawing, with its legend and what it leaves out."""
    rows = _rows(story)
    if not rows:
        return "<p>No task was begun.</p>"
    shown = rows[:: -(-len(rows) // ROWS_MAX)]
    high = min(max(HEIGHT_MAX / len(shown), ROW_MIN), ROW_MAX)
    height = TOP + high * len(shown) + BOTTOM
    frame = Frame(0.0, max(story.working_s, 1e-3), 0.0, 1.0, height)
    parts = [*time_axis(frame, *unit_of(frame.high_x)), text(LEFT - 8, TOP - 6, "pilot", "", "end")]
    parts += _labels(shown, high, frame)
    kinds: dict[str, list[str]] = {}
    for number, row in enumerate(shown):
        for bar in _joined(row.bars, frame):
            kinds.setdefault(bar.kind, []).append(_rectangle(bar, frame, number, high))
    parts += [f'<path class="bar {kind}" d="{"".join(bars)}"/>' for kind, bars in kinds.items()]
    parts += _marks(story, frame)
    return svg("".join(parts), height, "job flow") + _legend(kinds, story) + _left_out(story, rows)


def _rows(story: Story) -> list[Row]:
    """Pilot by pilot, in the order in which tasks began."""
    rows: list[Row] = []
    last: dict[int, list[Row]] = {}
    shares = len(story.tasks) > TASKS_MAX
    for task in sorted(story.tasks.values(), key=lambda one: (one.pilot, one.begun_s, one.task)):
        bar = Bar(story.at(task.begun_s), story.at(_end_s(story, task)), kind_of(task))
        mine = last.setdefault(task.pilot, [])
        free = [row for row in mine if row.bars[-1].end_s <= bar.from_s] if shares else []
        if free:
            free[0].bars.append(bar)
        else:
            mine.append(Row(task.pilot, [bar]))
            rows.append(mine[-1])
    return rows


def _end_s(story: Story, task: Engagement) -> float:
    """When its slot was last known to work for it."""
    return story.over_s(task.seen_s) if kind_of(task) == "closed" else task.seen_s


def _joined(bars: list[Bar], frame: Frame) -> list[Bar]:
    """Bars that a reader can tell apart."""
    found: list[Bar] = []
    for bar in bars:
        near = found and frame.x(bar.from_s) - frame.x(found[-1].end_s) < APART_MIN
        small = near and frame.x(bar.end_s) - frame.x(found[-1].from_s) < 3 * APART_MIN
        if small and found[-1].kind == bar.kind:
            found[-1] = Bar(found[-1].from_s, bar.end_s, bar.kind)
        else:
            found.append(bar)
    return found


def _rectangle(bar: Bar, frame: Frame, row: int, high: float) -> str:
    x, y = frame.x(bar.from_s), TOP + row * high
    wide = max(frame.x(bar.end_s) - x, 0.8)
    thick = high * (0.76 if high > 4 else 0.9)
    return f"M{x:.1f} {y + (high - thick) / 2:.1f}h{wide:.1f}v{thick:.1f}h-{wide:.1f}z"


def _labels(rows: list[Row], high: float, frame: Frame) -> list[str]:
    """The number of a pilot at its first row, where there is room; a line between two pilots."""
    parts: list[str] = []
    free_y = TOP
    for number, row in enumerate(rows):
        if number and rows[number - 1].pilot == row.pilot:
            continue
        y = TOP + number * high
        if y + high / 2 >= free_y:
            parts.append(text(LEFT - 8, y + high / 2 + 3.5, str(row.pilot), "", "end"))
            free_y = y + high / 2 + LABEL_MIN
        if number and high > 4:
            parts.append(line(LEFT, y, frame.width - RIGHT, y, "between"))
    return parts


def _marks(story: Story, frame: Frame) -> list[str]:
    """Where the campaign drained and closed, and where its master began again."""
    parts = []
    for at_s, stage, _ in story.stages:
        if stage in ("draining", "closed", "failed", "cancelled"):
            x = frame.x(story.at(at_s))
            parts.append(line(x, TOP - 4, x, frame.floor, f"mark {stage}"))
    for from_s, _ in story.pauses:
        x = frame.x(story.at(from_s))
        parts.append(line(x, TOP - 4, x, frame.floor, "mark restart"))
    return parts


def _legend(kinds: dict[str, list[str]], story: Story) -> str:
    entries = [
        f'<span class="key bar-{kind}"></span>{KINDS[kind]}' for kind in KINDS if kind in kinds
    ]
    stages = [stage for _, stage, _ in story.stages]
    if "draining" in stages:
        entries.append('<span class="key line draining"></span>end in sight')
    if "closed" in stages:
        entries.append('<span class="key line closed"></span>closed')
    if "failed" in stages:
        entries.append('<span class="key line failed"></span>given up')
    if story.pauses:
        entries.append('<span class="key line restart"></span>begun again (the pause is left out)')
    return '<p class="legend">' + "".join(f"<span>{one}</span>" for one in entries) + "</p>"


def _left_out(story: Story, rows: list[Row]) -> str:
    said = []
    if len(story.tasks) > TASKS_MAX:
        said.append(
            f"There are {len(story.tasks):,} tasks: those of one pilot that follow each other "
            "share a row, and bars too small to be told apart are drawn as one."
        )
    step = -(-len(rows) // ROWS_MAX)
    if step > 1:
        said.append(f"Of {len(rows):,} rows every {step}th is shown.")
    return f'<p class="note">{" ".join(said)}</p>' if said else ""
