"""What the pages for users show is run: Python as scripts, commands in a shell, in their order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
REFERENCE = TOP / "docs" / "reference" / "result-folder.md"
PAGES = [TOP / "README.md", *sorted((TOP / "docs" / "tutorial").glob("*.md")), REFERENCE]
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"^# (\w+\.py)$", re.MULTILINE)
LONGEST_S = 100


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    blocks = BLOCK.findall(page.read_text())
    assert blocks
    for kind, text in blocks:
        named = FILE.match(text)
        if named is not None:
            (tmp_path / named[1]).write_text(text)
        elif kind == "sh":
            run(["sh", "-eu", "-c", text], tmp_path)
        else:
            (tmp_path / "shown.py").write_text(text)
            run([sys.executable, "shown.py"], tmp_path)


def run(command: list[str], folder: Path) -> None:
    """Run it with this environment's commands in reach."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
    )
    assert done.returncode == 0, f"{command[-1]}\n{done.stdout}{done.stderr}"
