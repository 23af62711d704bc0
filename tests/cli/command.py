"""The command in a process of its own, and the applications that are given to it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ENTRY = "from manyhands.cli import main; main()"
APPS = Path(__file__).with_name("apps.py")


def run(
    *words: object, cwd: Path | None = None, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    """Call it; `before` is called in the process first."""
    command = [sys.executable, "-c", ENTRY, *map(str, words)]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=cwd,
        preexec_fn=before,
    )
