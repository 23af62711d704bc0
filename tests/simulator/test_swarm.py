"""The swarm: seeds that once broke a promise, and that everything is met that can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.simulator.crowd import Tally, everything
from manyhands.simulator.swarm import SeedResult, run_seed

KEPT = [
    int(line.split()[0])
    for line in Path(__file__).with_name("seeds.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", KEPT)
def test_a_seed_that_broke_a_promise_keeps_it_now(seed: int) -> None:
    assert run_seed(seed).failure is None


def test_what_few_seeds_met_is_said() -> None:
    tally = Tally()
    for seed in range(100):
        rows = dict.fromkeys(everything()[1:] if seed else everything(), 1)
        tally.add(SeedResult(seed, rows=rows))
    assert tally.seldom() == {}
    tally.add(SeedResult(100))
    assert list(tally.seldom()) == [everything()[0]]
