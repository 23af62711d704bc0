"""Python files as the tidy tests see them: read once, parsed, with what they import.

A checker is a function from one `Source` to the findings in it, each a line that starts with the
file and line number. `snippet` makes a source from a string: every checker can be seen failing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "manyhands"
PACKAGE_FOLDER = f"src/{PACKAGE}"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Source:
    """One Python file; `path` is relative to the top of the repository."""

    path: str
    text: str
    tree: ast.Module

    def finding(self, node: ast.AST | int, what: str) -> str:
        """Return one line that says where and what."""
        line = node if isinstance(node, int) else getattr(node, "lineno", 1)
        return f"{self.path}:{line}: {what}"

    @property
    def layer(self) -> str:
        """The subpackage that holds this file; empty for the package's own `__init__`."""
        parts = Path(self.path).relative_to(PACKAGE_FOLDER).parts
        return parts[0] if len(parts) > 1 else ""


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module, with the name taken from it (empty for `import module`)."""

    module: str
    name: str
    line: int


Checker = Callable[[Source], list[str]]


def snippet(text: str, path: str = f"{PACKAGE_FOLDER}/model/snippet.py") -> Source:
    """Return a source that stands in no file."""
    text = dedent(text)
    return Source(path, text, ast.parse(text))


def sources(*globs: str) -> list[Source]:
    """Return the Python files that match, sorted by path."""
    paths = sorted({path for glob in globs for path in ROOT.glob(glob) if path.suffix == ".py"})
    return [_read(path) for path in paths]


def findings(checker: Checker, files: Iterable[Source]) -> str:
    """Return all findings, one per line; the empty string if the house is in order."""
    return "\n".join(finding for source in files for finding in checker(source))


def imports(source: Source) -> Iterator[Import]:
    """Yield every import of the file, wherever it stands, relative ones made absolute."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, "", node.lineno)
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(source, node)
            for alias in node.names:
                yield Import(module, alias.name, node.lineno)


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Yield every function and method with its qualified name, nested ones too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield prefix + node.name, node
            yield from functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        else:
            yield from functions(node, prefix)


def called_name(node: ast.AST) -> str:
    """Return the last part of the name that a call calls; empty if it is no such call."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


@cache
def _read(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    return Source(path.relative_to(ROOT).as_posix(), text, ast.parse(text, str(path)))


def _absolute(source: Source, node: ast.ImportFrom) -> str:
    if node.level == 0:
        return node.module or ""
    folder = Path(source.path).relative_to("src").parts[: -node.level]
    return ".".join([*folder, *([node.module] if node.module else [])])
