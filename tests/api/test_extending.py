"""A finished campaign is extended: more samples, each other than those that are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.api import rules
from manyhands.api.campaign import Wishes, run
from manyhands.api.extending import extend
from manyhands.api.quantities import BadQuantity
from manyhands.model.stopping import StopRule
from manyhands.runtime.folder import FolderRefused

BLOCK = 1000


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
    with pytest.raises(BadQuantity, match=what):
        extend(tmp_path, rule)


def test_where_there_is_no_campaign_there_is_nothing_to_extend(tmp_path: Path) -> None:
    with pytest.raises(FolderRefused, match="holds no campaign"):
        extend(tmp_path, rules.samples(10))
