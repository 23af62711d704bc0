"""Campaigns in exact mode whose processes are killed at random: every answer must be the same.

A kill is SIGKILL to a pilot, a child or the master, at an instant that has nothing to do with what
they are at. When the master is killed, all others have to end by themselves; then it is resumed.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from experiments.processes import TOLL, Bell, Kind, Run, Said, command
from experiments.running import Runner
from experiments.tables import Table, share, verdict

KINDS = (Kind.PILOT, Kind.CHILD, Kind.MASTER)
WEIGHTS = (45, 45, 10)
BLOCK_SAMPLES = 64
ORPHANS_END_S = 5.0
BLOCKS_VERIFIED = 3
RUN_S_MAX = 300.0


@dataclass(frozen=True, slots=True)
class Plan:
    """One campaign, and how it is hurt."""

    blocks: int = 2000
    stall_s: float = 0.02  # how long a block takes
    pilots: int = 4
    kills: int = 25
    gap_s: float = 0.5  # between two kills, on the mean
    seed: int = 1

    @property
    def samples(self) -> int:
        """How many; the last block is shorter."""
        return self.blocks * BLOCK_SAMPLES - 7

    def words(self, folder: Path) -> list[str]:
        """The command that begins it."""
        options = ["--set", f"stall_s={self.stall_s}", "--block-samples", str(BLOCK_SAMPLES)]
        size = [
            "--samples",
            str(self.samples),
            "--pilots",
            str(self.pilots),
            "--seed",
            str(self.seed),
        ]
        return ["run", TOLL, *options, *size, "--exact", "--json", "--out", str(folder)]


@dataclass(slots=True)
class Hurt:
    """What a campaign went through, and what it came to."""

    kills: dict[str, int] = field(default_factory=dict)  # by kind
    resumes: int = 0
    orphans: int = 0  # processes that outlived the master by too long
    orphans_s_max: float = 0.0
    digest: str = ""
    samples: int = 0
    verified: bool = False
    blocks: int = 0  # that were begun
    again: int = 0  # that were begun once more
    seconds: float = 0.0
    said: str = ""  # if it did not end well

    @property
    def killed(self) -> int:
        """How many processes."""
        return sum(self.kills.values())


def hurt(plan: Plan, draws: random.Random, folder: Path) -> Hurt:
    """Run a campaign, kill what the draws say, go on until it is done, and verify it."""
    found, begun_s = Hurt(), time.monotonic()
    folder.mkdir(parents=True)
    bell, path = Bell(folder / "bell"), folder / "run"
    run = Run(plan.words(path), folder / "logs", bell).start()
    bell.listen(30.0, enough=1)
    while found.killed < plan.kills:
        bell.listen(draws.expovariate(1 / plan.gap_s))
        if run.over:
            break
        kind = _kill_one(run, draws)
        if kind is not None:
            found.kills[kind.value] = found.kills.get(kind.value, 0) + 1
        if kind is Kind.MASTER:
            _see_orphans_off(run, found)
            run = resumed(path, plan, folder / "logs", bell)
            found.resumes += 1
    said = run.end(RUN_S_MAX)
    bell.close()
    _judge(found, said, path, bell)
    run.kill_all()
    found.seconds = time.monotonic() - begun_s
    return found


def resumed(path: Path, plan: Plan, logs: Path, bell: Bell) -> Run:
    """The same campaign, from where it is."""
    words = ["run", "--resume", str(path), "--pilots", str(plan.pilots), "--json"]
    return Run(words, logs, bell).start()


def _kill_one(run: Run, draws: random.Random) -> Kind | None:
    """Kill one process of a random kind; None if there was none to kill."""
    (kind,) = draws.choices(KINDS, WEIGHTS)
    there = run.processes(kind)
    return kind if there and run.kill(draws.choice(there)) else None


def _see_orphans_off(run: Run, found: Hurt) -> None:
    begun_s = time.monotonic()
    found.orphans += len(run.gone(ORPHANS_END_S))
    found.orphans_s_max = max(found.orphans_s_max, time.monotonic() - begun_s)


def _judge(found: Hurt, said: Said, path: Path, bell: Bell) -> None:
    if said.status != 0:
        found.said = f"status {said.status}: {said.output}{said.errors}"
        return
    found.digest, found.samples = said.result["digest"], said.result["samples"]
    verified = command("verify", str(path), "--blocks", str(BLOCKS_VERIFIED))
    found.verified = verified.status == 0
    if not found.verified:
        found.said = verified.output + verified.errors
    # Every child computes block 0, to know the scale of all others.
    begun = {block: count for block, count in bell.begun.items() if block}
    found.blocks = len(begun)
    found.again = sum(begun.values()) - len(begun)


def undisturbed(plan: Plan, folder: Path) -> str:
    """The digest that all have to have."""
    digest: str = command(*plan.words(folder)).result["digest"]
    return digest


def tables(runner: Runner, seed: int) -> list[Table]:
    """Campaigns until so many processes were killed as the runner has seeds."""
    draws, found, plan = random.Random(seed), list[Hurt](), Plan()
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    right = undisturbed(plan, folder / "undisturbed")
    while (killed := sum(one.killed for one in found)) < runner.seeds:
        some = replace(plan, kills=min(plan.kills, runner.seeds - killed))
        one = partial(hurt, some, draws)
        found += runner.each(f"campaign {len(found)}", one, [folder / str(len(found))])
        if found[-1].said:
            print(f"{found[-1].said}\nsee {folder}", file=sys.stderr)
            break
    else:
        shutil.rmtree(folder)
    return [table(right, found)]


def table(right: str, found: Sequence[Hurt]) -> Table:
    """What was done, and that it changed nothing."""
    kills = sum((Counter(one.kills) for one in found), Counter[str]())
    equal = sum(one.digest == right for one in found)
    verified = sum(one.verified for one in found)
    again, blocks = sum(one.again for one in found), sum(one.blocks for one in found)
    orphans = sum(one.orphans for one in found)
    by_kind = ", ".join(f"{kind.value} {kills[kind.value]}" for kind in KINDS)
    rows = [
        ["campaigns", str(len(found)), ""],
        ["processes killed", f"{kills.total()} ({by_kind})", ""],
        ["resumed", str(sum(one.resumes for one in found)), ""],
        ["digests equal", f"{equal} of {len(found)}", verdict(equal == len(found))],
        ["verified", f"{verified} of {len(found)}", verdict(verified == len(found))],
        ["left when the master was dead", str(orphans), verdict(orphans == 0)],
        ["… and the last ended after, max", f"{max(x.orphans_s_max for x in found):.2f} s", ""],
        ["blocks begun again", f"{again} of {blocks} ({share(again / max(blocks, 1))})", ""],
        ["seconds", f"{sum(one.seconds for one in found):.0f}", ""],
    ]
    return Table("Campaigns whose processes are killed at random", ["", "measured", ""], rows)
