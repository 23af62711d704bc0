"""The help of every command is there, with an example."""

from __future__ import annotations

import pytest

from manyhands.cli import COMMANDS, main


def helped(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_each_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"Example: manyhands {command} " in helped(capsys, command)


def test_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    said = helped(capsys)
    assert all(f" {command} " in said for command in COMMANDS)


def test_how_a_portable_run_is_asked_for_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    said = helped(capsys, "run")
    assert "--exact=portable" in said
    assert "--exact-portable" not in said
