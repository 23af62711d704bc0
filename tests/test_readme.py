"""The README's examples run."""

from __future__ import annotations

import re
from pathlib import Path

TOP = Path(__file__).parent.parent


def test_the_examples_of_the_readme_run() -> None:
    text = (TOP / "README.md").read_text()
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert examples
    for example in examples:
        exec(compile(example, "README.md", "exec"), {})


def test_the_readme_names_the_commands_that_the_makefile_has() -> None:
    text = (TOP / "README.md").read_text()
    targets = re.findall(r"^([a-z]+):.*##", (TOP / "Makefile").read_text(), re.MULTILINE)
    named = re.findall(r"`make ([a-z]+)`|^    make ([a-z]+)", text, re.MULTILINE)
    commands = {one or other for one, other in named}
    assert {"demo", "test"} <= commands <= set(targets)
