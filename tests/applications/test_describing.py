"""What may be given as an application, and the one line that refuses everything else."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from manyhands.applications.declaring import BadApplication, Declared, application
from manyhands.applications.describing import describe
from manyhands.applications.description import Kind
from manyhands.applications.pi import pi
from tests.applications import toys

HERE = "tests.applications.toys"
GOOD = "def advance(samples, stream):\n    return {}\n\ndef other(samples, stream): ...\n"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.py").write_text(GOOD)
    (tmp_path / "empty.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("x = 1\ndef advance(:\n")
    (tmp_path / "zero.py").write_text("x = 1\nx = 1 / 0\n")
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "bytes.py").write_bytes(b"# \xff\n")
    (tmp_path / "nul.py").write_bytes(b"x = 1\0\n")
    (tmp_path / "long.py").write_text("#" * 1_000_001)
    starts = "from manyhands.applications.executing import require_not_being_loaded as run\nrun()\n"
    (tmp_path / "starts.py").write_text(starts)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("target", "kind", "name"),
    [
        ("pi", Kind.BUILTIN, "pi"),
        (pi, Kind.BUILTIN, "pi"),
        ("slab", Kind.BUILTIN, "slab"),
        ("model.py:advance", Kind.FILE, "model.py:advance"),
        ("./model.py:other", Kind.FILE, "model.py:other"),
        (f"{HERE}:count", Kind.MODULE, f"{HERE}:count"),
        (toys.count, Kind.MODULE, f"{HERE}:count"),
        (toys.Counter, Kind.MODULE, f"{HERE}:Counter"),
    ],
)
def test_an_application_is_found(target: str | Callable[..., Any], kind: Kind, name: str) -> None:
    found = describe(target)
    assert (found.kind, found.name) == (kind, name)
    assert len(found.version) == 64
    assert bool(found.source) == (kind is Kind.FILE)


def test_a_module_is_found_from_its_folder() -> None:
    assert describe(toys.count).folders == (str(Path(__file__).parents[2]),)


def test_the_version_is_that_of_the_source(tmp_path: Path) -> None:
    before = describe("model.py:advance")
    assert describe("model.py:other").version == before.version
    (tmp_path / "model.py").write_text(GOOD + "# changed\n")
    after = describe("model.py:advance")
    assert after.version != before.version
    assert after.source == GOOD + "# changed\n"


def test_what_is_declared_is_described() -> None:
    found = describe(toys.prepared_count, {"path": "x"})
    assert (found.block_samples, found.granule) == (100, 10)
    assert (describe(toys.count).block_samples, describe(toys.count).granule) == (None, 1)


def test_options_travel() -> None:
    options = {"energy": 1.5, "cells": [1, 2], "where": {"a": None}, "on": True, "name": "x"}
    assert describe(toys.anything, options).options == options
    assert describe(toys.anything, {"size": (1, 2)}).options == {"size": [1, 2]}
    assert describe(toys.even, {"step": 4, "other": 1}).options == {"step": 4, "other": 1}


def test_a_bare_decorator_declares_the_defaults() -> None:
    marked = application(toys.count)
    assert marked is toys.count
    assert describe(marked).granule == 1


def refusal(target: Any, options: Any = None) -> str:
    with pytest.raises(BadApplication) as refused:
        describe(target, options)
    return str(refused.value)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (
            "pie",
            "'pie': there are pi, slab, photons, and file.py:function for your own; "
            "did you mean 'pi'?",
        ),
        (
            "photon",
            "there is no built-in application 'photon': there are pi, slab, photons, and "
            "file.py:function for your own; did you mean 'photons'?",
        ),
        ("model.py", "'model.py' is a file: say which function of it, as model.py:advance"),
        ("model.py:", "'model.py:' names no function: give model.py:function"),
        ("modle.py:advance", "there is no file 'modle.py'; did you mean 'model.py'?"),
        ("no/such.py:advance", "there is no file 'no/such.py'"),
        (
            "model.py:advanse",
            "model.py has no function 'advanse': it has advance, other; did you mean 'advance'?",
        ),
        ("empty.py:advance", "empty.py has no function 'advance': it defines none"),
        ("empty.py:x", "empty.py:x is of type int: give the name of a function or a class"),
        ("broken.py:advance", "broken.py:2: invalid syntax"),
        ("nul.py:advance", "nul.py:1: source code string cannot contain null bytes"),
        ("zero.py:advance", "could not be loaded: line 2: ZeroDivisionError: division by zero"),
        ("leaves.py:advance", "could not be loaded: line 2: SystemExit: 3"),
        ("bytes.py:advance", "file 'bytes.py' cannot be read as UTF-8"),
        ("long.py:advance", "the source of long.py is longer than 1 MB: keep data in other files"),
        ("starts.py:advance", 'put that under if __name__ == "__main__":'),
        ("no_such_module:f", "could not be loaded: ModuleNotFoundError: No module named"),
        (f"{HERE}:cuont", "has no function 'cuont': it has"),
        (f"{HERE}:number", f"{HERE}:number is of type int: give the name of a function or a class"),
        ("sys:intern", "module sys has no file: put a def around it in a file of yours"),
        (toys.a_partial, "a partial cannot travel: give the function itself, and options"),
        (toys.nameless, "a lambda has no name to be found by: write it as a def"),
        (toys.Counter(), "an object of class Counter cannot travel: give the class, and options"),
        (toys.Counter().advance, "Counter.advance is a method: give its class, and options"),
        (3, "3 is no application: give a function or a class"),
        (toys.Idle, "Idle has no method advance(self, samples, stream)"),
        (
            toys.Thirsty,
            "Thirsty.prepare cannot be called as (self): missing a required argument: 'water'",
        ),
        (toys.too_few, "too_few cannot be called as (samples, stream): too many positional"),
        (toys.demanding, "cannot be called as (samples, stream): missing a required argument"),
        (toys.Unusual, "toys:Unusual declares prepare: make it a method of the class"),
        (toys.late, "late is async, but is called as a plain function: make it one"),
        (toys.piecemeal, "piecemeal yields, but must return one dict: use return"),
        (toys.unprepared, "prepare of tests.applications.toys:unprepared cannot be called as ()"),
        (math.hypot, "hypot does not say its parameters: put a def around it"),
    ],
)
def test_what_is_no_application_is_refused(target: Any, said: str) -> None:
    line = refusal(target)
    assert said in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("target", "options", "said"),
    [
        (toys.count, {"stpe": 2}, "has no option 'stpe': it has step; did you mean 'step'?"),
        (toys.named_otherwise, {"a": 2}, "has no option 'a': it has step"),
        (toys.too_few, {"a": 2}, "has no option 'a': it has none"),
        (toys.Counter, {"start": 2}, "has no option 'start': it has begin"),
        (toys.even, {"step": 3}, "toys:even refuses its options: step is 3, but must be even"),
        ("slab", {"cells": 0}, "slab refuses its options: cells is 0, but must be a whole number"),
        (toys.count, [2], "the options are a list, but must be a dict"),
        (toys.anything, {1: 2}, "an option cannot be called 1: give a Python name"),
        (toys.anything, {"a b": 2}, "an option cannot be called 'a b': give a Python name"),
        (toys.anything, {"stream": 2}, "an option cannot be called 'stream': this name is taken"),
        (toys.anything, {"a": float("inf")}, "option 'a' is inf, which JSON does not know"),
        (toys.anything, {"a": [0, {1}]}, "option 'a'[1] is a set, which cannot travel"),
        (toys.anything, {"a": {2: 1}}, "option 'a' has the key 2, but keys must be texts"),
        (toys.anything, {"a": {"b": toys}}, "option 'a'['b'] is a module, which cannot travel"),
        (toys.anything, {"a": "x" * 1_000_001}, "the options are longer than 1 MB"),
    ],
)
def test_options_that_do_not_fit_are_refused(target: Any, options: Any, said: str) -> None:
    line = refusal(target, options)
    assert said in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("declared", "field"),
    [
        ({"prepare": 3}, "prepare"),
        ({"check": 3}, "check"),
        ({"block_samples": 0}, "block_samples"),
        ({"granule": 0}, "granule"),
        ({"block_samples": 15, "granule": 10}, "block_samples"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(declared: Any, field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field} is "):
        Declared(**declared)


def test_nothing_stays_on_the_path(tmp_path: Path) -> None:
    before = list(sys.path)
    describe("model.py:advance")
    refusal("zero.py:advance")
    assert sys.path == before
