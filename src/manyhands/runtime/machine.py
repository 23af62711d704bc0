"""What kind of machine a campaign was begun on, as far as a paper has to say it: no host names."""

from __future__ import annotations

import os
import sys
from pathlib import Path

MACHINE = "machine."  # what these are called in a journal's header
PROCESSORS = Path("/proc/cpuinfo")


def machine() -> dict[str, str]:
    """The processor's model and count, the system, and the versions of what computes."""
    import numpy  # not where a run starts: it takes time

    system = os.uname()
    found = {
        "processor": _processor() or system.machine,
        "cores": str(os.cpu_count() or 1),
        "architecture": system.machine,
        "system": system.sysname,
        "python": ".".join(str(one) for one in sys.version_info[:3]),
        "numpy": numpy.__version__,
    }
    return {MACHINE + name: value for name, value in found.items()}


def machine_of(about: dict[str, str]) -> dict[str, str]:
    """The same, from a journal's header; empty if an earlier version wrote it."""
    return {
        name.removeprefix(MACHINE): value
        for name, value in about.items()
        if name.startswith(MACHINE)
    }


def _processor() -> str:
    try:
        lines = PROCESSORS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "")
