"""The end in free mode: quotas when it is in sight, closed at the first stored ≥ N."""

from __future__ import annotations

from manyhands.model.campaign import Ending, Pace, Split, Splitting, Stage
from manyhands.model.facts import PilotLeft, TaskEnded, TaskFailed
from manyhands.model.failures import FailureCause
from manyhands.model.orders import PartialAccepted, PartialRefused, SetQuota, StartTask, StopTask
from tests.control.conversation import Hand, Pool, free, of, only, stored

CRASHED = FailureCause.APPLICATION_CRASHED
SPLIT = Splitting(Split.STATIC, tasks=4)
CHUNKS = Splitting(Split.CHUNKS, samples=30)
EARLY = Splitting(Split.EARLY_BINDING, tasks=4)


def test_nobody_has_a_limit_while_the_end_is_far() -> None:
    pool = Pool(free(10_000))
    hand = Hand(pool)
    start = hand.begin()
    assert start.limit == 10_000
    assert of(SetQuota, hand.report(start, 600)) == []
    assert pool.stage() is Stage.OPEN


def _abreast() -> tuple[Pool, Hand, StartTask, Hand, StartTask]:
    """Two tasks of 10 samples a second each, that want 10,000, until the end is in sight."""
    pool = Pool(free(10_000))
    one, two = Hand(pool, 0), Hand(pool, 1)
    first, second = one.begin(), two.begin()
    position = 0
    while pool.stage() is Stage.OPEN:
        step_s = min(one.report_in_s, two.report_in_s)
        position += round(10 * step_s)
        one.report(first, position, step_s - 1.0)
        two.report(second, position, 1.0)
    return pool, one, first, two, second


def test_quotas_are_given_when_two_periods_are_left_and_pass_the_goal_a_little() -> None:
    pool, one, first, two, second = _abreast()
    position = pool.task(second.task).position
    assert 7_000 < 2 * position < 9_000
    quota = only(SetQuota, one.report(first, position + 10, 1.0)).position
    other = only(SetQuota, two.report(second, position + 10, 0.0)).position
    assert 10_000 <= quota + other <= 10_100
    assert one.report_in_s < 60.0


def test_reports_come_quicker_towards_the_end() -> None:
    pool = Pool(free(10_000))
    hand = Hand(pool)
    start = hand.begin()
    position = 0
    waits: list[float] = []
    while pool.stage() is not Stage.DRAINING or len(waits) < 4:
        step_s = min(hand.report_in_s, 10_000.0)
        position += round(10 * step_s)
        hand.report(start, position, step_s)
        if pool.stage() is Stage.DRAINING:
            waits.append(hand.report_in_s)
    assert waits == sorted(waits, reverse=True)
    assert waits[-1] < 20.0


def test_it_closes_at_the_first_instant_at_which_enough_is_stored() -> None:
    pool = Pool(free(100))
    one, two = Hand(pool, 0), Hand(pool, 1)
    first, second = one.begin(), two.begin()
    one.offer(stored(first, 0, 60))
    two.offer(stored(second, 0, 39))
    assert pool.stage() is not Stage.DONE
    one.offer(stored(first, 0, 61))
    assert pool.stage() is Stage.DONE
    assert isinstance(two.offer(stored(second, 0, 80)), PartialRefused)
    assert two.report(second, 90) == (StopTask(second.task, keep=False),)


def test_a_quota_that_cannot_be_met_opens_the_campaign_again() -> None:
    pool = Pool(free(10_000))
    one, two = Hand(pool, 0), Hand(pool, 1)
    first, second = one.begin(), two.begin()
    for minute in range(1, 5):
        one.report(first, 2000 * minute, 30.0)
        two.report(second, 20 * minute, 30.0)
    assert pool.stage() is Stage.DRAINING
    one.say(TaskFailed(first.task, CRASHED))
    assert of(SetQuota, two.report(second, 100, 30.0)) == []
    assert pool.stage() is Stage.OPEN


def test_what_the_silent_owe_is_granted_to_those_that_report() -> None:
    pool, one, first, _, second = _abreast()
    position = pool.task(second.task).position
    before = only(SetQuota, one.report(first, position + 10, 1.0)).position
    pool.wait(one.report_in_s)
    one.report(first, position + 600, 0.0)
    pool.wait(one.report_in_s)
    assert not pool.task(second.task).counted
    one.report(first, position + 900, 0.0)
    assert pool.stage() is Stage.OPEN  # alone it takes much longer
    done_s = pool.campaign().count.time_to(10_000, pool.controller.state.now_us) or 0
    assert before < 5_100
    assert done_s > 300e6


def test_a_quota_that_is_stored_already_is_not_said() -> None:
    pool = Pool(free(1000))
    hand = Hand(pool)
    start = hand.begin()
    hand.say(stored(start, 0, 999), hand.progress(start, 999, 30.0), after_s=30.0)
    orders = hand.say(hand.progress(start, 999, 1.0), after_s=1.0)
    assert all(one.position > 999 for one in of(SetQuota, orders))


def test_without_checkpoints_tasks_store_at_their_end_only() -> None:
    pool = Pool(free(pace=Pace(report_s=60.0, checkpoints=False)))
    assert Hand(pool).begin().checkpoint_s is None
    assert Hand(Pool(free())).begin().checkpoint_s == 60.0


