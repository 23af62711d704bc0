"""With --json a command that ran prints exactly one JSON object on standard output, always."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from manyhands.cli import main
from tests.cli.command import APPS

RUN = ("run", "pi", "--samples", "20000", "--exact", "--block-samples", "1000", "--pilots", "1")


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Any:
    """Call a command; the status, and the one object."""

    def call(*words: object) -> tuple[int, dict[str, Any]]:
        with pytest.raises(SystemExit) as ended:
            main([*map(str, words), "--json"])
        out = capfd.readouterr().out
        assert len(out.splitlines()) == 1, out
        found: dict[str, Any] = json.loads(out, parse_constant=pytest.fail)
        code = ended.value.code
        assert isinstance(code, int)
        return code, found

    return call


@pytest.mark.slow
def test_every_command_that_works(
    said: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    one, two, both = tmp_path / "one", tmp_path / "two", tmp_path / "both"
    status, found = said(*RUN, "--seed", 1, "--out", one)
    assert status == 0
    names = {"campaign", "mode", "samples", "requested", "seconds", "pilots", "tallies"}
    assert found.keys() >= names | {"digest", "folder", "reason"}
    assert (found["mode"], found["samples"], found["pilots"]) == ("exact", 20000, 1)
    assert found["tallies"]["pi"].keys() >= {"value", "error"}
    assert said("run", "--resume", one)[1]["digest"] == found["digest"]
    assert said(*RUN, "--seed", 2, "--out", two)[0] == 0
    status, merged = said("merge", one, two, "--out", both)
    assert (status, merged["samples"]) == (0, 40000)
    status, more = said("extend", one, "--samples", "+5000")
    assert (status, more["samples"]) == (0, 25000)
    status, verdict = said("verify", one)
    assert (status, verdict["good"]) == (0, True)
    status, block = said("rerun", one, "--block", 3)
    assert (status, block["samples"]) == (0, 1000)
    assert said("replay", one)[0] == 0
    with pytest.raises(SystemExit) as ended:
        main(["rerun", str(one), "--block", "25", "--json"])
    assert ended.value.code == 2
    assert "--block 25 does not exist: there are blocks 0 to 24" in capfd.readouterr().err


@pytest.mark.slow
def test_every_command_that_fails(said: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    status, found = said("run", f"{APPS}:raises", "--samples", 10, "--out", folder)
    assert (status, found["ended"], found["tallies"]) == (1, "failed", {})
    good = tmp_path / "good"
    assert said(*RUN, "--out", good)[0] == 0
    for one in (good / "objects").rglob("*"):
        if one.is_file():
            one.write_bytes(b"rubbish")
    status, verdict = said("verify", good)
    assert (status, verdict["good"]) == (1, False)
    for words in (("run", "--resume", good), ("extend", good, "--samples", "+1000")):
        status, found = said(*words)
        assert status == 1
        assert found == {"ended": "failed", "reason": found["reason"]}
        assert f"{good} is damaged: its object" in found["reason"]


def test_arguments_that_are_no_option_may_look_like_one() -> None:
    from manyhands.cli import understood

    assert understood(["run", "--exact=portable"]) == ["run", "--exact-portable"]
    assert understood(["run", "--exact", "pi"]) == ["run", "--exact", "pi"]
    assert understood(["run", "--", "--exact=2"]) == ["run", "--", "--exact=2"]
