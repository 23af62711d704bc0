"""Looks at merged results: beside everything else, and at what was there when they were ordered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import numpy as np
import pytest

from manyhands.model.commands import JudgePrecision
from manyhands.model.events import Event, PrecisionJudged, PrecisionUnjudged
from manyhands.model.orders import MergeInput
from manyhands.model.stopping import Precision
from manyhands.model.where import Cell
from manyhands.runtime.judging import HELD, Judges
from manyhands.runtime.objects import digest_of, put
from manyhands.statistics.judging import measure
from manyhands.statistics.returned import mean
from manyhands.statistics.tallies import Tallies

RULE = Precision("dose", 0.1)
WAIT_S = 30.0


class Desk:
    """Judges, their store, and what they said."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store = folder, folder / "objects"
        self.store.mkdir()
        self.heard: SimpleQueue[Event] = SimpleQueue()
        self.judges = Judges(folder, self.store, self.heard.put)

    def put(self, *seeds: int) -> MergeInput:
        """Store an object that holds these returns."""
        data = some(*seeds).to_bytes()
        return MergeInput(put(self.store, f"{seeds}", data), digest_of(data))

    def look(self, look: int, samples: int, *inputs: MergeInput, rule: Precision = RULE) -> None:
        """Order a look."""
        self.judges.judge(JudgePrecision(0, look, samples, rule, inputs))

    def answer(self) -> Event:
        """What is said next."""
        return self.heard.get(timeout=WAIT_S)


def some(*seeds: int) -> Tallies:
    """Ten samples of an image for each seed."""
    tallies = Tallies.free()
    for seed in seeds:
        image = np.random.default_rng(seed).exponential(1.0, (10, 4))
        tallies.add({"dose": mean(image)}, 10)
    return tallies


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Somebody who judges, until the end of the test."""
    made = Desk(tmp_path)
    yield made
    made.judges.end()


def test_it_measures_what_the_objects_hold_together(desk: Desk) -> None:
    desk.look(1, 30, desk.put(1, 2), desk.put(3))
    found = desk.answer()
    assert isinstance(found, PrecisionJudged)
    assert (found.campaign, found.look, found.samples) == (0, 1, 30)
    expected = measure(RULE, some(1, 2, 3)).error
    assert found.error == pytest.approx(expected)


def test_what_is_replaced_meanwhile_is_still_looked_at(desk: Desk) -> None:
    """Many looks are ordered, and all their objects deleted, before the first can be over."""
    for look in range(1, 20):
        one = desk.put(look)
        desk.look(look, 10, one)
        (desk.store / one.name).unlink()
    for look in range(1, 20):
        found = desk.answer()
        assert isinstance(found, PrecisionJudged)
        assert found.look == look
        assert found.error == pytest.approx(measure(RULE, some(look)).error)


def test_a_later_look_goes_on_from_the_one_before_or_begins_anew(desk: Desk) -> None:
    first, second, third = desk.put(1), desk.put(2), desk.put(1, 2, 3)
    desk.look(1, 10, first)
    desk.look(2, 20, first, second)
    desk.look(3, 30, third)
    errors = [getattr(desk.answer(), "error", None) for _ in range(3)]
    expected = [measure(RULE, some(*seeds)).error for seeds in ((1,), (1, 2), (1, 2, 3))]
    assert errors == pytest.approx(expected)


def test_an_object_that_is_gone_or_torn_is_named(desk: Desk) -> None:
    gone, torn = desk.put(1), desk.put(2)
    (desk.store / gone.name).unlink()
    (desk.store / torn.name).write_bytes(b"half")
    desk.look(1, 20, gone, torn)
    assert desk.answer() == PrecisionUnjudged(0, 1, gone.name, "")
    desk.look(2, 10, torn)
    assert desk.answer() == PrecisionUnjudged(0, 2, torn.name, "")


def test_a_rule_that_fits_nothing_is_said_in_one_line(desk: Desk) -> None:
    desk.look(1, 10, desk.put(1), rule=Precision("dose", 0.1, where=Cell((9,))))
    problem = "precision on 'dose': there is no cell (9,) in a tally (4,)"
    assert desk.answer() == PrecisionUnjudged(0, 1, "", problem)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.look(1, 10, desk.put(1))
    desk.answer()
    desk.judges.end()
    assert not (tmp_path / HELD).exists()
