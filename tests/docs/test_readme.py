"""The README speaks of what there is; tests/docs runs its examples."""

from __future__ import annotations

import re
from pathlib import Path

TOP = Path(__file__).parents[2]


def test_the_readme_names_the_commands_that_the_makefile_has() -> None:
    text = (TOP / "README.md").read_text()
    targets = re.findall(r"^([a-z]+):.*##", (TOP / "Makefile").read_text(), re.MULTILINE)
    named = re.findall(r"`make ([a-z]+)`|^    make ([a-z]+)", text, re.MULTILINE)
    commands = {one or other for one, other in named}
    assert {"demo", "test"} <= commands <= set(targets)
