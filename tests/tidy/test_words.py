"""The project stands alone: no path of one machine, nothing left to do later, nothing hidden."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tidy.source import ROOT, Source, findings, snippet, sources

FOLDERS = ["src", "tests", "tools", "benchmarks", "docs", "examples", "experiments", ".ci"]
TEXT_SUFFIXES = {".md", ".py", ".sh", ".toml", ".txt", ".lock", ".json", ".html", ".css", ".js", ""}

# A temporary folder may be named where tests and measurements are made.
TEMPORARY_ALLOWED = ("tests/", "benchmarks/", "tools/")

# Written in pieces, so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:work|root|home/\w+|Users/\w+)" + "/")
TEMPORARY_PATH = re.compile(r"(?<![\w.$}])/tmp" + "/")
LATER = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME)\b")
BLANKET_IGNORE = re.compile(r"#\s*type:\s*" + r"ignore(?!\[)")


def bad_words(path: str, text: str) -> list[str]:
    """Return what no text file of the project may hold."""
    return [
        f"{path}:{number}: {what}"
        for number, line in enumerate(text.splitlines(), start=1)
        for what in _bad_words(path, line)
    ]


def bare_excepts(source: Source) -> list[str]:
    """Return every `except` that catches everything, interrupts included."""
    return [
        source.finding(node, "bare except: name what may happen")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ExceptHandler) and node.type is None
    ]


def test_no_file_names_a_machine_or_puts_off_work() -> None:
    found = [
        finding
        for path in _text_files()
        for finding in bad_words(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    ]
    assert not "\n".join(found)


def test_nothing_is_caught_unnamed() -> None:
    assert not findings(bare_excepts, sources(*(f"{folder}/**/*.py" for folder in FOLDERS)))


@pytest.mark.parametrize(
    "line",
    [
        "see /wo" + "rk/notes.md",
        'open("/ro' + 'ot/.cache")',
        "/ho" + "me/anna/run",
        "/tm" + "p/campaign",
        "# TO" + "DO later",
        "x = 1  # type: ig" + "nore",
    ],
)
def test_a_bad_word_is_seen(line: str) -> None:
    assert len(bad_words("docs/page.md", line)) == 1


@pytest.mark.parametrize(
    "line",
    ["$root/lib", "tests use tmp_path", "x = 1  # type: ignore[arg-type]", "homework/x", "/v1/tmp"],
)
def test_a_good_word_passes(line: str) -> None:
    assert not bad_words("docs/page.md", line)


def test_a_bare_except_is_seen() -> None:
    assert bare_excepts(snippet("try:\n    f()\nexcept:\n    pass"))
    assert not bare_excepts(snippet("try:\n    f()\nexcept OSError:\n    pass"))


def _bad_words(path: str, line: str) -> Iterator[str]:
    if MACHINE_PATH.search(line):
        yield "names a path of one machine"
    if TEMPORARY_PATH.search(line) and not path.startswith(TEMPORARY_ALLOWED):
        yield "names a temporary folder: ask tempfile for one"
    if LATER.search(line):
        yield "puts off work"
    if BLANKET_IGNORE.search(line):
        yield "hides every error of a line: name the code"


def _text_files() -> list[Path]:
    everything = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    return sorted(
        path
        for path in [*everything, *ROOT.iterdir()]
        if path.is_file() and path.suffix in TEXT_SUFFIXES and "__pycache__" not in path.parts
    )
