"""The checker is worth its name: every bug that was planted on purpose is seen by the swarm."""

from __future__ import annotations

import pytest

from tests.simulator.mutants import SEEDS, caught, mutants, table


@pytest.mark.slow
@pytest.mark.parametrize("name", mutants())
def test_a_planted_bug_is_seen_within_200_seeds(name: str) -> None:
    mutant, known = mutants()[name], table().get(name)
    seeds = [known.seed, *SEEDS] if known else list(SEEDS)
    assert any(caught(mutant, seed).failure is not None for seed in seeds)


def test_every_planted_bug_has_a_seed_that_shows_it() -> None:
    assert list(table()) == list(mutants())
    assert all(one.first in SEEDS and one.seed in SEEDS for one in table().values())
