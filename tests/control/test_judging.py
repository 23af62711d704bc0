"""Precision that only the merged result can tell: asked for, answered once, closed on an answer."""

from __future__ import annotations

from math import sqrt

import pytest

from manyhands.control.judging import AGAIN_US, COST_FACTOR, UNREAD_MAX
from manyhands.control.life_cycles import Row
from manyhands.control.looks import FIRST_LOOK
from manyhands.control.stopping import judged
from manyhands.model.campaign import Stage
from manyhands.model.commands import JudgePrecision
from manyhands.model.events import (
    CampaignCancelled,
    MasterRestarted,
    PrecisionJudged,
    PrecisionUnjudged,
)
from manyhands.model.orders import ExtendLease, StartTask
from manyhands.model.stopping import Precision, any_of, samples
from manyhands.model.where import Above, AllCells
from tests.control.conversation import Hand, Pool, blocks, exact, free, of, only, stored

RULE = Precision("dose", relative=0.02, where=Above(0.5))
LOOSE = Precision("dose", relative=0.02, samples_min=2, nonzero_min=1, where=AllCells())


def answer(asked: JudgePrecision, error: float | None, took_us: int = 0) -> PrecisionJudged:
    """What whoever merged it found."""
    return PrecisionJudged(asked.campaign, asked.look, asked.samples, error, None, None, took_us)


def asked(pool: Pool) -> JudgePrecision:
    """The look that was asked for by the last event."""
    return only(JudgePrecision, pool.commands)


def begun(rule: Precision = RULE, end: int = 2000) -> tuple[Pool, Hand, StartTask]:
    """A campaign in free mode that has stored its first partial."""
    pool = Pool(free(rule))
    hand = Hand(pool)
    start = hand.begin()
    hand.offer(stored(start, 0, end))
    return pool, hand, start


def test_a_look_is_about_all_that_is_stored() -> None:
    pool, _, start = begun()
    look = asked(pool)
    assert (look.look, look.samples, look.rule) == (1, 2000, RULE)
    assert [(one.name, one.digest) for one in look.partials] == [(f"{start.task}/0-2000/d", "d")]


def test_it_closes_on_an_answer_and_never_on_a_forecast() -> None:
    pool, hand, start = begun()
    pool.tell(answer(asked(pool), 0.04))
    assert pool.campaign().estimate.goal == 8000
    hand.offer(stored(start, 0, 50_000))  # far beyond what was forecast
    assert pool.stage() is not Stage.DONE
    pool.tell(answer(asked(pool), 0.0199))
    assert pool.stage() is Stage.DONE
    assert pool.campaign().stored == 50_000


def test_one_look_is_under_way_at_a_time_and_the_next_comes_at_five_percent_more() -> None:
    pool, hand, start = begun()
    first = asked(pool)
    hand.offer(stored(start, 0, 4000))
    assert not of(JudgePrecision, pool.commands)
    pool.tell(answer(first, 0.5))
    assert asked(pool).samples == 4000
    pool.tell(answer(asked(pool), 0.3))
    hand.offer(stored(start, 0, 4199))
    assert not of(JudgePrecision, pool.commands)
    hand.offer(stored(start, 0, 4200))
    assert asked(pool).samples == 4200


def test_answers_that_are_late_repeated_or_of_another_look_change_nothing() -> None:
    pool, hand, start = begun()
    first = asked(pool)
    met = answer(first, 0.001)
    for foreign in (
        PrecisionJudged(7, 1, 2000, 0.001, None, None, 0),
        PrecisionJudged(0, 2, 2000, 0.001, None, None, 0),
        PrecisionJudged(0, 1, 1999, 0.001, None, None, 0),
        PrecisionUnjudged(0, 2, "", "it cannot be"),
    ):
        pool.tell(foreign)
        assert pool.stage() is Stage.OPEN
    pool.tell(answer(first, 0.5))
    pool.tell(met)
    hand.offer(stored(start, 0, 4000))
    pool.tell(met)
    assert pool.stage() is Stage.OPEN
    assert pool.took(Row.JUDGED_LATE) == 6
    pool.tell(CampaignCancelled(0))
    pool.tell(PrecisionJudged(0, 2, 4000, 0.001, None, None, 0))
    assert pool.stage() is Stage.CANCELLED


def test_a_restart_asks_again_under_another_number() -> None:
    pool, _, _ = begun()
    first = asked(pool)
    pool.tell(MasterRestarted())
    again = asked(pool)
    assert (again.look, again.samples, again.partials) == (2, first.samples, first.partials)
    pool.tell(answer(first, 0.001))
    assert pool.stage() is Stage.OPEN
    pool.tell(answer(again, 0.001))
    assert pool.stage() is Stage.DONE


def test_a_dear_look_is_rare_but_comes_in_the_end() -> None:
    pool, hand, start = begun()
    took_s = 30.0
    pool.tell(answer(asked(pool), 0.5, round(took_s * 1e6)))
    before_s = pool.now_s
    hand.offer(stored(start, 0, 100_000))
    assert not of(JudgePrecision, pool.commands)
    pool.history.clear()
    pool.wait(COST_FACTOR * took_s - 5.0)
    assert not of(JudgePrecision, pool.history)
    pool.wait(5.0 - (pool.now_s - before_s - COST_FACTOR * took_s))
    assert only(JudgePrecision, pool.history).samples == 100_000


def test_what_vanished_is_asked_for_again_at_once() -> None:
    pool, hand, start = begun()
    first = asked(pool)
    hand.offer(stored(start, 0, 2001))
    pool.tell(PrecisionUnjudged(0, first.look, first.partials[0].name, ""))
    assert asked(pool).samples == 2001


