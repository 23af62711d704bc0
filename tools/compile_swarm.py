"""Compile a copy of the package into build/compiled, where simulated worlds run twice as fast.

The copy is made by mypyc and means the same. mypyc takes no slots of dataclasses, forgets what is
in the brackets of their hints (which the codec reads), and leaves their `__init__` slow: so in the
copy they have no slots, their hints as text, and an `__init__` of their own. They are not frozen
either: that nobody writes to a frozen one is what mypy has shown of the sources.
"""

from __future__ import annotations

import ast
import os
import shutil
from pathlib import Path

from mypyc.build import mypycify
from setuptools import Distribution  # type: ignore[import-untyped]
from setuptools.command.build_ext import build_ext  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "build" / "compiled"
COMPILED = ("model", "control", "pilot", "simulator")  # what worlds are made of
INTERPRETED = (
    "__init__.py",
    "__main__.py",
    "model/limits.py",  # asks for its __dict__
    "model/scalars.py",  # has a surrogate in a string
    "pilot/children.py",  # real processes: no world has them
    "pilot/frames.py",
    "pilot/shell.py",
    "simulator/crowd.py",  # its results, and those of swarm.py, travel between processes
    "simulator/draw*.py",
    "simulator/elsewhere.py",  # runs as a script
    "simulator/liveness.py",  # mypyc takes a sum() of floats for an int
    "simulator/metrics.py",
    "simulator/scenarios.py",  # mypyc fails at one of its signatures
    "simulator/swarm.py",
    "simulator/toy.py",  # as liveness.py
)
# What some lines of the sources have a "type: ignore" for; the copy has no comments.
MYPY = ("--config-file=", "--disable-error-code=dict-item", "--disable-error-code=return-value")


def main() -> None:
    """Copy, rewrite, compile."""
    shutil.rmtree(COPY, ignore_errors=True)
    no_caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "manyhands", COPY / "manyhands", ignore=no_caches)
    os.chdir(COPY)
    files = [file for part in COMPILED for file in _modules(Path("manyhands", part))]
    files = [file for file in files if not any(file.match(one) for one in INTERPRETED)]
    for file in files:
        tree = Rewritten().visit(ast.parse(file.read_text()))
        file.write_text(ast.unparse(ast.fix_missing_locations(tree)))
    modules = mypycify([*MYPY, *map(str, files)], opt_level="2", multi_file=True)
    command = build_ext(Distribution({"name": "manyhands", "ext_modules": modules}))
    command.inplace = True
    command.ensure_finalized()
    command.run()


class Rewritten(ast.NodeTransformer):
    """A module with its dataclasses as mypyc should have them."""

    def visit_ClassDef(self, cls: ast.ClassDef) -> list[ast.stmt]:
        """The class, and what is to be done when it is whole."""
        marks = [ast.unparse(one) for one in cls.decorator_list]
        if not any(mark.startswith("dataclass") for mark in marks):
            return [cls]
        frozen = any("frozen=True" in mark for mark in marks)
        mark = "dataclass(unsafe_hash=True)" if frozen else "dataclass"
        cls.decorator_list = [ast.parse(mark, mode="eval").body]
        behind, fields = [], []
        for one in cls.body.copy():
            if isinstance(one, ast.AnnAssign) and "ClassVar" not in ast.unparse(one.annotation):
                fields.append(one)
            elif isinstance(one, (ast.Assign, ast.AnnAssign)):
                cls.body.remove(one)
                behind.append(_set_later(cls.name, one))
        if not any(one.value and "field(" in ast.unparse(one.value) for one in fields):
            cls.body.append(_init(cls, fields))
        hints = {ast.unparse(one.target): ast.unparse(one.annotation) for one in fields}
        behind.append(f"getattr({cls.name}, '__annotations__').update({hints})")
        return [cls, *ast.parse("\n".join(behind)).body]


def _modules(part: Path) -> list[Path]:
    return [part] if part.suffix else sorted(part.rglob("*.py"))


def _set_later(cls: str, one: ast.Assign | ast.AnnAssign) -> str:
    name = ast.unparse(one.target if isinstance(one, ast.AnnAssign) else one.targets[0])
    if name == "__slots__" or one.value is None:
        return ""
    return f"setattr({cls}, {name!r}, {ast.unparse(one.value)})"


def _init(cls: ast.ClassDef, fields: list[ast.AnnAssign]) -> ast.stmt:
    lines = [f"def __init__({', '.join(['self', *map(ast.unparse, fields)])}) -> None:", "    pass"]
    lines += [f"    self.{ast.unparse(one.target)} = {ast.unparse(one.target)}" for one in fields]
    if any(isinstance(one, ast.FunctionDef) and one.name == "__post_init__" for one in cls.body):
        lines.append("    self.__post_init__()")
    return ast.parse("\n".join(lines)).body[0]


if __name__ == "__main__":
    main()
