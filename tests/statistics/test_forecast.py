"""How long a precision takes, in words, and what a simulation is worth."""

from __future__ import annotations

from math import inf

import pytest

from manyhands.statistics.forecast import Pace, duration, far_off, samples_needed, sentence
from manyhands.statistics.merit import figure_of_merit

DAY_S = 86_400


@pytest.mark.parametrize(
    ("samples", "error", "target", "expected"),
    [
        (1000, 0.02, 0.01, 4000),
        (1000, 0.01, 0.01, 1000),
        (1000, 0.005, 0.01, 250),
        (1000, 0.0, 0.01, 1),
        (1000, inf, 0.01, None),
        (0, 0.1, 0.01, None),
    ],
)
def test_samples_grow_with_the_square(
    samples: int, error: float, target: float, expected: int | None
) -> None:
    assert samples_needed(samples, error, target) == expected


def test_what_more_cores_would_do_is_said() -> None:
    pace = Pace(samples_per_s=10.0, cores=4)
    assert sentence(10 * 3 * DAY_S, 0, pace, 140) == "about 3 days; with 140 more cores 2 hours"


@pytest.mark.parametrize(("error", "said"), [(0.1, False), (0.101, True), (inf, False)])
def test_only_what_is_far_off_is_said(error: float, said: bool) -> None:
    found = far_off(1000, error, 0.01, Pace(1.0, 1))
    assert (found is not None) is said


def test_the_samples_there_are_take_no_more_time() -> None:
    assert sentence(100, 100, Pace(1.0, 1), 1) == "about 1 second; with 1 more cores 1 second"


@pytest.mark.parametrize(
    ("time_s", "said"),
    [
        (0.2, "1 second"),
        (89, "89 seconds"),
        (90, "2 minutes"),
        (5000, "83 minutes"),
        (7200, "2 hours"),
        (2 * DAY_S, "2 days"),
        (400 * DAY_S, "400 days"),
        (3_000_000 * DAY_S, "8,214 years"),
    ],
)
def test_a_time_is_one_number_and_one_unit(time_s: float, said: str) -> None:
    assert duration(time_s) == said


def test_a_pace_must_be_one() -> None:
    for rate, cores in ((0.0, 1), (inf, 1), (1.0, 0)):
        with pytest.raises(ValueError, match="but must be"):
            Pace(rate, cores)


def test_the_figure_of_merit_does_not_change_with_samples() -> None:
    assert figure_of_merit(0.1, 10.0) == pytest.approx(figure_of_merit(0.05, 40.0))


def test_time_on_a_faster_host_counts_for_more() -> None:
    assert figure_of_merit(0.1, 5.0, host_speed=2.0) == pytest.approx(figure_of_merit(0.1, 10.0))


def test_without_an_error_or_a_value_the_figure_is_at_its_ends() -> None:
    assert figure_of_merit(0.0, 1.0) == inf
    assert figure_of_merit(inf, 1.0) == 0.0
    with pytest.raises(ValueError, match="time_s"):
        figure_of_merit(0.1, 0.0)