# ---- shares --------------------------------------------------------------------------------


def test_equal_shares_are_given_once_and_a_lost_one_again() -> None:
    pool = Pool(free(100, splitting=SPLIT))
    hand = Hand(pool, slots=9)
    starts = of(StartTask, hand.join())
    assert [one.limit for one in starts] == [25, 25, 25, 25]
    hand.say(stored(starts[0], 0, 10), TaskFailed(starts[0].task, CRASHED))
    again = only(StartTask, hand.ask())
    assert again.limit == 15
    assert again.stream not in [one.stream for one in starts]


def test_a_share_that_was_given_again_is_not_given_a_third_time() -> None:
    pool = Pool(free(100, splitting=SPLIT))
    hand = Hand(pool)
    start = hand.begin()
    pool.wait(1000.0)
    assert pool.campaign().unassigned == 100
    assert StopTask(start.task, keep=True) in hand.report(start, 5, 1.0)
    pool.wait(1000.0)
    assert pool.campaign().unassigned == 100
    hand.say(stored(start, 0, 5), TaskEnded(start.task))
    assert pool.campaign().unassigned == 100


def test_chunks_are_all_alike_but_the_last() -> None:
    pool = Pool(free(100, splitting=CHUNKS))
    orders = Hand(pool, slots=9).join()
    assert [one.limit for one in of(StartTask, orders)] == [30, 30, 30, 10]


def test_an_early_bound_share_is_its_pilots_alone_and_lost_with_it() -> None:
    pool = Pool(free(100, splitting=EARLY))
    one = Hand(pool, 0, slots=3)
    start = only(StartTask, one.join())
    assert start.limit == 25
    one.say(TaskFailed(start.task, CRASHED))
    assert of(StartTask, one.ask()) == []
    assert len(of(StartTask, Hand(pool, 1).join())) == 1
    assert pool.campaign().unassigned == 50


# ---- the published endings -----------------------------------------------------------------


def test_published_everybody_stops_at_reported_n_and_it_closes_when_all_have_stored() -> None:
    pool = Pool(free(100, ending=Ending.PUBLISHED))
    one, two = Hand(pool, 0), Hand(pool, 1)
    first, second = one.begin(), two.begin()
    assert one.report(first, 60) == ()
    assert two.report(second, 40) == (StopTask(second.task, keep=True),)
    assert one.report(first, 70) == (StopTask(first.task, keep=True),)
    assert of(StartTask, Hand(pool, 2).join()) == []
    one.say(stored(first, 0, 70), TaskEnded(first.task))
    assert isinstance(two.offer(stored(second, 0, 45)), PartialAccepted)
    assert pool.stage() is Stage.OPEN
    two.say(TaskEnded(second.task))
    assert pool.stage() is Stage.DONE
    assert pool.campaign().stored == 115


def test_published_it_goes_on_if_too_little_was_stored() -> None:
    pool = Pool(free(100, ending=Ending.PUBLISHED))
    one, two = Hand(pool, 0), Hand(pool, 1)
    first, second = one.begin(), two.begin()
    one.report(first, 60)
    two.report(second, 60)
    one.report(first, 70)
    one.say(PilotLeft())
    two.say(stored(second, 0, 60), TaskEnded(second.task))
    assert pool.stage() is Stage.OPEN
    more = only(StartTask, two.ask())
    two.offer(stored(more, 0, 40))
    two.report(more, 40)
    two.say(TaskEnded(more.task))
    assert pool.stage() is Stage.DONE


def test_published_first_it_closes_at_stored_n() -> None:
    pool = Pool(free(100, ending=Ending.PUBLISHED_FIRST))
    one, two = Hand(pool, 0), Hand(pool, 1)
    first, second = one.begin(), two.begin()
    one.report(first, 60)
    two.report(second, 50)
    one.report(first, 65)
    one.offer(stored(first, 0, 60))
    two.offer(stored(second, 0, 40))
    assert pool.stage() is Stage.DONE


# ---- failures ------------------------------------------------------------------------------


def test_an_application_that_fails_everywhere_is_given_up() -> None:
    pool = Pool(free())
    for number in range(30):
        assert pool.stage() is Stage.OPEN
        hand = Hand(pool, number)
        hand.say(TaskFailed(hand.begin().task, CRASHED))
        assert pool.incidents() == [CRASHED]
    assert pool.stage() is Stage.FAILED
    assert "fails everywhere: application_crashed" in pool.campaign().reason


def test_failures_between_which_something_is_stored_are_no_reason() -> None:
    pool = Pool(free())
    hand = Hand(pool)
    start = hand.begin()
    for _ in range(40):
        hand.say(stored(start, 0, 5), TaskFailed(start.task, CRASHED))
        start = only(StartTask, hand.ask())
    assert pool.stage() is Stage.OPEN


def test_a_partial_that_is_short_counts_as_much_as_it_holds() -> None:
    pool = Pool(free(100, splitting=SPLIT))
    hand = Hand(pool)
    start = hand.begin()
    hand.say(stored(start, 0, 7), TaskFailed(start.task, FailureCause.APPLICATION_SHORT))
    assert pool.campaign().stored == 7
    assert pool.campaign().unassigned == 93
