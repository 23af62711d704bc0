"""Free mode on this machine where one pilot does the same work eight times over.

The count that is accepted is exactly what the result holds, and hardly more than was asked for:
nobody is waited for, and nobody's share is lost.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.processes import UNEVEN, Said, command
from experiments.running import Runner
from experiments.tables import Table, share, verdict
from experiments.toll import SLOWED, SLOWER
from manyhands.api.verifying import Books
from manyhands.runtime.folder import Folder

SAMPLES = 60_000_000
PILOTS = 2
SLOW_PILOT = 1
OVERSHOOT_BAR = 0.005


@dataclass(frozen=True, slots=True)
class Slowed:
    """One run: three counts that have to be the same, and who computed how much."""

    samples: int  # that the result says
    tallied: int  # that every tally says it holds
    recounted: int  # by the ledger, kept once more from what was said in the journal
    verified: bool
    slow_part: float  # of the slowed pilot, in what the others have on the mean
    seconds: float


def run(seed: int, samples: int = SAMPLES) -> Slowed:
    """One run in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="slowed-") as folder:
        path = Path(folder) / "run"
        size = ["--samples", str(samples), "--pilots", str(PILOTS), "--seed", str(seed)]
        words = ["run", UNEVEN, *size, "--json", "--out", str(path)]
        return _seen(command(*words, environment={SLOWED: str(SLOW_PILOT)}), path)


def _seen(said: Said, path: Path) -> Slowed:
    assert said.status == 0, said
    result = said.result
    (tallied,) = {one["samples"] for one in result["tallies"].values()}
    verified = command("verify", str(path), "--json")
    by_pilot = accepted(path)
    others = sum(count for pilot, count in by_pilot.items() if pilot != SLOW_PILOT) / (PILOTS - 1)
    return Slowed(
        result["samples"],
        tallied,
        by_pilot.total(),
        verified.status == 0,
        by_pilot[SLOW_PILOT] / others,
        result["seconds"],
    )


def accepted(path: Path) -> Counter[int]:
    """How many samples of each pilot are held, by books of their own."""
    books = Books()
    books.keep(Folder(path))
    pilots = books.controller.state.tasks
    return sum(
        (Counter({pilots[one.task].pilot: one.coverage.size}) for one in books.held.values()),
        Counter[int](),
    )


def tables(runner: Runner, samples: int = SAMPLES) -> list[Table]:
    """All runs."""
    found = runner.over_seeds("slowed", run)
    return [table(found, samples)]


def table(found: Sequence[Slowed], samples: int = SAMPLES) -> Table:
    """That nothing is missing, and little is too much."""
    count = len(found)
    exact = sum(one.samples == one.tallied == one.recounted and one.verified for one in found)
    over = [(one.samples - samples) / samples for one in found]
    within = all(0 <= one <= OVERSHOOT_BAR for one in over)
    part = sum(one.slow_part for one in found) / count
    rows = [
        ["result = tallies = ledger", f"{exact} of {count}", verdict(exact == count)],
        ["more than asked for, max", share(max(over), 3), verdict(within)],
        ["done by the slowed, of what another did", f"{part:.3f}", f"1/{SLOWER} is {1 / SLOWER}"],
        ["seconds, mean", f"{sum(one.seconds for one in found) / count:.1f}", ""],
    ]
    caption = f"{samples:,} samples on {PILOTS} pilots, one of them {SLOWER} times slower"
    return Table(caption, ["", "measured", ""], rows)
