"""Nothing is too long: files, functions, lines, lists of parameters.

A limit may be crossed with an entry in `EXCEPTIONS` that says why; an entry that is no longer
needed fails too. Docstrings do not count as lines of a function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from tests.tidy.source import PACKAGE_FOLDER, Function, Source, functions, snippet, sources

LINES_PER_FILE = 400
LINES_PER_FUNCTION = 50
COLUMNS = 100
PARAMETERS = 6
MEDIAN_LINES_PER_FUNCTION = 10

FOLDERS = ["src", "tests", "tools", "benchmarks", "experiments"]
MEASURED = [f"{folder}/**/*.py" for folder in FOLDERS]

# "path" for a file, "path::Class.function" for a function, and the reason.
EXCEPTIONS: dict[str, str] = {
    "src/manyhands/cli/run.py::run": "typer makes one option of each parameter",
    "src/manyhands/cli/extend.py::extend": "typer makes one option of each parameter",
}


@dataclass(frozen=True, slots=True)
class Excess:
    """One limit crossed: `where` is the key of its exception."""

    where: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.where} (line {self.line}): {self.what}"


def excesses(source: Source) -> Iterator[Excess]:
    """Yield every limit that a file crosses."""
    lines = source.text.splitlines()
    if len(lines) > LINES_PER_FILE:
        yield Excess(source.path, 1, f"{len(lines)} lines, at most {LINES_PER_FILE}")
    for number, line in enumerate(lines, start=1):
        if len(line) > COLUMNS:
            yield Excess(source.path, number, f"{len(line)} columns, at most {COLUMNS}")
    for name, function in functions(source.tree):
        where = f"{source.path}::{name}"
        if (length := function_lines(function)) > LINES_PER_FUNCTION:
            what = f"{length} lines, at most {LINES_PER_FUNCTION}"
            yield Excess(where, function.lineno, what)
        if (count := parameter_count(function)) > PARAMETERS:
            what = f"{count} parameters, at most {PARAMETERS}: make them a dataclass"
            yield Excess(where, function.lineno, what)


def function_lines(function: Function) -> int:
    """Return the lines from `def` to the end, without the docstring's."""
    end = function.end_lineno or function.lineno
    length = end - function.lineno + 1
    if ast.get_docstring(function, clean=False) is not None:
        docstring = function.body[0]
        length -= (docstring.end_lineno or docstring.lineno) - docstring.lineno + 1
    return length


def parameter_count(function: Function) -> int:
    """Return how many parameters a caller has to think of."""
    given = function.args
    named = [one.arg for one in [*given.posonlyargs, *given.args]]
    own = 1 if named[:1] in (["self"], ["cls"]) else 0
    return len(named) - own + len(given.kwonlyargs)


def test_nothing_is_too_long() -> None:
    found = [excess for source in sources(*MEASURED) for excess in excesses(source)]
    assert not "\n".join(str(excess) for excess in found if excess.where not in EXCEPTIONS)


def test_every_exception_is_needed_and_has_a_reason() -> None:
    needed = {excess.where for source in sources(*MEASURED) for excess in excesses(source)}
    assert not EXCEPTIONS.keys() - needed
    assert all(reason.strip() for reason in EXCEPTIONS.values())


def test_functions_are_short_as_a_rule() -> None:
    lengths = [
        function_lines(function)
        for source in sources(f"{PACKAGE_FOLDER}/**/*.py")
        for _, function in functions(source.tree)
    ]
    assert median(lengths or [0]) <= MEDIAN_LINES_PER_FUNCTION


def test_a_long_file_is_seen() -> None:
    found = list(excesses(snippet("x = 1\n" * 401)))
    assert [excess.what for excess in found] == ["401 lines, at most 400"]


def test_a_long_line_is_seen() -> None:
    found = list(excesses(snippet("x = 1  # " + "-" * 92)))
    assert [excess.what for excess in found] == ["101 columns, at most 100"]


def test_a_long_function_is_seen_whatever_its_docstring() -> None:
    body = '    """One.\n\n    Two.\n    """\n' + "    x = 1\n"
    fifty = snippet("def f():\n" + body + "    x = 1\n" * 48)
    longer = snippet("class A:\n    def f(self):\n" + "        x = 1\n" * 50)
    assert not list(excesses(fifty))
    assert [excess.where.split("::")[1] for excess in excesses(longer)] == ["A.f"]


def test_many_parameters_are_seen() -> None:
    six = "class A:\n    def f(self, a, b, c, d, e, f): ..."
    seven = "def f(a, b, c, d, e, *, f, g): ..."
    assert not list(excesses(snippet(six)))
    assert len(list(excesses(snippet(seven)))) == 1
