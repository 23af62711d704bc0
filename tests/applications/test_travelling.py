"""Functions of a notebook: they run elsewhere with all that they use, or are refused."""

from __future__ import annotations

import linecache
from itertools import count
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from manyhands.applications.describing import describe
from manyhands.applications.description import Kind
from manyhands.applications.loading import load
from manyhands.applications.stream import Stream
from manyhands.applications.travelling import CannotTravel, portable_source
from tests.applications.child import advanced_elsewhere

_cells = count()


class Notebook:
    """Cells that are executed in one namespace, their sources kept as notebooks keep them."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def __call__(self, cell: str) -> Any:
        """Execute a cell; what it defined as `advance`."""
        text = dedent(cell)
        name = f"<ipython-input-{next(_cells)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        exec(compile(text, name, "exec"), self.names)
        return self.names.get("advance")


def test_a_function_travels_with_all_that_it_uses(tmp_path: Path) -> None:
    notebook = Notebook()
    notebook("""
        import math
        import os.path as paths
        import xml
        import xml.dom.minidom
        from itertools import repeat as again
        from fractions import Fraction

        WIDTH = 2.5
        SHAPE = {"cells": (3,), "names": ["a", None], 2: (), "inf": float("inf"), "on": True}
        unused = object()
    """)
    notebook("""
        def deep(x):
            return x if x < 1 else deep(x - 1) + helper(0)

        def helper(x, by=WIDTH):
            return x * by

        alias = helper
    """)
    advance = notebook("""
        def advance(samples, stream: Unknown, scale=1) -> Another:
            def inner(y):
                return [alias(y) for _ in again(None, 2)]
            local = deep(2)
            text = xml.dom.minidom.parseString("<a/>").documentElement.tagName
            return {
                "inner": inner(samples) + [local], "scale": scale, "floor": math.floor(WIDTH),
                "shape": [SHAPE["cells"], SHAPE["names"], SHAPE[2], SHAPE["inf"] > 1, SHAPE["on"]],
                "half": str(Fraction(1, 2)), "base": paths.basename("a/b"), "text": text,
            }
    """)
    description = describe(advance, {"scale": 7})
    assert (description.kind, description.name) == (Kind.SOURCE, "advance")
    assert advanced_elsewhere(description, tmp_path) == {
        "inner": [25.0, 25.0, 0.0],
        "scale": 7,
        "floor": 2,
        "shape": [[3], ["a", None], [], True, True],
        "half": "1/2",
        "base": "b",
        "text": "a",
    }


def test_a_declared_function_travels_with_its_prepare(tmp_path: Path) -> None:
    advance = Notebook()("""
        from manyhands.applications.declaring import application
        BLOCK = 50
        def ready(size):
            return [size] * 2
        @application(prepare=ready, block_samples=BLOCK)
        def advance(samples, stream, size, prepared):
            return {"prepared": prepared}
    """)
    description = describe(advance, {"size": 4})
    assert description.block_samples == 50
    assert advanced_elsewhere(description, tmp_path) == {"prepared": [4, 4]}


def test_a_function_within_a_function_travels_with_what_is_around_it() -> None:
    factor = 3

    def advance(samples: int, stream: Stream) -> dict[str, int]:
        return {"count": samples * factor * doubled(1)}

    description = describe(advance)
    assert description.kind is Kind.SOURCE
    assert load(description).advance(10, Stream(1, 2)) == {"count": 60}


def doubled(number: int) -> int:
    """A function that has a module: it is imported from there."""
    return 2 * number


def test_values_are_those_of_the_moment() -> None:
    notebook = Notebook()
    advance = notebook("n = 1\ndef advance(samples, stream): return {'n': n}")
    first = describe(advance)
    notebook("n = 2")
    second = describe(advance)
    assert first.version != second.version
    assert load(first).advance(1, Stream(1, 2)) == {"n": 1}
    assert load(second).advance(1, Stream(1, 2)) == {"n": 2}


def test_the_same_cells_have_the_same_source() -> None:
    cell = "import math, os\na, b = 1, 2\ndef advance(samples, stream): return math, os, b, a"
    one, other = (portable_source(Notebook()(cell)) for _ in range(2))
    assert one == other


def test_a_decorated_function_is_decorated_there_too() -> None:
    advance = Notebook()("""
        from functools import wraps
        def doubling(function):
            @wraps(function)
            def wrapper(samples, stream):
                return function(2 * samples, stream)
            return wrapper
        @doubling
        def advance(samples, stream):
            return {"samples": samples}
    """)
    assert load(describe(advance)).advance(5, Stream(1, 2)) == {"samples": 10}


BEGIN = "def advance(samples, stream): return "


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (
            f"x = object()\n{BEGIN}x",
            "advance uses 'x', of type object, which cannot travel: "
            "move it into a file, or pass it through options",
        ),
        (f"import numpy\nx = numpy.zeros(3)\n{BEGIN}x", "'x', of type numpy.ndarray, which cannot"),
        (f"x = [1, {{2}}]\n{BEGIN}x", "advance uses 'x', of type list, which cannot travel"),
        (f"x = {{1: [object]}}\n{BEGIN}x", "advance uses 'x', of type dict, which cannot travel"),
        (f"class X: pass\n{BEGIN}X()", "advance uses 'X', a class of the notebook, which cannot"),
        (f"x = lambda: 1\n{BEGIN}x()", "'x' is a lambda, whose source has no end: write it as a"),
        (f"x = 'x' * 100_000\n{BEGIN}x", "'x', which is too large to travel: move it into a file"),
        (f"{BEGIN}y", "advance uses 'y', which is defined nowhere"),
        (
            f"def f(): return g()\ndef g(): return h\nh = object()\n{BEGIN}f()",
            "g uses 'h', of type object, which cannot travel",
        ),
        (
            f"def f(): return 1\ng = f\ndef f(): return 2\n{BEGIN}(f(), g())",
            "advance uses 'f', which means two things: rename one",
        ),
        (
            "class advance:\n    def advance(self, samples, stream): return {}",
            "class 'advance' is found by name in no file: move it into one",
        ),
    ],
)
def test_what_cannot_travel_is_named(cell: str, said: str) -> None:
    advance = Notebook()(cell)
    with pytest.raises(CannotTravel) as refused:
        describe(advance)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_function_typed_where_nothing_is_kept_is_refused() -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(f"{BEGIN}1", names)
    with pytest.raises(CannotTravel, match="the source of 'advance' is not kept where it was"):
        describe(names["advance"])


def test_a_cell_that_is_no_plain_python_is_refused() -> None:
    advance = Notebook()(f"{BEGIN}(\n 1)")
    cell = advance.__code__.co_filename
    linecache.cache[cell] = (9, None, ["def advance(samples, stream):\n", "  return !ls\n"], cell)
    with pytest.raises(CannotTravel, match="the source of 'advance' is no plain Python: "):
        describe(advance)
