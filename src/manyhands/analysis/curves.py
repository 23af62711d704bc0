"""Samples against time, and the error against samples: how an answer came about."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor, isfinite, log10

from manyhands.analysis.digits import percent, shortly
from manyhands.analysis.drawing import (
    LEFT,
    RIGHT,
    TOP,
    Frame,
    dots,
    line,
    path,
    svg,
    text,
    ticks,
    time_axis,
    unit_of,
)
from manyhands.analysis.story import Point, Story

HEIGHT = 260.0
POINTS_MAX = 600  # of one curve on paper
DOTS_MAX = 60  # points that are marked one by one
POINTS_MIN = 3  # of fewer nothing can be seen
DECADES = (1.0, 2.0, 5.0)


def samples_in_time(story: Story, scale: int, goal: int | None) -> str:
    """Simulated and stored samples, with the close and what was asked for."""
    points = _thinned(story.points)
    if len(points) < POINTS_MIN:
        return ""
    most = max(max(one.simulated, one.stored) for one in points) * scale
    near = goal if goal is not None and goal <= 3 * most else None
    frame = Frame(0.0, max(story.working_s, 1e-3), 0.0, max(most, near or 0, 1) * 1.04, HEIGHT)
    parts = [*time_axis(frame, *unit_of(frame.high_x)), *_upwards(frame)]
    if near is not None:
        y = frame.y(near)
        parts += [line(LEFT, y, frame.width - RIGHT, y, "mark goal")]
    for what in ("simulated", "stored"):
        shown = [(story.at(one.time_s), getattr(one, what) * scale) for one in points]
        parts.append(path([(frame.x(x), frame.y(y)) for x, y in shown], f"curve {what}"))
    for at_s, stage, _ in story.stages:
        if stage == "closed":
            x = frame.x(story.at(at_s))
            parts.append(line(x, TOP, x, frame.floor, "mark closed"))
    keys = [("curve simulated", "simulated"), ("curve stored", "stored")]
    keys += [("line goal", "asked for")] if near is not None else []
    return svg("".join(parts), HEIGHT, "samples against time") + _legend(keys)


def error_by_samples(story: Story, reach: float | None) -> str:
    """The watched tally's relative error (of its worst cell), on two logarithmic scales."""
    looks = [one.watched for one in story.points if one.watched is not None]
    known = {one.samples: one.relative_error for one in looks if one.samples}
    points = [(n, error) for n, error in known.items() if error and isfinite(error)]
    points = points[:: -(-len(points) // POINTS_MAX) or 1]
    if len(points) < POINTS_MIN or points[-1][0] < 2 * points[0][0]:
        return ""
    first, last = points[0], points[-1]
    errors = [error for _, error in points] + ([reach] if reach else [])
    frame = Frame(
        log10(first[0]), log10(last[0]), log10(min(errors)) - 0.1, log10(max(errors)) + 0.1, HEIGHT
    )
    parts = list(_scales(frame))
    chance = [(log10(n), log10(last[1]) + (log10(last[0]) - log10(n)) / 2) for n, _ in points]
    inside = [(frame.x(x), frame.y(y)) for x, y in chance if frame.low_y <= y <= frame.high_y]
    parts.append(path(inside, "curve chance"))
    shown = [(frame.x(log10(n)), frame.y(log10(e))) for n, e in points]
    parts.append(path(shown, "curve stored"))
    parts.append(dots(shown, "curve looks") if len(shown) <= DOTS_MAX else "")
    keys = [("curve stored", "relative error, 1 standard error (k=1)")]
    keys.append(("curve chance", "slope of chance: 1/√samples"))
    if reach:
        y = frame.y(log10(reach))
        parts.append(line(LEFT, y, frame.width - RIGHT, y, "mark goal"))
        keys.append(("line goal", "asked for"))
    return svg("".join(parts), HEIGHT, "error against samples") + _legend(keys)


def _thinned(points: list[Point]) -> list[Point]:
    step = -(-len(points) // POINTS_MAX) or 1
    return points[:-1:step] + points[-1:]


def _upwards(frame: Frame) -> Iterator[str]:
    for one in ticks(0.0, frame.high_y, 5):
        y = frame.y(one)
        yield line(LEFT, y, frame.width - RIGHT, y, "grid")
        yield text(LEFT - 8, y + 3.5, shortly(one), "", "end")
    yield text(LEFT - 8, TOP - 10, "samples", "", "end")


def _scales(frame: Frame) -> Iterator[str]:
    """Two logarithmic axes."""
    yield line(LEFT, frame.floor, frame.width - RIGHT, frame.floor, "axis")
    for value in _decades(frame.low_y, frame.high_y):
        y = frame.y(log10(value))
        yield line(LEFT, y, frame.width - RIGHT, y, "grid")
        yield text(LEFT - 8, y + 3.5, percent(value), "", "end")
    for value in _decades(frame.low_x, frame.high_x):
        x = frame.x(log10(value))
        yield line(x, frame.floor, x, frame.floor + 4, "axis")
        yield text(x, frame.floor + 16, shortly(value))
    middle = (LEFT + frame.width - RIGHT) / 2
    yield text(middle, frame.height - 4, "samples looked at", "label")


def _decades(low: float, high: float) -> Iterator[float]:
    """1, 2, 5, 10 … between two logarithms; powers of ten alone if those are many."""
    steps = DECADES if high - low < 4 else DECADES[:1]
    for power in range(floor(low), floor(high) + 1):
        for step in steps:
            value = step * 10.0**power
            if low <= log10(value) <= high:
                yield value


def _legend(keys: list[tuple[str, str]]) -> str:
    shown = "".join(f'<span><span class="key {kind}"></span>{said}</span>' for kind, said in keys)
    return f'<p class="legend">{shown}</p>'
