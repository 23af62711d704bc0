"""A finished campaign is extended: more samples, each other than those that are there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from manyhands.api import rules
from manyhands.api.campaign import Wishes, run
from manyhands.api.extending import extend
from manyhands.api.quantities import BadQuantity
from manyhands.applications.stream import Stream
from manyhands.model.checks import Mistake
from manyhands.model.stopping import StopRule
from manyhands.model.where import BadWhere
from manyhands.runtime.folder import FolderRefused
from manyhands.statistics import where
from manyhands.statistics.returned import histogram

BLOCK = 1000


def spectrum(samples: int, stream: Stream) -> dict[str, object]:
    """Energies below 0.9, in bins that go on beyond."""
    energies = 0.9 * stream.numpy().random(samples)
    return {"energy": histogram(energies, np.linspace(0.0, 1.2, 9))}


def test_in_exact_mode_it_is_as_if_it_had_been_asked_for_at_once(tmp_path: Path) -> None:
    wishes: Wishes = {"exact": True, "seed": 3, "block_samples": BLOCK}
    at_once = run("pi", 50 * BLOCK, pilots=1, out=tmp_path / "whole", **wishes)
    run("pi", 20 * BLOCK, pilots=2, out=tmp_path / "parts", **wishes)
    extended = extend(tmp_path / "parts", rules.samples(50 * BLOCK), pilots=1)
    assert extended.samples == 50 * BLOCK
    assert extended.digest == at_once.digest


def test_in_free_mode_new_streams_are_used(tmp_path: Path) -> None:
    before = run("pi", 100_000, pilots=2, out=tmp_path, seed=3)
    after = extend(tmp_path, rules.samples(before.samples + 100_000), pilots=2)
    assert after.samples >= before.samples + 100_000
    assert after["pi"].error < before["pi"].error  # type: ignore[operator]


def test_to_a_precision(tmp_path: Path) -> None:
    run("slab", 20_000, pilots=1, out=tmp_path, seed=3, exact=True, block_samples=BLOCK)
    after = extend(tmp_path, rules.precision("absorbed", relative=0.003), pilots=1)
    assert after["absorbed"].relative_error <= 0.003  # type: ignore[operator]


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        (rules.samples(10), "needs no more"),
        (rules.precision("dose", relative=0.1), "no tally 'dose': there are pi"),
        (rules.budget(1.0), "does not extend"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, rule: StopRule, what: str) -> None:
    run("pi", 10_000, pilots=1, out=tmp_path)
    with pytest.raises(Mistake, match=what):
        extend(tmp_path, rule)


@pytest.mark.slow
def test_to_the_precision_of_an_image(tmp_path: Path) -> None:
    """The worst cell decides, and cells that are empty are never precise."""
    run(spectrum, 5_000, pilots=1, out=tmp_path, seed=3, exact=True, block_samples=BLOCK)
    before = rules.precision("energy", relative=0.02, where=where.above(0.5))
    after = extend(tmp_path, before, pilots=1)
    found = after["energy"]
    assert np.all(np.asarray(found.relative_error)[np.asarray(found.value) > 0.1] <= 0.02)
    assert after.samples > 5_000
    with pytest.raises(BadQuantity, match="needs no more"):
        extend(tmp_path, before, pilots=1)
    with pytest.raises(BadQuantity, match="is 0 so far where it should be precise"):
        extend(tmp_path, rules.precision("energy", 0.02, where=where.all_cells()), pilots=1)
    with pytest.raises(BadWhere, match="no cell"):
        extend(tmp_path, rules.precision("energy", 0.02, where=where.cell(1, 1)), pilots=1)


def test_where_there_is_no_campaign_there_is_nothing_to_extend(tmp_path: Path) -> None:
    with pytest.raises(FolderRefused, match="holds no campaign"):
        extend(tmp_path, rules.samples(10))
