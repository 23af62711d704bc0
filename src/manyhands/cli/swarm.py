"""`manyhands swarm`: random simulated campaigns under faults, every rule checked."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict
from pprint import pformat
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from manyhands.cli.usage import UsageError
from manyhands.simulator.crowd import Tally, run_seeds
from manyhands.simulator.draw import draw
from manyhands.simulator.swarm import Failure, SeedResult

EXAMPLE = "manyhands swarm --seeds 0:1000"
SEEDS_FOR_SHARES = 1000  # with fewer, that something was seldom met says nothing


def swarm(
    seeds: Annotated[str, typer.Option(help="Which seeds: A:B is A, A+1, … B-1.")] = "0:100",
    workers: Annotated[int, typer.Option(help="How many processes; 0: one per core.")] = 0,
    every_row: Annotated[
        bool, typer.Option(help="Also exit 1 if a fault, row or transition was met by no seed.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Run random campaigns with faults and check every rule; exit 1 if one was broken."""
    first, end = _range(seeds)
    if workers < 0:
        raise UsageError(f"--workers is {workers}, but must be 0 or more")
    begun_s = time.monotonic()
    tally = Tally()
    notes = Console(stderr=True)
    results = run_seeds(first, end, workers or os.cpu_count() or 1)
    for result in _followed(results, end - first, notes):
        tally.add(result)
        if result.failure is not None and not as_json:
            _show_failure(result.failure, notes)
    seconds = time.monotonic() - begun_s
    if as_json:
        print(json.dumps(_summary(tally, seconds)))
    else:
        _show(tally, seconds, Console())
    unmet = [name for name, count in tally.met.items() if not count] if every_row else []
    if unmet:
        notes.print("met by no seed: " + "; ".join(unmet), style="red", highlight=False)
    return 1 if tally.failures or unmet else 0


def _range(seeds: str) -> tuple[int, int]:
    first, _, end = seeds.partition(":")
    if not (first.isdecimal() and end.isdecimal() and int(first) < int(end)):
        raise UsageError(f"--seeds is {seeds!r}, but must be A:B with whole numbers 0 <= A < B")
    return int(first), int(end)


def _followed(results: Iterator[SeedResult], total: int, notes: Console) -> Iterator[SeedResult]:
    columns = (
        TextColumn("seeds"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=notes, transient=True) as progress:
        line = progress.add_task("seeds", total=total)
        for result in results:
            yield result
            progress.advance(line)


def _show_failure(failure: Failure, notes: Console) -> None:
    notes.print(f"[bold red]seed {failure.seed}[/] breaks: {failure.rule}")
    notes.print(pformat(draw(failure.seed), width=100, compact=True), markup=False, highlight=False)
    notes.print(f"seed {failure.seed}, after {failure.events} events", highlight=False)
    notes.print(f"{failure.rule}: {failure.detail}", markup=False, highlight=False)
    again = f"manyhands swarm --seeds {failure.seed}:{failure.seed + 1}"
    notes.print(f"again: {again}", highlight=False)


def _summary(tally: Tally, seconds: float) -> dict[str, object]:
    return {
        "seeds": tally.seeds,
        "violations": len(tally.failures),
        "first_failure": asdict(tally.failures[0]) if tally.failures else None,
        "campaigns": tally.campaigns,
        "samples": tally.samples,
        "events": tally.events,
        "seconds": round(seconds, 3),
        "core_seconds": round(tally.seconds, 3),
        "met": {name: count / tally.seeds for name, count in tally.met.items()},
        "seldom": tally.seldom(),
        "failing_seeds": [failure.seed for failure in tally.failures],
    }


def _show(tally: Tally, seconds: float, console: Console) -> None:
    table = Table(title="How many seeds met each fault, row and transition", show_header=False)
    entries = [(name, f"{count / tally.seeds:.1%}") for name, count in tally.met.items()]
    half = -(-len(entries) // 2)
    for left, right in zip(entries[:half], [*entries[half:], ("", "")], strict=False):
        table.add_row(*left, *right)
    console.print(table)
    if tally.seeds >= SEEDS_FOR_SHARES and tally.seldom():
        console.print("seldom: " + "; ".join(f"{n} ({s:.2%})" for n, s in tally.seldom().items()))
    console.print(
        f"{tally.seeds:,} seeds, {tally.campaigns:,} campaigns, {tally.samples:,} samples, "
        f"{tally.events:,} events in {seconds:,.1f} s ({tally.seconds / tally.seeds * 1000:.0f} ms "
        "of one core each)",
        highlight=False,
    )
    colour = "red" if tally.failures else "green"
    seeds = ", ".join(str(failure.seed) for failure in tally.failures[:20])
    console.print(f"[bold {colour}]{len(tally.failures)} violations[/] {seeds}")
    # A line that other programs understand, too.
    print(f"{tally.seeds - len(tally.failures)} passed, {len(tally.failures)} failed")
