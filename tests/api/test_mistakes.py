"""A mistake in Python is a `Mistake` whose text is the one line that the command would print."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import manyhands as mh
from manyhands.model.checks import Mistake


def advance(samples: int, stream: mh.Stream, thickness: float = 1.0) -> dict[str, Any]:
    return {"x": mh.mean(stream.numpy().random(samples))}


@pytest.mark.parametrize(
    ("until", "wishes", "expected"),
    [
        (0, {}, "samples 0 is not a number of samples"),
        (1e300, {}, "samples 1e\\+300 is not a number"),
        (1.5, {}, "samples 1.5 is not"),
        (None, {}, "until=None is no end"),
        ("x", {}, "samples 'x' is not"),
        (10, {"pilots": 0}, "pilots 0 is not a number of pilots"),
        (10, {"pilots": "two"}, "pilots 'two' is not a number of pilots"),
        (10, {"exact": "portably"}, "exact is 'portably', but must be True, False or 'portable'"),
        (10, {"block_samples": 5}, "free mode has no blocks"),
        (10, {"exact": True, "block_samples": 0}, "block_samples 0 is not"),
        (10, {"options": {"thicknes": 3}}, "did you mean 'thickness'"),
        (10, {"seed": -1}, "seed is -1"),
        (10, {"silence_s": 0}, "silence_s 0 is not"),
        (10, {"memory": "lots"}, "memory 'lots' is not a size"),
        (10, {"hurry": True}, "a campaign has no 'hurry'"),
    ],
)
def test_a_campaign(until: Any, wishes: dict[str, Any], expected: str, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=expected) as refused:
        mh.run(advance, until, out=tmp_path / "run", **wishes)
    assert len(str(refused.value).splitlines()) == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "rule",
    [
        lambda: mh.precision("x"),
        lambda: mh.precision("x", relative=1.5),
        lambda: mh.precision("x", absolute=0),
        lambda: mh.precision("x", relative=0.1, confidence=1),
        lambda: mh.precision("", relative=0.1),
        lambda: mh.budget("x"),  # type: ignore[arg-type]
        lambda: mh.deadline(-1),
        lambda: mh.deadline(None),  # type: ignore[arg-type]
        lambda: mh.any_of(),
        lambda: mh.any_of(mh.samples(5), None),  # type: ignore[arg-type]
    ],
)
def test_a_rule(rule: Any) -> None:
    with pytest.raises(Mistake):
        rule()


@pytest.mark.slow
def test_a_source_that_has_changed_is_not_gone_on_with(tmp_path: Path) -> None:
    source = tmp_path / "app.py"
    text = "import manyhands as mh\ndef f(samples, stream):\n    return {'x': mh.sum([1.0])}\n"
    source.write_text(text)
    run = [sys.executable, "-c", "from manyhands.cli import main; main()", "run"]
    done = subprocess.run(
        [*run, f"{source}:f", "--samples", "10", "--out", tmp_path / "run"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    source.write_text(text.replace("1.0", "2.0"))
    done = subprocess.run(
        [*run, f"{source}:f", "--resume", tmp_path / "run"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "was begun with another version of its application" in done.stderr
    assert len(done.stderr.splitlines()) == 1
