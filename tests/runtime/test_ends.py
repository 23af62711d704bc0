"""How a run ends when the application does what it must not: named, and never silently."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from experiments.processes import Run, Said, command

pytestmark = pytest.mark.slow

BLOCKS, BLOCK = 12, 50
BAD = 5
ORPHANS_END_S = 5.0

HEAD = """
import os, signal, subprocess, sys, time
import numpy as np
import manyhands as mh

def advance(samples, stream):
    if stream.number == 5:
        misbehave()
    return {"x": mh.mean(stream.numpy().random(samples))}

def misbehave():
"""


def run(path: Path, body: str, *words: str, environment: dict[str, str] | None = None) -> Said:
    """A campaign whose block 5 does this."""
    source = path / "bad.py"
    source.write_text(HEAD + "".join(f"    {line}\n" for line in body.splitlines()))
    size = ["--samples", str(BLOCKS * BLOCK), "--block-samples", str(BLOCK)]
    always = ["run", f"{source}:advance", *size, "--exact", "--pilots", "2", "--seed", "1"]
    found = Run([*always, "--json", "--out", str(path / "run"), *words], path / "logs")
    found.environment = environment or {}
    said = found.start().end()
    assert not found.gone(ORPHANS_END_S)
    return said


def require_named(said: Said, folder: Path, why: str) -> None:
    """It failed, and says which block, why, and how to see it."""
    assert said.status == 1, said
    assert said.errors.count("Traceback") == 0
    assert said.result["ended"] == "failed"
    reason = said.result["reason"]
    assert why in reason
    assert f"manyhands rerun {folder / 'run'} --block {BAD}" in reason
    assert said.result["samples"] == (BLOCKS - 1) * BLOCK


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("raise ValueError('no such medium')", "no such medium"),
        ("os._exit(3)", "its process ended without a word"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "its process ended without a word"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "its process ended without a word"),
    ],
    ids=["raises", "exits", "segfaults", "is killed"],
)
def test_a_poisoned_block_is_named_and_can_be_seen_again(
    tmp_path: Path, body: str, why: str
) -> None:
    said = run(tmp_path, body)
    require_named(said, tmp_path, why)
    again = said.result["reason"].partition("see it again: ")[2]
    words = shlex.split(again)
    assert words[0] == "manyhands"
    seen = command(*words[1:])
    assert seen.status == 1
    assert f"block {BAD} (seed 1, stream {BAD}) fails" in seen.output
    assert why in seen.output or "it ended with" in seen.output
    assert command("rerun", str(tmp_path / "run"), "--block", "4").status == 0


def test_a_poisoned_block_may_be_skipped_but_not_silently(tmp_path: Path) -> None:
    said = run(tmp_path, "raise ValueError('no such medium')", "--skip-poisoned", "1")
    assert said.status == 0
    assert said.result["samples"] == (BLOCKS - 1) * BLOCK
    assert said.result["skipped"] == BLOCK
    assert command("verify", str(tmp_path / "run")).status == 0


def test_memory_has_a_limit(tmp_path: Path) -> None:
    said = run(tmp_path, "np.ones(10**9)", "--memory", "1G")
    require_named(said, tmp_path, "MemoryError")


def test_the_disk_has_a_limit(tmp_path: Path) -> None:
    body = "open('much', 'wb').write(bytes(3_000_000))\ntime.sleep(60)"
    said = run(tmp_path, body, "--disk", "1M")
    require_named(said, tmp_path, "it took more than --memory or --disk")


def test_silence_has_a_limit(tmp_path: Path) -> None:
    said = run(tmp_path, "time.sleep(60)", "--silence", "1s")
    require_named(said, tmp_path, "it computed longer without a word")


def test_what_a_block_started_ends_with_it(tmp_path: Path) -> None:
    body = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\nos._exit(1)"
    require_named(run(tmp_path, body), tmp_path, "its process ended without a word")


def test_a_child_that_dies_is_seen_though_what_it_started_has_its_pipes(tmp_path: Path) -> None:
    require_named(run(tmp_path, "if os.fork():\n    os._exit(1)\ntime.sleep(60)"), tmp_path, "")


def test_pilots_that_cannot_start_are_named(tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    dies = "import os, sys\nif 'manyhands.pilot' in sys.orig_argv:\n    os._exit(9)\n"
    (hooks / "sitecustomize.py").write_text(dies)
    before = os.environ.get("PYTHONPATH")
    path = str(hooks) if before is None else f"{hooks}{os.pathsep}{before}"
    said = run(tmp_path, "pass", environment={"PYTHONPATH": path})
    assert said.status == 1
    assert said.result["reason"].startswith("no pilot can be started")
    again = Run(["run", "--resume", str(tmp_path / "run"), "--json"], tmp_path / "logs")
    assert again.start().end().result["samples"] == BLOCKS * BLOCK
