"""What went wrong in the application: a cause for the master, a note for its author."""

from __future__ import annotations

import json
import os
import traceback
from pathlib import Path
from typing import Any

from manyhands.model.failures import FailureCause
from manyhands.pilot.frames import say
from manyhands.runtime.layout import FAILURES
from manyhands.statistics.contract import GridOverflow
from manyhands.statistics.returned import BadReturn, ShortReturn
from manyhands.statistics.watching import UnknownTally

# What an application may raise: one that wants the process to end has failed like any other.
RAISED = (Exception, SystemExit, KeyboardInterrupt)
OURS = str(Path(__file__).resolve().parents[2]) + os.sep


def cause_of(error: BaseException) -> FailureCause:
    """How the world says that the application failed so."""
    if isinstance(error, GridOverflow):
        return FailureCause.GRID_OVERFLOW
    if isinstance(error, ShortReturn):
        return FailureCause.APPLICATION_SHORT
    if isinstance(error, MemoryError):
        return FailureCause.APPLICATION_OVERSIZE
    return FailureCause.APPLICATION_CRASHED


def described(error: BaseException) -> str:
    """An exception in one line: what, and where in the user's code."""
    if isinstance(error, (BadReturn, GridOverflow)):
        return str(error)
    text = " ".join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [one for one in frames if not one.filename.startswith(OURS)] or list(frames)
    place = f" ({theirs[-1].filename}, line {theirs[-1].lineno})" if theirs else ""
    return f"{type(error).__name__}: {text}{place}"


def shown(error: BaseException) -> str:
    """A traceback of the application's own lines."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [one for one in frames if not one.filename.startswith(OURS)]
    lines = [*traceback.format_list(theirs), *traceback.format_exception_only(error)]
    return "".join(lines).rstrip()


def note_failure(
    folder: Path, seed: int, error: BaseException, task: int | None = None, block: int | None = None
) -> None:
    """Leave what the application's author needs to know where all hands leave it."""
    note = {
        "cause": cause_of(error).value,
        "mistake": isinstance(error, UnknownTally),
        "task": task,
        "block": block,
        "seed": seed,
        "message": described(error),
        "traceback": "".join(traceback.format_exception(error)),
    }
    try:
        with (folder / FAILURES).open("a", encoding="utf-8") as file:
            file.write(json.dumps(note) + "\n")
    except OSError:
        pass  # a full disk must not hide that the application failed


class Unable:
    """Stands in for an application that could not be set up: whatever is asked of it fails."""

    def __init__(self, descriptor: int, error: BaseException) -> None:
        self._descriptor = descriptor
        self._cause = cause_of(error).value

    def told(self, order: dict[str, Any]) -> None:
        """Fail."""
        if order["what"] == "start":
            say(self._descriptor, "failed", task=order["task"], cause=self._cause, block=None)
        elif order["what"] == "class":
            say(self._descriptor, "class", campaign=order["campaign"], digest="")

    def step(self) -> bool:
        """There is nothing to do."""
        return False
