"""A user is told where an error bar is not worth what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import manyhands as mh


def skewed(samples: int, stream: mh.Stream, sigma: float = 2.0) -> dict[str, object]:
    """A few large values decide its mean; how few, sigma says."""
    values = stream.numpy().lognormal(0.0, sigma, samples)
    return {"x": mh.mean(values), "four": mh.mean(np.minimum(values, 1e6), moments=4)}


def test_few_large_values_are_told_of(tmp_path: Path) -> None:
    result = mh.run(skewed, 3000, options={"sigma": 3.5}, seed=1, pilots=1, out=tmp_path / "run")
    assert any(one.startswith("the error of four is itself known to") for one in result.doubts)
    assert "doubt: the error of four" in str(result)
    assert "VOV" in (tmp_path / "run" / "report.html").read_text()


def test_of_the_tally_that_a_rule_watches_the_rule_knows(tmp_path: Path) -> None:
    rule = mh.any_of(mh.precision("x", relative=0.3), mh.samples(20_000))
    result = mh.run(skewed, rule, options={"sigma": 3.0}, seed=2, pilots=1, out=tmp_path / "run")
    assert any("the error of x" in one for one in result.doubts)


def test_nothing_is_said_without_cause(tmp_path: Path) -> None:
    result = mh.run(skewed, 50_000, options={"sigma": 0.5}, seed=1, pilots=1, out=tmp_path / "run")
    assert result.doubts == ()
