"""What the documentation of a module shows is what happens."""

from __future__ import annotations

import doctest

from manyhands.statistics import tallies
from manyhands.statistics.returned import mean


def test_the_example_of_tallies_is_true() -> None:
    found = doctest.testmod(tallies, extraglobs={"mean": mean})
    assert found.attempted > 0
    assert found.failed == 0
