"""Run an experiment and put its tables and pictures on the page."""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from experiments import (
    bias,
    chapter3,
    coverage,
    exact,
    kills,
    photons,
    photons_picture,
    pictures,
    r1,
    slowed,
)
from experiments.running import Runner
from experiments.tables import PAGE, Origin, Table, put_on_page, section

SEEDS = {
    "r1": 40,
    "exact": 40,
    "chapter3": 50,
    "stopping-coverage": 2000,
    "kills": 200,
    "slowed": 5,
    "bias": 400,
    "photons": 1,
}
PAGES = {  # the others stand on PAGE
    "stopping-coverage": Path("docs/explanation/stopping.md"),
    "photons": Path("docs/explanation/photons.md"),
}
LOGS = Path("build/experiments")


def main() -> None:
    """As `python -m experiments`."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.add_argument("name", choices=list(SEEDS))
    many = "worlds or runs per row, processes to kill (default: those of the page)"
    parser.add_argument("--seeds", "--kills", dest="seeds", type=int, help=many)
    parser.add_argument("--seed", type=int, default=1, help="of the instants of kills")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--page", action="store_true", help="write the tables into its page")
    parser.add_argument("--commit", help="the commit that runs (default: asked of git)")
    given = parser.parse_args()
    seeds = given.seeds or SEEDS[given.name]
    LOGS.mkdir(parents=True, exist_ok=True)
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    runner = Runner(seeds, given.workers, LOGS / f"{given.name}-{now}.jsonl")
    page = PAGES.get(given.name, PAGE)
    command = f"python -m experiments {given.name} --seeds {seeds}"
    if given.name == "kills":
        command = f"python -m experiments kills --kills {seeds} --seed {given.seed}"
        tables: Sequence[Table] = kills.tables(runner, given.seed)
    else:
        tables = _run(given.name, runner, page.parent if given.page else LOGS)
    text = section(Origin(command, given.commit or _commit()), tables)
    print(text)
    if given.page:
        whole = put_on_page(page.read_text(encoding="utf-8"), given.name, text)
        page.write_text(whole, encoding="utf-8")


def _run(name: str, runner: Runner, folder: Path) -> Sequence[Table]:
    if name == "photons":  # always with the same streams
        photons_picture.draw(photons.computed("bound", runner.workers), folder / "photons.png")
        return [photons.table(runner.workers)]
    if name == "exact":
        return exact.tables(runner)
    if name == "stopping-coverage":
        return coverage.tables(runner)
    if name == "slowed":
        return slowed.tables(runner)
    if name == "bias":
        return bias.tables(runner)
    if name == "chapter3":
        shown = chapter3.measure(runner)
        pictures.ratios(shown.ratios, folder / "makespan-ratio.png")
        pictures.completed(chapter3.curves(), folder / "completed-samples.png")
        return chapter3.tables(shown)
    found = r1.summaries(runner)
    pictures.lost_time(found, folder / "r1-lost-time.png")
    return r1.tables(found)


def _commit() -> str:
    asked = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
