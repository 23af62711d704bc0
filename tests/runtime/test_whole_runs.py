"""Whole runs with real processes that are killed, interrupted and resumed: the answer stays."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.kills import Plan, hurt, resumed, undisturbed
from experiments.processes import Bell, Kind, Process, Run, command

pytestmark = pytest.mark.slow

PLAN = Plan(blocks=120, stall_s=0.02, pilots=2, seed=5)
LONG = replace(PLAN, blocks=600)  # so that it is still running when another one has started
WAIT_S = 60.0
ORPHANS_END_S = 5.0
LEAVES_AT_ONCE_S = 1.0


class Place:
    """A folder of a test, a bell, and the runs that are not over."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.out = path / "run"
        self.logs = path / "logs"
        self.bell = Bell(path / "bell")
        self.runs: list[Run] = []

    def start(self, plan: Plan, begun: int = 1) -> Run:
        """Begin a campaign, and wait until so many blocks were begun."""
        return self._await(Run(plan.words(self.out), self.logs, self.bell).start(), begun)

    def resume(self, plan: Plan, begun: int = 0) -> Run:
        return self._await(resumed(self.out, plan, self.logs, self.bell), begun)

    def _await(self, run: Run, begun: int) -> Run:
        self.runs.append(run)
        assert self.bell.listen(WAIT_S, enough=begun) >= begun
        return run


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    found = Place(tmp_path)
    yield found
    for run in found.runs:
        run.kill_all()
    found.bell.close()


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> str:
    return undisturbed(replace(PLAN, pilots=1), tmp_path_factory.mktemp("right") / "run")


def require_right(place: Place, run: Run, right: str) -> None:
    """It ends well, with the only right answer, of which nothing is missing."""
    said = run.end()
    assert said.status == 0, said
    assert said.result["digest"] == right
    assert said.result["samples"] == PLAN.samples
    assert said.result["ended"] == "done"
    assert not run.gone(ORPHANS_END_S)
    verdict = command("verify", str(place.out), "--blocks", "3", "--json")
    assert verdict.status == 0, verdict
    assert verdict.result["good"]


@pytest.mark.parametrize("pilots", [2, 5])
def test_any_number_of_pilots_gives_the_same_answer(place: Place, right: str, pilots: int) -> None:
    require_right(place, place.start(replace(PLAN, pilots=pilots)), right)


def test_who_is_killed_changes_nothing(place: Place, right: str) -> None:
    run = place.start(PLAN, begun=20)
    for kind in (Kind.PILOT, Kind.CHILD, Kind.PILOT, Kind.CHILD):
        assert run.kill(run.processes(kind)[0])
        place.bell.listen(WAIT_S, enough=10)
    require_right(place, run, right)


def test_random_kills_change_nothing(tmp_path: Path) -> None:
    plan = Plan(blocks=600, pilots=4, kills=20, gap_s=0.35, seed=6)
    found = hurt(plan, random.Random(20), tmp_path / "hurt")
    assert found.said == ""
    assert found.verified
    assert found.orphans == 0
    assert found.digest == undisturbed(plan, tmp_path / "undisturbed")
    assert found.killed >= 15


def test_when_the_master_dies_all_others_end_and_it_can_be_resumed(
    place: Place, right: str
) -> None:
    run = place.start(PLAN, begun=30)
    assert run.kill(Process(run.pid, 0, Kind.MASTER))
    assert not run.gone(ORPHANS_END_S)
    require_right(place, place.resume(PLAN), right)


@pytest.mark.parametrize("begun", [0, 1, 60])
def test_when_all_are_killed_it_can_be_resumed(place: Place, right: str, begun: int) -> None:
    run = place.start(PLAN, begun=begun)
    while begun == 0 and not place.out.exists() and not run.over:
        place.bell.listen(0.001)
    run.kill_all()
    again = place.resume(PLAN)
    said = again.end() if begun == 0 else None
    if said is not None and said.status == 2:
        assert "holds no campaign" in said.errors
        assert len(said.errors.strip().splitlines()) == 1
        again = place.start(PLAN)
    require_right(place, again, right)


def test_an_interrupt_stores_everything_and_leaves(place: Place, right: str) -> None:
    run = place.start(PLAN, begun=60)
    run.interrupt()
    said = run.end()
    assert said.status == 130
    assert said.result["ended"] == "interrupted"
    # Nobody had to store anything before the end of the first checkpoint period.
    assert 0 < said.result["samples"] < PLAN.samples
    assert not run.gone(ORPHANS_END_S)
    assert (place.out / "result.json").exists()
    assert command("verify", str(place.out)).status == 0
    require_right(place, place.resume(PLAN), right)


def test_a_second_interrupt_leaves_at_once(place: Place, right: str) -> None:
    slow = replace(PLAN, stall_s=3.0)
    run = place.start(slow, begun=3)
    run.interrupt()
    place.bell.listen(0.2)
    assert not run.over, "a block in hand is finished first"
    begun_s = time.monotonic()
    run.interrupt()
    assert run.end().status == 130
    assert time.monotonic() - begun_s < LEAVES_AT_ONCE_S
    assert not run.gone(ORPHANS_END_S)


def test_a_finished_campaign_says_its_result_again(place: Place, right: str) -> None:
    require_right(place, place.start(PLAN), right)
    require_right(place, place.resume(PLAN), right)


def test_two_runs_in_one_folder_are_one_too_many(place: Place) -> None:
    run = place.start(LONG)
    for words in (LONG.words(place.out), ["run", "--resume", str(place.out)]):
        said = command(*words)
        assert said.status == 2
        assert "is still running there" in said.errors
        assert len(said.errors.strip().splitlines()) == 1
    assert run.end().status == 0
    said = command(*LONG.words(place.out))
    assert said.status == 2
    assert "go on with --resume" in said.errors


def test_of_two_runs_that_begin_at_once_one_is_refused(place: Place) -> None:
    plans = [replace(PLAN, seed=seed, blocks=20) for seed in (1, 2)]
    runs = [place.start(plan, begun=0) for plan in plans]
    said = [run.end() for run in runs]
    assert sorted(one.status for one in said) == [0, 2]
    (winner,) = [one for one in said if one.status == 0]
    brief = json.loads((place.out / "brief.json").read_text())
    assert brief["seed"] == winner.result["seed"]
    assert command("verify", str(place.out), "--blocks", "3").status == 0


def test_damage_is_found(place: Place, right: str) -> None:
    require_right(place, place.start(PLAN), right)
    result, first = place.out / "result.json", sorted((place.out / "objects").rglob("*/*/*"))[0]
    text, data = result.read_text(), first.read_bytes()

    def verdict() -> int:
        return command("verify", str(place.out), "--blocks", "0").status

    result.write_text(text.replace(right, right[::-1]))
    assert verdict() == 1
    result.write_text(text)
    first.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert verdict() == 1
    first.unlink()
    assert verdict() == 1
    first.write_bytes(data)
    assert verdict() == 0
