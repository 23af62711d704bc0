"""The same bits on processors of other kinds: children are held to what all of them have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.api.running import PORTABLE

APP = """
import json, os
import numpy as np
import manyhands as mh

def advance(samples, stream):
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
    names = [{names}]
    seen = {{name: os.environ.get(name) for name in names}}
    # What numpy has faster code for, and uses.
    seen["used"] = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
    with open({seen!r}, "w") as file:
        json.dump(seen, file)
    x = stream.numpy().random(samples)
    y = np.exp(-x) * np.sin(7 * x) + np.log1p(x) * np.tanh(x) + np.power(x, 1.7)
    m = (x[: 64 * 64].reshape(64, 64) @ x[-64 * 64 :].reshape(64, 64)).sum()
    return {{"y": mh.mean(y), "m": mh.sum(m)}}
"""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
ENTRY = "from manyhands.cli import main; main()"


def computed(
    folder: Path, exact: str, environment: dict[str, str]
) -> tuple[str, dict[str, str | list[str]]]:
    """The digest of a run, and what its children saw, with such a parent."""
    folder.mkdir()
    app, seen = folder / "app.py", folder / "seen.json"
    names = ", ".join(repr(one) for one in [*PORTABLE, *THREADS])
    # The source is the same everywhere but for the place of its note.
    app.write_text(APP.format(names=names, seen=str(seen)))
    words = ["run", f"{app}:advance", "--samples", "40960", exact, "--seed", "1", "--json"]
    words += ["--block-samples", "8192", "--pilots", "2", "--out", str(folder / "run")]
    done = subprocess.run(
        [sys.executable, "-c", ENTRY, *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["digest"], json.loads(seen.read_text())


@pytest.mark.slow
def test_portable_lowers_the_processor_and_is_deaf_to_the_environment(tmp_path: Path) -> None:
    plain = computed(tmp_path / "plain", "--exact", {})[1]
    lowered = {"NPY_DISABLE_CPU_FEATURES": "X86_V4", "OPENBLAS_CORETYPE": "Haswell"}
    threads = dict.fromkeys(THREADS, "2")
    (one, seen), (other, seen_too) = (
        computed(tmp_path / name, "--exact=portable", environment)
        for name, environment in (("bare", {}), ("other", lowered | threads))
    )
    assert one == other
    assert seen == seen_too
    assert {name: seen[name] for name in PORTABLE} == PORTABLE
    assert {seen[name] for name in THREADS} == {plain[name] for name in THREADS} == {"1"}
    assert seen["used"] == []
    if not plain["used"]:
        pytest.skip("this processor has nothing that could be lowered")
