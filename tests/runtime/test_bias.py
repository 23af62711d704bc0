"""Work that ends by the clock gives an answer that is right on the mean, whatever samples cost."""

from __future__ import annotations

import pytest

from experiments.bias import (
    BIAS_BAR,
    COVERAGE_BAR,
    IN_BATCHES,
    ONE_BY_ONE,
    Costs,
    DropsInHand,
    Worker,
    measured,
)

pytestmark = pytest.mark.slow

COSTS = pytest.mark.parametrize("costs", [ONE_BY_ONE, IN_BATCHES], ids=["one by one", "batches"])
RUNS = 400
RUNS_WITH_THE_MISTAKE = 150


@COSTS
def test_what_is_in_hand_is_finished_and_the_answer_is_right(costs: Costs) -> None:
    found = measured(Worker, costs, RUNS)
    assert abs(found.bias) <= BIAS_BAR
    assert found.covered >= COVERAGE_BAR


@COSTS
def test_dropping_what_is_in_hand_would_be_seen(costs: Costs) -> None:
    found = measured(DropsInHand, costs, RUNS_WITH_THE_MISTAKE)
    assert abs(found.bias) > BIAS_BAR + 2 * found.uncertainty
