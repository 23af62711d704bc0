"""Pieces of SVG: axes with round numbers, in the colours of the page around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH = 920.0
LEFT, RIGHT, TOP, BOTTOM = 70.0, 16.0, 22.0, 38.0


@dataclass(frozen=True, slots=True)
class Frame:
    """Where numbers are on a drawing: x from `low_x` to `high_x`, y from 0 or `low_y` upwards."""

    low_x: float
    high_x: float
    low_y: float
    high_y: float
    height: float
    width: float = WIDTH

    def x(self, value: float) -> float:
        """The place of a number on the horizontal axis."""
        span = self.high_x - self.low_x or 1.0
        return LEFT + (value - self.low_x) / span * (self.width - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """The place of a number on the vertical axis."""
        span = self.high_y - self.low_y or 1.0
        return self.floor - (value - self.low_y) / span * (self.floor - TOP)

    @property
    def floor(self) -> float:
        """Where the horizontal axis lies."""
        return self.height - BOTTOM


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers from low to high: 1, 2 or 5 and zeros."""
    if not high > low:
        return [low]
    rough = (high - low) / about
    power = 10.0 ** floor(log10(rough))
    step = next(one * power for one in (1, 2, 5, 10) if one * power >= rough * (1 - 1e-9))
    first = ceil(low / step - 1e-9)
    return [number * step for number in range(first, floor(high / step + 1e-9) + 1)]


def svg(body: str, height: float, title: str, width: float = WIDTH) -> str:
    """A drawing that is as wide as the page."""
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(title)}">'
        f"{body}</svg>"
    )


def text(x: float, y: float, said: str, kind: str = "", anchor: str = "middle") -> str:
    """Words at a place."""
    classes = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{classes}>{escape(said)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def time_axis(frame: Frame, unit_s: float, unit: str) -> Iterator[str]:
    """The horizontal axis, in seconds, minutes, hours or days."""
    yield line(LEFT, frame.floor, frame.width - RIGHT, frame.floor, "axis")
    for one in ticks(frame.low_x / unit_s, frame.high_x / unit_s, 8):
        x = frame.x(one * unit_s)
        yield line(x, frame.floor, x, frame.floor + 4, "axis")
        yield text(x, frame.floor + 16, f"{one:g}")
    middle = (LEFT + frame.width - RIGHT) / 2
    yield text(middle, frame.height - 4, f"time since the submission ({unit})", "label")


def unit_of(time_s: float) -> tuple[float, str]:
    """The unit in which a length of time reads well."""
    for unit_s, name in ((86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if time_s >= 3 * unit_s:
            return unit_s, name
    return 1.0, "s"


def path(points: list[tuple[float, float]], kind: str) -> str:
    """A line through points."""
    joined = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="M{joined}" class="{kind}"/>' if points else ""


def dots(points: list[tuple[float, float]], kind: str) -> str:
    """Points on a line."""
    return f'<path d="{"".join(f"M{x:.1f} {y:.1f}h0" for x, y in points)}" class="{kind}"/>'
