"""A child at work in this process: what it is told, and what it says."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from manyhands.applications.describing import describe
from manyhands.applications.loading import Application
from manyhands.applications.stream import Stream
from manyhands.pilot.frames import READ_BYTES, Frames
from manyhands.runtime.brief import Brief
from manyhands.runtime.child.child import Child
from manyhands.statistics.returned import mean

PI = describe("pi")


class Desk:
    """A child with some function, and what it has said."""

    def __init__(self, folder: Path, advance: Any, exact: bool = False) -> None:
        self._reads, self._writes = os.pipe()
        os.set_blocking(self._reads, False)
        self._frames = Frames()
        brief = Brief(PI, 0, 1, exact, 4 if exact else 0, 40, None)
        self._in_hand = os.open(folder / "in_hand", os.O_RDWR | os.O_CREAT)
        application = Application(PI, advance)
        self.child = Child(folder, self._writes, self._in_hand, brief, application)

    def tell(self, what: str, **more: Any) -> None:
        self.child.told({"what": what, "task": 7, **more})

    def start(self, leases: list[list[int]] | None = None) -> None:
        self.tell("start", stream=-1 if leases else 3, limit=None, leases=leases or [])

    def said(self) -> list[dict[str, Any]]:
        found = []
        with suppress(BlockingIOError):
            while True:
                found += self._frames.feed(os.read(self._reads, READ_BYTES))
        return [json.loads(one) for one in found]

    def close(self) -> None:
        for descriptor in (self._reads, self._writes, self._in_hand):
            os.close(descriptor)


@pytest.fixture
def firsts() -> list[tuple[int, int]]:
    return []


@pytest.fixture
def free(tmp_path: Path, firsts: list[tuple[int, int]]) -> Iterator[Desk]:
    def advance(samples: int, stream: Stream) -> dict[str, Any]:
        firsts.append((stream.first, samples))
        return {"x": mean(stream.numpy().random(samples))}

    desk = Desk(tmp_path, advance)
    yield desk
    desk.close()


@pytest.fixture
def broken(tmp_path: Path) -> Iterator[Desk]:
    def advance(samples: int, stream: Stream) -> dict[str, Any]:
        raise ZeroDivisionError

    desk = Desk(tmp_path, advance, exact=True)
    yield desk
    desk.close()


def test_a_function_is_told_the_index_of_its_first_sample(
    free: Desk, firsts: list[tuple[int, int]]
) -> None:
    free.start()
    for _ in range(6):
        assert free.child.step()
    done = 0
    for first, samples in firsts:
        assert first == done
        done += samples


def test_orders_that_cross_a_failure_do_no_harm(broken: Desk) -> None:
    broken.start([[2, 5, 0]])
    for what in ("hold", "go", "end"):
        broken.tell(what)
    broken.tell("watch", position=2)
    broken.tell("heard", position=0)
    broken.tell("extend", leases=[[5, 6, 0]])
    broken.tell("trim", leases=[])
    assert not broken.child.step()
    first, *others = broken.said()
    assert (first["what"], first["block"]) == ("failed", 0)
    assert [one["what"] for one in others] == ["held"]
