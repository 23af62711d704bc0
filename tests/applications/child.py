"""Another process, in another folder, that knows an application only by its description."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import manyhands
from manyhands.applications.description import Description

SOURCES = str(Path(manyhands.__file__).parents[1])

CODE = """
import json, sys
from manyhands.applications.description import Description
from manyhands.applications.loading import load
from manyhands.applications.stream import Stream
application = load(Description.from_json(json.load(sys.stdin)))
application.prepare()
print(json.dumps(application.advance(10, Stream(1, 2))))
"""


def advanced_elsewhere(description: Description, folder: Path) -> Any:
    """What the application returns for ten samples, in a process that starts in this folder."""
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        input=json.dumps(description.to_json()),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": SOURCES},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run_script(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script, or a module with -m, as a user does."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": SOURCES},
        capture_output=True,
        text=True,
        check=False,
    )
