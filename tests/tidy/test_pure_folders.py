"""What decides is pure: no clock, no IO, no thread, no chance of its own, no order from a set."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.tidy.source import (
    PACKAGE,
    PACKAGE_FOLDER,
    Source,
    findings,
    imports,
    snippet,
    sources,
)

PURE = [
    f"{PACKAGE_FOLDER}/model/**/*.py",
    f"{PACKAGE_FOLDER}/control/**/*.py",
    f"{PACKAGE_FOLDER}/scheduling/**/*.py",
    f"{PACKAGE_FOLDER}/healing/**/*.py",
    f"{PACKAGE_FOLDER}/pilot/machine*.py",
]

# All of the standard library that pure code may import: it computes, and does nothing else.
MAY_IMPORT = {
    "__future__", "abc", "array", "base64", "binascii", "bisect", "collections", "copy",
    "dataclasses", "decimal", "difflib", "enum", "fractions", "functools", "hashlib", "heapq",
    "itertools", "math", "operator", "re", "statistics", "string", "struct", "textwrap", "types",
    "typing",
}  # fmt: skip

# A few folders may import a little more.
MAY_ALSO_IMPORT = {
    "model": {"json"},  # the codec
    "scheduling": {"random"},  # a generator is given, `Random` is its type
    "healing": {"random"},
}
FROM_RANDOM = "Random"

BANNED_CALLS = {
    "open": "does IO",
    "print": "does IO",
    "input": "does IO",
    "breakpoint": "does IO",
    "hash": "differs between two runs",
    "id": "differs between two runs",
    "eval": "hides what runs",
    "exec": "hides what runs",
    "compile": "hides what runs",
    "globals": "hides state",
    "__import__": "hides an import",
}

SET_NAMES = {"set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet"}


def impure_imports(source: Source) -> list[str]:
    """Return the imports of anything that is neither ours nor in the tables above."""
    allowed = MAY_IMPORT | MAY_ALSO_IMPORT.get(source.layer, set()) | {PACKAGE}
    found = []
    for one in imports(source):
        top = one.module.split(".")[0]
        if top not in allowed:
            found.append(source.finding(one.line, f"pure code may not import {top}"))
        elif top == "random" and one.name != FROM_RANDOM:
            found.append(source.finding(one.line, "pure code may import only Random from random"))
    return found


def impure_code(source: Source) -> list[str]:
    """Return the calls and statements that act, wait, or differ between two runs."""
    return [
        source.finding(node, what) for node in ast.walk(source.tree) for what in _impurities(node)
    ]


def sets(source: Source) -> list[str]:
    """Return every use of a set: its order differs between two runs, a dict's does not."""
    return [
        source.finding(node, "pure code holds no set (its order differs between runs): use a dict")
        for node in ast.walk(source.tree)
        if _is_set(node)
    ]


def test_pure_code_imports_nothing_that_acts() -> None:
    assert not findings(impure_imports, sources(*PURE))


def test_pure_code_does_not_act() -> None:
    assert not findings(impure_code, sources(*PURE))


def test_pure_code_holds_no_set() -> None:
    assert not findings(sets, sources(*PURE))


def test_impure_imports_are_seen() -> None:
    bad = snippet("""
        import time, os.path
        from random import Random
        from datetime import datetime
        import numpy
        import json
        from manyhands.model import events
    """)
    assert [line.rsplit(" ", 1)[1] for line in impure_imports(bad)] == [
        "time",
        "os",
        "random",
        "datetime",
        "numpy",
    ]


def test_a_scheduler_may_be_given_a_generator_but_no_module_of_chance() -> None:
    path = f"{PACKAGE_FOLDER}/scheduling/snippet.py"
    assert not impure_imports(snippet("from random import Random", path))
    assert impure_imports(snippet("from random import shuffle", path))
    assert impure_imports(snippet("import random", path))
    assert impure_imports(snippet("import json", path))


def test_acts_are_seen() -> None:
    bad = snippet("""
        async def wait(x):
            await x
        def act():
            global count
            open("f"); print(hash("a"), id(count))
    """)
    assert len(impure_code(bad)) == 7


def test_sets_are_seen() -> None:
    bad = snippet("""
        a: set[int] = {1, 2}
        b = {x for x in a}
        c = frozenset(a)
        d = field(default_factory=set)
        e = one.keys() & other.keys()
        fine = {1: 2}
    """)
    assert len(sets(bad)) == 6


def _impurities(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith | ast.Await):
        yield "pure code does not wait: no async"
    if isinstance(node, ast.Global):
        yield "pure code has no global state"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in BANNED_CALLS:
            yield f"pure code does not call {node.func.id}: it {BANNED_CALLS[node.func.id]}"


def _is_set(node: ast.AST) -> bool:
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    if isinstance(node, ast.Name):
        return node.id in SET_NAMES
    if isinstance(node, ast.Attribute):
        return node.attr in SET_NAMES - {"set"}
    if isinstance(node, ast.BinOp):
        return any(_is_keys(side) for side in (node.left, node.right))
    return False


def _is_keys(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "keys"
    )
