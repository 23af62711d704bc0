"""When it is enough: rules against closed forms, guards, combinations, and what pilots may say."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from statistics import NormalDist, mean, stdev

import pytest

from manyhands.control.stopping import (
    Estimate,
    Prospect,
    Standing,
    goals,
    look,
    satisfied,
    standard_errors,
    time_left_us,
)
from manyhands.model.campaign import Stage
from manyhands.model.events import CampaignSubmitted
from manyhands.model.facts import TaskProgressed
from manyhands.model.stopping import (
    Budget,
    Deadline,
    Precision,
    Samples,
    StopRule,
    all_of,
    any_of,
)
from tests.control.conversation import Hand, Pool, free, stored

ONE = Precision("t", relative=0.1, unit=1.0, samples_min=2, nonzero_min=1, vov_max=1e9)


def _sums(values: list[int]) -> list[int]:
    return [sum(one != 0 for one in values), *(sum(one**k for one in values) for k in range(1, 5))]


def _draws(count: int, seed: int = 1) -> list[int]:
    draw = Random(seed)
    return [int(1000 * draw.expovariate(1.0)) for _ in range(count)]


@pytest.mark.parametrize("count", [100, 1000, 5000])
def test_the_goal_is_that_of_the_closed_form(count: int) -> None:
    values = _draws(count)
    error = stdev(values) / math.sqrt(count) / mean(values)
    found = look(ONE, count, _sums(values))
    assert found.met == (error <= 0.1)
    if not found.met:
        assert found.goal == pytest.approx(count * (error / 0.1) ** 2, abs=1.01)


def test_an_absolute_reach_and_the_unit_of_the_sums() -> None:
    values = _draws(1000)
    error = stdev(values) / math.sqrt(1000) / 1024
    for reach, met in ((error * 1.001, True), (error * 0.999, False)):
        rule = Precision("t", absolute=reach, unit=2.0**-10, samples_min=2, vov_max=1e9)
        assert look(rule, 1000, _sums(values)).met is met


def test_confidence_counts_in_standard_errors() -> None:
    assert standard_errors(0.6826894921370859) == pytest.approx(1.0)
    assert standard_errors(0.95) == pytest.approx(NormalDist().inv_cdf(0.975))
    values = _draws(1000)
    error = stdev(values) / math.sqrt(1000)
    rule = Precision("t", absolute=error * 1.9, confidence=0.95, unit=1.0, vov_max=1e9)
    assert not look(rule, 1000, _sums(values)).met


def test_guards_against_early_luck() -> None:
    lucky = _sums([5, 5, 6, 5] * 10)
    assert look(ONE, 40, lucky).met
    many = Precision("t", relative=0.1, unit=1.0, samples_min=41, nonzero_min=1)
    assert look(many, 40, lucky) == Estimate(False, 40, 41)
    hits = Precision("t", relative=1.0, unit=1.0, samples_min=2, nonzero_min=30, vov_max=1e9)
    rare = _sums([1] * 10 + [0] * 990)
    assert look(hits, 1000, rare) == Estimate(False, 1000, 3000)
    assert look(ONE, 1000, _sums([0] * 1000)) == Estimate(False, 1000, None)


def test_the_variance_of_the_variance_is_judged_by_its_definition() -> None:
    values = [0] * 95 + [100] * 5
    middle = Fraction(sum(values), 100)
    second = sum((one - middle) ** 2 for one in values)
    fourth = sum((one - middle) ** 4 for one in values)
    vov = float(fourth / second**2 - Fraction(1, 100))
    for limit, met in ((vov * 1.0001, True), (vov * 0.9999, False)):
        rule = Precision("t", relative=9.0, unit=1.0, samples_min=2, nonzero_min=1, vov_max=limit)
        found = look(rule, 100, _sums(values))
        assert found.met is met
        assert found.goal == (100 if met else 101) or (met and (found.goal or 0) <= 100)


def test_a_tally_that_never_varies_is_precise() -> None:
    assert look(ONE, 50, _sums([7] * 50)).met
    rounded = [50, 50 * 104858, 50 * 10995116278]  # 0.1 in steps of 2**-20: the square is too small
    rule = Precision("t", relative=0.1, samples_min=2)
    assert look(rule, 50, rounded).met


@pytest.mark.parametrize(
    "sums",
    [
        [],
        [1],
        [5, 1, 10**700],
        [5, 10**700, 1],
        [5, 10**160, 10**320, 10**480, 10**640],
        [-5, 3, 9],
        [5, 3, -9],
        [5, 0, 9],
        [5, 3, 9, -(10**200), 10**400],
    ],
)
def test_sums_that_no_samples_have_stop_nothing(sums: list[int]) -> None:
    huge = Precision("t", absolute=1e-300, unit=1e300)
    for rule in (ONE, huge):
        for samples in (1, 2, 10**6):
            found = look(rule, samples, sums)
            assert found.goal is None or found.goal >= 0
    assert not look(huge, 1000, sums).met


# ---- combinations --------------------------------------------------------------------------


def _at(now_s: float = 0.0, stored_: int = 0, used_s: float = 0.0, met: bool = False) -> Standing:
    return Standing(round(now_s * 1e6), stored_, round(used_s * 1e6), Estimate(met, 0, 500))


@pytest.mark.parametrize(
    ("rule", "yes", "no"),
    [
        (Samples(10), _at(stored_=10), _at(stored_=9)),
        (ONE, _at(met=True), _at()),
        (Deadline(5.0), _at(5.0), _at(4.999)),
        (Budget(1.0), _at(used_s=3600.0), _at(used_s=3599.9)),
        (any_of(Samples(10), Deadline(5.0)), _at(6.0), _at(4.0, 9)),
        (all_of(Samples(10), Deadline(5.0)), _at(6.0, 10), _at(6.0, 9)),
        (all_of(any_of(Samples(1), ONE), Budget(1.0)), _at(0.0, 1, 3600.0), _at(0.0, 1)),
    ],
)
def test_a_rule_is_satisfied_or_not(rule: StopRule, yes: Standing, no: Standing) -> None:
    assert satisfied(rule, yes)
    assert not satisfied(rule, no)


def test_the_time_left_is_the_least_of_any_and_the_most_of_all() -> None:
    prospect = Prospect(4, 1_000_000, {10: 7_000_000, 500: None})
    times = [time_left_us(one, _at(), prospect) for one in (Samples(10), ONE, Deadline(5.0))]
    assert times == [7_000_000, None, 4_000_000]
    assert time_left_us(Budget(0.001), _at(used_s=1.6), prospect) == 0
    assert time_left_us(any_of(Samples(10), ONE), _at(), prospect) == 7_000_000
    assert time_left_us(any_of(Samples(10), Deadline(5.0)), _at(), prospect) == 4_000_000
    assert time_left_us(all_of(Samples(10), Deadline(5.0)), _at(), prospect) == 7_000_000
    assert time_left_us(all_of(Samples(10), ONE), _at(), prospect) is None
    assert goals(all_of(Samples(10), any_of(ONE, Deadline(1.0))), Estimate(goal=500)) == [10, 500]


# ---- in a campaign -------------------------------------------------------------------------


def test_a_deadline_closes_at_its_time_whoever_speaks() -> None:
    pool = Pool(free(any_of(Samples(10**9), Deadline(500.0))))
    hand = Hand(pool)
    hand.offer(stored(hand.begin(), 0, 10))
    pool.wait(490.0)
    assert pool.stage() is not Stage.DONE
    pool.wait(20.0)
    assert pool.stage() is Stage.DONE
    assert pool.campaign().stored == 10


def test_a_deadline_that_has_passed_closes_at_once() -> None:
    pool = Pool()
    pool.now_s = 10.0
    pool.tell(CampaignSubmitted(free(Deadline(5.0))))
    assert pool.stage() is Stage.DONE


def test_a_budget_closes_when_the_slots_have_used_it() -> None:
    pool = Pool(free(Budget(0.1)))
    hand = Hand(pool)
    start = hand.begin()
    for _ in range(7):
        hand.report(start, 1, 55.0)
        if pool.stage() is Stage.DONE:
            break
    assert pool.campaign().used_us >= 300e6
    pool.wait(60.0)
    assert pool.stage() is Stage.DONE


def test_time_is_used_once_though_blocks_were_dropped() -> None:
    pool = Pool(free())
    hand = Hand(pool)
    start = hand.begin()
    for position, busy_us in ((50, 10), (40, 20), (60, 30), (60, 25)):
        hand.say(TaskProgressed(start.task, position, busy_us))
    assert pool.campaign().used_us == 30


def test_precision_in_free_mode_closes_on_a_result_that_was_looked_at() -> None:
    rule = Precision("t", relative=0.1, unit=1.0, samples_min=100, nonzero_min=1, vov_max=9.0)
    pool = Pool(free(rule))
    hand = Hand(pool)
    start = hand.begin()
    values = _draws(4000)
    for end in range(50, 4000, 50):
        hand.offer(stored(start, 0, end, sums=tuple(_sums(values[:end]))))
        if pool.stage() is not Stage.OPEN and pool.stage() is not Stage.DRAINING:
            break
        assert not (end >= 100 and look(rule, end, _sums(values[:end])).met)
    assert pool.campaign().estimate.met
    assert pool.campaign().stored == pool.campaign().estimate.samples >= 100
