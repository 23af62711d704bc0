"""Run every benchmark, print the figures, and append them to the tracked file.

`python -m benchmarks [--keep]`: with --keep, one line with date, commit and machine is added to
benchmarks/results.jsonl. `python -m benchmarks running [--short] [--page] [--keep]` compares local
runs with hand-written processes, in ten minutes, or in two with --short; with --page, its tables
are written into docs/reference/figures.md.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import applying, deciding, merging, running, simulating
from experiments.tables import PAGE, Origin, put_on_page, section

RESULTS = Path(__file__).parent / "results.jsonl"


def commit() -> str:
    """The commit that is measured, with a mark if the tree differs from it."""
    command = ["git", "describe", "--always", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def compare() -> dict[str, object]:
    """Local runs, at full length and as tables."""
    short = "--short" in sys.argv[1:]
    found = running.tables(running.SHORT if short else running.FULL)
    command = "python -m benchmarks running" + " --short" * short
    text = section(Origin(command, commit()), found)
    print(text)
    if "--page" in sys.argv[1:]:
        page = put_on_page(PAGE.read_text(encoding="utf-8"), "running", text)
        PAGE.write_text(page, encoding="utf-8")
    return running.plain(found)


def main() -> None:
    """Measure, print, keep."""
    if "running" in sys.argv[1:]:
        keep({"running": compare()})
        return
    keep(
        {
            "deciding": deciding.main(),
            "simulating": simulating.main(),
            "merging": merging.main(),
            "applying": applying.main(),
            "running": running.plain(running.tables(running.SHORT)),
        }
    )


def keep(figures: dict[str, object]) -> None:
    """Print the figures, and add them to the file if that is wanted."""
    line = {
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "figures": figures,
    }
    print(json.dumps(line, indent=1))
    if "--keep" in sys.argv[1:]:
        with RESULTS.open("a") as results:
            results.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
