"""Applications of a module: what `package.module:function` finds."""

from __future__ import annotations

from functools import partial
from typing import Any

from manyhands.applications.declaring import application
from manyhands.applications.stream import Stream


def count(samples: int, stream: Stream, step: int = 1) -> dict[str, Any]:
    """Count the samples."""
    return {"count": samples * step, "stream": stream.number}


def read(path: str) -> list[str]:
    """Pretend to read a file."""
    return [path]


@application(prepare=read, block_samples=100, granule=10)
def prepared_count(samples: int, stream: Stream, path: str, prepared: list[str]) -> dict[str, Any]:
    """Tell what was prepared; each call marks it."""
    prepared.append("called")
    return {"samples": samples, "path": path, "prepared": list(prepared)}


class Counter:
    """An application with a state of its own, made once in each process."""

    def __init__(self, begin: int = 0) -> None:
        self.total = begin

    def prepare(self) -> None:
        """Begin at a hundred more."""
        self.total += 100

    def advance(self, samples: int, stream: Stream) -> dict[str, Any]:
        """Go on counting."""
        self.total += samples
        return {"total": self.total}


class Bare:
    """A class without prepare."""

    def advance(self, samples: int, stream: Stream) -> dict[str, Any]:
        """Say nothing."""
        return {}


@application(prepare=read)
class Unusual:
    """A class that declares what should be a method."""

    def advance(self, samples: int, stream: Stream) -> dict[str, Any]:
        """Say nothing."""
        return {}


class Idle:
    """No application: it cannot advance."""


class Thirsty:
    """An application whose prepare wants what nobody gives."""

    def prepare(self, water: int) -> None:
        """Wait for water."""

    def advance(self, samples: int, stream: Stream) -> dict[str, Any]:
        """Say nothing."""
        return {}


def too_few(samples: int) -> dict[str, Any]:
    """Take no stream."""
    return {}


def demanding(samples: int, stream: Stream, energy: float) -> dict[str, Any]:
    """Take an option that has no default."""
    return {}


def named_otherwise(n: int, draws: Stream, step: int = 1) -> dict[str, Any]:
    """Call samples and stream by other names."""
    return {"count": n * step}


@application(prepare=lambda: "made")
def anything(samples: int, stream: Stream, **options: Any) -> dict[str, Any]:
    """Take whatever is given."""
    return {"options": options}


async def late(samples: int, stream: Stream) -> dict[str, Any]:
    """Wait."""
    return {}


def piecemeal(samples: int, stream: Stream) -> Any:
    """Yield."""
    yield {}


def require_even(step: int = 2) -> None:
    """Refuse an odd step."""
    if step % 2:
        raise ValueError(f"step is {step}, but must be even")


@application(check=require_even)
def even(samples: int, stream: Stream, step: int = 2, other: int = 0) -> dict[str, Any]:
    """Count in even steps."""
    return {"count": samples * step}


@application(prepare=lambda missing: missing)
def unprepared(samples: int, stream: Stream) -> dict[str, Any]:
    """Have a prepare that wants an option which is not given."""
    return {}


a_partial = partial(count, step=2)
nameless: Any = lambda samples, stream: {}  # noqa: E731
number = 3