def test_what_can_never_be_read_fails_the_campaign_after_some_tries() -> None:
    pool, _, _ = begun()
    name = asked(pool).partials[0].name
    for _ in range(UNREAD_MAX - 1):
        look = of(JudgePrecision, pool.history)[-1]
        pool.tell(PrecisionUnjudged(0, look.look, name, ""))
        assert not of(JudgePrecision, pool.commands)
        pool.wait(AGAIN_US / 1e6 + 0.1)
    pool.tell(PrecisionUnjudged(0, of(JudgePrecision, pool.history)[-1].look, name, ""))
    assert (pool.stage(), pool.campaign().reason) == (
        Stage.FAILED,
        f"partial {name} cannot be read",
    )
    assert pool.campaign().stored == 2000


def test_a_rule_that_fits_no_result_fails_the_campaign_in_its_words() -> None:
    pool, _, _ = begun()
    pool.tell(PrecisionUnjudged(0, asked(pool).look, "", "there is no cell (9,)"))
    assert (pool.stage(), pool.campaign().reason) == (Stage.FAILED, "there is no cell (9,)")


def test_nobody_is_limited_by_a_goal_that_is_reached_while_a_look_is_under_way() -> None:
    pool, hand, start = begun()
    pool.tell(answer(asked(pool), 0.04))
    hand.offer(stored(start, 0, 9000))
    assert of(JudgePrecision, pool.commands)
    hand.report(start, 9500, 1.0)
    assert pool.stage() is Stage.OPEN
    assert hand.report_in_s > 10.0


def test_a_count_beside_it_closes_without_an_answer() -> None:
    pool = Pool(free(any_of(samples(3000), RULE)))
    hand = Hand(pool)
    start = hand.begin()
    hand.offer(stored(start, 0, 2000))
    look = asked(pool)
    hand.offer(stored(start, 0, 3000))
    assert pool.stage() is Stage.DONE
    pool.tell(answer(look, 0.5))
    assert pool.stage() is Stage.DONE


@pytest.mark.parametrize(
    ("rule", "error", "batches", "vov", "met", "goal"),
    [
        (RULE, 0.02, None, None, True, 1000),
        (RULE, 0.04, None, None, False, 4000),
        (RULE, None, None, None, False, None),
        (RULE, 0.01, None, 0.2, False, 1001),
        # 1/5² = 25 samples carry such an error at least, and 30 have to.
        (Precision("t", relative=0.5, where=AllCells()), 0.2, None, None, False, 1229),
        (Precision("t", relative=0.5, where=AllCells()), 0.1, None, None, True, 1000),
        (RULE, 0.01, 29, None, False, 1035),
        (RULE, 0.01, 30, None, True, 1000),
        (Precision("t", absolute=0.5), 0.9, None, None, False, 3240),
        (Precision("t", absolute=0.5), 0.5, None, None, True, 1000),
    ],
)
def test_the_guards(
    rule: Precision,
    error: float | None,
    batches: int | None,
    vov: float | None,
    met: bool,
    goal: int | None,
) -> None:
    found = judged(rule, PrecisionJudged(0, 1, 1000, error, batches, vov, 0))
    assert (found.met, found.goal) == (met, goal)


def test_too_few_samples_are_never_enough() -> None:
    found = judged(RULE, PrecisionJudged(0, 1, 999, 0.001, None, None, 0))
    assert (found.met, found.goal) == (False, 1000)


def exact_run(order: int, delay: int) -> tuple[int | None, int, list[int]]:
    """An exact campaign on two hands; each look is answered when `delay` more were stored."""
    pool = Pool(exact(LOOSE))
    hands = [Hand(pool, number) for number in range(2)]
    starts = [hand.begin() for hand in hands]
    held = {one.task: [(x.start, x.end) for x in one.leases] for one in starts}
    done = {one.task: 0 for one in starts}
    looked: list[int] = []
    waiting: list[tuple[int, JudgePrecision]] = []
    offers = 0
    while pool.stage() in (Stage.OPEN, Stage.DRAINING):
        for i in (0, 1) if order else (1, 0):
            hand, start = hands[i], starts[i]
            assert held[start.task] or not waiting, "nobody waits for a look"
            for first, end in held[start.task]:
                if pool.stage() not in (Stage.OPEN, Stage.DRAINING):
                    break
                hand.offer(blocks(start, done[start.task], (first, end), final=True))
                done[start.task] += end - first
                offers += 1
                waiting += [(offers + delay, one) for one in of(JudgePrecision, pool.commands)]
                while waiting and waiting[0][0] <= offers:
                    look = waiting.pop(0)[1]
                    looked.append(look.samples)
                    more = pool.tell(answer(look, 1.0 / sqrt(look.samples)))
                    waiting += [(offers + delay, one) for one in of(JudgePrecision, more)]
            orders = hand.report(start, done[start.task], 1.0 + i)
            held[start.task] = [
                (one.start, one.end)
                for more_blocks in of(ExtendLease, orders)
                for one in more_blocks.leases
            ]
    record = pool.campaign()
    return record.final_blocks, record.stored, looked


def test_every_schedule_looks_at_the_same_prefixes_and_stops_at_the_same_one() -> None:
    final, kept, looked = exact_run(0, 0)
    assert final is not None
    assert final >= 250  # 1/0.02² samples, ten to a block
    assert looked[0] == FIRST_LOOK * 10
    for order, delay in ((1, 0), (0, 1), (1, 3), (0, 7)):
        assert exact_run(order, delay) == (final, kept, looked)
    assert kept == final
