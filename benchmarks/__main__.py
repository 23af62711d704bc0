"""Run every benchmark, print the figures, and append them to the tracked file.

`python -m benchmarks [--keep]`: with --keep, one line with date, commit and machine is added to
benchmarks/results.jsonl.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import applying, deciding, merging, simulating

RESULTS = Path(__file__).parent / "results.jsonl"


def commit() -> str:
    """The commit that is measured, with a mark if the tree differs from it."""
    command = ["git", "describe", "--always", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def main() -> None:
    """Measure, print, keep."""
    figures = {
        "deciding": deciding.main(),
        "simulating": simulating.main(),
        "merging": merging.main(),
        "applying": applying.main(),
    }
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
