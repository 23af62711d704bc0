"""Whatever a user gets wrong is one line that says what, where and what to do, and status 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.cli import main
from tests.cli.command import APPS

PI = ("run", "pi", "--samples", "10")


def mistake(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that is said of this; nothing is on standard output, with --json neither."""
    said = capsys.readouterr()
    for more in ((), ("--json",)):
        with pytest.raises(SystemExit) as ended:
            main([*words, *more])
        said = capsys.readouterr()
        assert ended.value.code == 2, said
        assert said.out == ""
        assert len(said.err.splitlines()) == 1, said.err
    return said.err


@pytest.mark.parametrize("count", ["0", "-5", "1e300", "abc", "1.5", "nan", "", "1e8x"])
def test_a_number_of_samples(count: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = mistake(capsys, "run", "pi", "--samples", count)
    assert f"samples {count!r} is not a number of samples: a whole number from 1" in said


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("pi", "'pi' is not TALLY=PART, as dose=0.5%"),
        ("pi=", "'pi=' is not TALLY=PART, as dose=0.5%"),
        ("=1%", "'=1%' is not TALLY=PART, as dose=0.5%"),
        ("pi=abc", "precision of pi 'abc' is not a precision: 0.005 or 0.5% is"),
        ("pi=0", "precision of pi '0' is not a precision"),
        ("pi=-1%", "precision of pi '-1%' is not a precision"),
        ("pi=1e-400", "precision of pi '1e-400' is not a precision"),
        ("pi=101%", "precision of pi '101%' is more than 100 %"),
        ("pi=2", "precision of pi '2' is more than 100 %"),
    ],
)
def test_a_precision(rule: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert expected in mistake(capsys, "run", "pi", "--precision", rule)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("run",), "no application is named"),
        (("run", "pi"), "no end is given: say --samples 1e8"),
        (("run", "pi", "--sample", "1"), "No such option: --sample (Possible options: "),
        ((*PI, "--nope"), "No such option: --nope"),
        ((*PI, "more"), "unexpected extra argument"),
        ((*PI, "--pilots", "0"), "pilots 0 is not a number of pilots: 1 to 1000 are"),
        ((*PI, "--pilots", "1001"), "pilots 1001 is not a number of pilots"),
        ((*PI, "--pilots", "x"), "'--pilots': Input should be a valid integer"),
        ((*PI, "--seed", "-1"), "seed is -1"),
        ((*PI, "--seed", str(1 << 64)), "must be below 2**64"),
        ((*PI, "--exact=yes"), "--exact=yes is neither --exact nor --exact=portable"),
        ((*PI, "--block-samples", "5"), "free mode has no blocks: ask for exact"),
        ((*PI, "--exact", "--block-samples", "0"), "block_samples 0 is not a whole number above 0"),
        ((*PI, "--skip-poisoned", "2"), "free mode, which has no blocks"),
        ((*PI, "--silence", "0"), "--silence '0' is not a time: 90s, 10m"),
        ((*PI, "--memory", "x"), "--memory 'x' is not a size: 500M or 2G are"),
        ((*PI, "--disk", "0"), "--disk '0' is not a size"),
        ((*PI, "--confidence", "0.9"), "--confidence says something about --precision"),
        (("run", "pi", "--precision", "pi=1%", "--confidence", "2"), "confidence 2.0 is not below"),
        (("run", "pi", "--precision", "pi=1%", "--precision", "pi=2%"), "can be given once"),
        (("run", "pi", "--deadline", "-1"), "deadline '-1' is not a time"),
        (("run", "pi", "--budget", "0"), "budget 0.0 is not a number above 0"),
        ((*PI, "--resume", "here"), "--resume goes on as the campaign was begun"),
        (("run", "--resume", "nowhere"), "nowhere holds no campaign"),
        (("extend", "nowhere", "--samples", "10"), "nowhere holds no campaign"),
        (("extend", "nowhere"), "extend to what? say --samples +1e8"),
        (("extend",), "Missing argument 'DIR'"),
        (("merge", "a", "--out", "b"), "there is nothing to merge: name two folders or more"),
        (("merge", "a", "b", "--out", "c"), "a holds no campaign"),
        (("merge", "a", "b"), "Missing option '--out'"),
        (("verify", "nowhere"), "nowhere holds no campaign"),
        (("verify", "nowhere", "--blocks", "-1"), "blocks is -1, but must be 0 or more"),
        (("rerun", "nowhere", "--block", "3"), "nowhere holds no campaign"),
        (("replay", "nowhere"), "nowhere is not a file"),
        (("rnu",), "No such command 'rnu'. Did you mean 'run'?"),
    ],
)
def test_a_command(
    words: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert expected in mistake(capsys, *words)


@pytest.mark.parametrize(
    ("app", "expected"),
    [
        ("slap", "there is no built-in application 'slap'"),
        ("nofile.py:f", "there is no file 'nofile.py'"),
        ("no_such_module:f", "No module named 'no_such_module'"),
        (f"{APPS}", "is a file: say which function of it"),
        (f"{APPS}:goot", "has no function 'goot': it has good, slow"),
        (f"{APPS}:number", "is of type int: give the name of a function or a class"),
        (f"{APPS}:one_parameter", "cannot be called as (samples, stream)"),
        ("syntax.py:f", "syntax.py:2: "),
        ("raising.py:f", "line 2: RuntimeError: no licence"),
    ],
)
def test_an_application(
    app: str,
    expected: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "syntax.py").write_text("import sys\ndef f(:\n")
    (tmp_path / "raising.py").write_text("import sys\nraise RuntimeError('no licence')\n")
    monkeypatch.chdir(tmp_path)
    assert expected in mistake(capsys, "run", app, "--samples", "10")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["raising.py", "syntax.py"]


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("thicknes=3", "slab has no option 'thicknes'"),
        ("thicknes=3", "did you mean 'thickness'?"),
        ("thickness=abc", "thickness is 'abc', but must be"),
        ("thickness", "'thickness' is not NAME=VALUE"),
    ],
)
def test_an_option_of_the_application(
    option: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert expected in mistake(capsys, "run", "slab", "--samples", "10", "--set", option)


def test_an_option_given_twice(capsys: pytest.CaptureFixture[str]) -> None:
    twice = ("--set", "thickness=3", "--set", "thickness=4")
    assert "is given twice" in mistake(capsys, "run", "slab", "--samples", "10", *twice)


def test_a_folder_that_cannot_be_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Below a file nobody can write, not even the administrator."""
    (tmp_path / "file").touch()
    said = mistake(capsys, *PI, "--out", str(tmp_path / "file" / "run"))
    assert "cannot be written (Not a directory): choose another folder with --out" in said
