"""A run is where its host's work says it is, to the microsecond, however its end is moved."""

from __future__ import annotations

from manyhands.model.campaign import Campaign, Mode
from manyhands.model.orders import Lease, StartTask
from manyhands.model.stopping import Samples
from manyhands.simulator.clock import us
from manyhands.simulator.host import SpeedProfile, constant
from manyhands.simulator.runs import Run

HOST = constant(10.0)
FREE = Campaign(0, "free", 1, Samples(1000))
EXACT = Campaign(0, "exact", 1, Samples(95), Mode.EXACT, block_samples=10)  # the last block: 5


def free_run(limit: int | None = None) -> Run:
    return started(Run(StartTask(0, 0, 0, 1, 0, limit, (), None, False), FREE, HOST))


def exact_run(*leases: tuple[int, int]) -> Run:
    given = tuple(Lease(start, end) for start, end in leases)
    return started(Run(StartTask(0, 0, -1, 1, 10, None, given, None, False), EXACT, HOST))


def started(run: Run, at_s: float = 0.0, profile: SpeedProfile = HOST) -> Run:
    run.resume(us(at_s), profile.work_at(us(at_s)))
    return run


def position(run: Run, at_s: float) -> tuple[int, float]:
    run.observe(us(at_s), HOST.work_at(us(at_s)))
    return run.position, run.told_us / 1e6


def test_a_run_has_computed_whole_samples_only() -> None:
    run = free_run()
    assert position(run, 1.09) == (10, 1.09)
    assert position(run, 1.1) == (11, 1.1)
    assert run.due_us() is None


def test_a_run_stops_at_its_limit_and_is_not_busy_behind_it() -> None:
    run = free_run(limit=25)
    assert run.due_us() == us(2.5)
    assert position(run, 4.0) == (25, 2.5)
    assert not run.working
    assert run.due_us() is None


def test_a_watched_position_is_due_when_it_is_reached() -> None:
    run = free_run(limit=25)
    run.watch = 12
    assert run.due_us() == us(1.2)
    position(run, 1.2)
    assert run.due_us() == us(2.5)


def test_a_run_that_is_out_of_blocks_waits_for_more() -> None:
    run = exact_run((2, 4))
    assert position(run, 3.0) == (2, 2.0)
    run.lease((Lease(7, 8),))
    assert started(run, 5.0).due_us() == us(6.0)
    assert position(run, 5.5) == (2, 2.5)
    assert position(run, 9.0) == (3, 3.0)
    assert [run.block_at(i) for i in range(4)] == [2, 3, 7, None]


def test_the_last_block_takes_less_wherever_it_comes() -> None:
    run = exact_run((9, 10), (0, 2))
    assert run.due_us() == us(2.5)
    assert position(run, 0.49) == (0, 0.49)
    assert position(run, 0.5) == (1, 0.5)
    assert position(run, 1.49) == (1, 1.49)
    assert position(run, 1.5) == (2, 1.5)
    assert position(run, 2.5) == (3, 2.5)
    assert run.samples() == 25


def test_the_block_in_hand_is_finished_whatever_is_trimmed() -> None:
    run = exact_run((0, 9))
    assert position(run, 2.3) == (2, 2.3)
    run.trim((Lease(5, 6),))
    assert run.due_us() == us(4.0)
    assert position(run, 9.0) == (4, 4.0)
    assert [run.block_at(i) for i in range(5)] == [0, 1, 2, 5, None]


def test_a_last_block_that_is_trimmed_away_saves_nothing() -> None:
    run = exact_run((7, 10))
    assert run.due_us() == us(2.5)
    run.trim((Lease(3, 5),))
    assert run.due_us() == us(3.0)


def test_an_end_lets_the_block_in_hand_be_finished() -> None:
    run = exact_run((0, 9))
    position(run, 2.3)
    run.finish()
    assert run.due_us() == us(3.0)
    free = free_run()
    position(free, 2.33)
    free.finish()
    assert (free.position, free.end) == (23, 23)


def test_a_poisoned_block_is_met_when_it_is_begun() -> None:
    run = exact_run((0, 4), (6, 8))
    run.poison((5, 7, 9))
    assert run.poison_at == 5
    assert run.due_us() == us(5.0)
    run.trim(())
    assert run.poison_at > run.end
