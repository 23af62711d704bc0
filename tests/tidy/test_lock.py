"""The lock names every package that the project asks for, at one version, from nowhere special."""

from __future__ import annotations

import re
import tomllib

from tests.tidy.source import ROOT

EXACT = re.compile(r"^[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.!+-]*( ?;.*)?$")


def inexact(lock: str) -> list[str]:
    """Return the lines that are not one package at one version."""
    lines = [line for line in lock.splitlines() if line and not line.startswith("#")]
    return [line for line in lines if not EXACT.match(line)]


def locked_names(lock: str) -> set[str]:
    """Return the packages of a lock, in the normal form of their names."""
    return {_normal(line.split("==")[0]) for line in lock.splitlines() if "==" in line}


def test_the_lock_is_exact_and_names_no_place() -> None:
    assert not inexact(_lock())


def test_the_lock_holds_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    wanted = {_normal(re.split(r"[^\w.-]", name)[0]) for name in asked}
    assert wanted <= locked_names(_lock())


def test_an_inexact_lock_is_seen() -> None:
    bad = ["rich", "rich>=1", "rich @ file:///rich.whl", "--index-url https://example.org"]
    assert inexact("\n".join([*bad, "rich==1.2"])) == bad


def _lock() -> str:
    return (ROOT / "requirements.lock").read_text("utf-8")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
