"""What a pilot carries runs on Python 3.9, though the rest of the project is newer.

The syntax is checked by the parser itself; newer names of the library, by tables.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.tidy.source import (
    PACKAGE_FOLDER,
    Function,
    Source,
    called_name,
    findings,
    imports,
    snippet,
    sources,
)

CARRIED = [f"{PACKAGE_FOLDER}/model/**/*.py", f"{PACKAGE_FOLDER}/pilot/**/*.py"]

NEWER_MODULES = {"tomllib", "annotationlib", "compression"}

NEWER_NAMES: dict[str, set[str]] = {
    "asyncio": {"Barrier", "Runner", "TaskGroup", "timeout", "timeout_at"},
    "collections.abc": {"Buffer"},
    "contextlib": {"aclosing", "chdir"},
    "dataclasses": {"KW_ONLY"},
    "datetime": {"UTC"},
    "enum": {"EnumCheck", "FlagBoundary", "ReprEnum", "StrEnum", "member", "nonmember", "verify"},
    "hashlib": {"file_digest"},
    "http": {"HTTPMethod"},
    "inspect": {"get_annotations"},
    "itertools": {"batched", "pairwise"},
    "math": {"cbrt", "exp2", "fma", "sumprod"},
    "operator": {"call", "is_none", "is_not_none"},
    "random": {"binomialvariate"},
    "statistics": {"correlation", "covariance", "kde", "kde_random", "linear_regression"},
    "sys": {"exception", "orig_argv", "stdlib_module_names"},
    "types": {"EllipsisType", "NoneType", "NotImplementedType", "UnionType"},
    "typing": {
        "Concatenate", "LiteralString", "Never", "NotRequired", "ParamSpec", "ReadOnly",
        "Required", "Self", "TypeAlias", "TypeAliasType", "TypeGuard", "TypeIs", "TypeVarTuple",
        "Unpack", "assert_never", "assert_type", "dataclass_transform", "is_typeddict",
        "override", "reveal_type",
    },
}  # fmt: skip

NEWER_BUILTINS = {"BaseExceptionGroup", "EncodingWarning", "ExceptionGroup", "aiter", "anext"}

NEWER_METHODS = {"add_note", "bit_count", "hardlink_to", "is_junction"}

# Evaluates annotations, where `X | None` is only text until then.
EVALUATES_ANNOTATIONS = {"get_type_hints"}

# Compiles the codec from the hints of fields, which therefore keep their 3.9 form.
MAY_EVALUATE = f"{PACKAGE_FOLDER}/model/plain.py"

NEWER_ARGUMENTS: dict[str, set[str]] = {
    "bisect": {"key"},
    "bisect_left": {"key"},
    "bisect_right": {"key"},
    "dataclass": {"kw_only", "match_args", "slots", "weakref_slot"},
    "field": {"kw_only"},
    "fmean": {"weights"},
    "insort": {"key"},
    "insort_left": {"key"},
    "insort_right": {"key"},
    "map": {"strict"},
    "zip": {"strict"},
}

BUILTIN_TYPES = {"bool", "bytes", "complex", "dict", "float", "int", "list", "object", "str"}
BUILTIN_TYPES |= {"bytearray", "frozenset", "set", "tuple", "type"}


def newer_than_39(source: Source) -> list[str]:
    """Return everything that Python 3.9 does not know."""
    return [*_newer_syntax(source), *_newer_imports(source), *_newer_uses(source)]


def newer_fields(source: Source) -> list[str]:
    """Return the fields of classes whose annotation Python 3.9 cannot evaluate."""
    return [
        source.finding(field, f"{ast.unparse(field)}: the codec evaluates it, so use Optional")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef)
        for field in node.body
        if isinstance(field, ast.AnnAssign)
        if any(isinstance(part, ast.BitOr) for part in ast.walk(field.annotation))
    ]


def missing_future(source: Source) -> list[str]:
    """Return the file if it has code but not the import that keeps annotations unevaluated."""
    code = [node for node in source.tree.body if not _is_docstring(node)]
    future = any(found.module == "__future__" for found in imports(source))
    if future or not code:
        return []
    return [source.finding(1, "has no `from __future__ import annotations`")]


def test_what_a_pilot_carries_is_python_39() -> None:
    assert not findings(newer_than_39, sources(*CARRIED))


def test_fields_of_the_model_can_be_evaluated() -> None:
    assert not findings(newer_fields, sources(f"{PACKAGE_FOLDER}/model/**/*.py"))


def test_what_a_pilot_carries_leaves_annotations_unevaluated() -> None:
    assert not findings(missing_future, sources(*CARRIED))


@pytest.mark.parametrize(
    "text",
    [
        "match x:\n    case 1:\n        pass",
        "try:\n    f()\nexcept* ValueError:\n    pass",
        "import tomllib",
        "from itertools import pairwise",
        "import math\nmath.cbrt(8)",
        "from typing import Self",
        "import typing as t\nt.assert_never(x)",
        "import enum\nclass Colour(enum.StrEnum):\n    RED = 'red'",
        "@dataclass(frozen=True, slots=True)\nclass Point:\n    x: int",
        "dataclasses.dataclass(kw_only=True)",
        "zip(a, b, strict=True)",
        "bisect.bisect_left(a, x, key=len)",
        "(5).bit_count()",
        "raise ExceptionGroup('two', [])",
        "Event = Started | Stopped",
        "Number = int | None",
        "isinstance(x, int | float)",
        "cast(list[int] | None, x)",
        "Handler = Callable[[int | str], None]",
        "get_type_hints(Point)",
    ],
)
def test_newer_python_is_seen(text: str) -> None:
    assert len(newer_than_39(snippet(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: int | None = None) -> list[str] | None:\n    y: int | str = 1",
        "flags = re.ASCII | re.DOTALL",
        "mask = 1 | (2 << 3)",
        "merged = first | second",
        "Event = Union[Started, Stopped]",
        "@dataclass(frozen=True)\nclass Point:\n    x: int | None",
        "math.sqrt(2)",
    ],
)
def test_python_39_passes(text: str) -> None:
    assert not newer_than_39(snippet(text))


def test_a_newer_field_is_seen() -> None:
    assert newer_fields(snippet("class Point:\n    x: list[int | None]"))
    assert not newer_fields(snippet("def f(x: int | None) -> None:\n    y: int | str = 1"))


def test_a_missing_future_import_is_seen() -> None:
    assert missing_future(snippet("import math"))
    assert not missing_future(snippet("from __future__ import annotations\nimport math"))
    assert not missing_future(snippet('"""Only a docstring."""'))


def _newer_syntax(source: Source) -> Iterator[str]:
    try:
        ast.parse(source.text, feature_version=(3, 9))
    except SyntaxError as error:
        yield source.finding(error.lineno or 1, f"newer syntax: {error.msg}")


def _newer_imports(source: Source) -> Iterator[str]:
    for found in imports(source):
        newer = NEWER_NAMES.get(found.module, set())
        if found.module.split(".")[0] in NEWER_MODULES or found.name in newer:
            yield source.finding(found.line, f"newer: {found.module} {found.name}")


def _newer_uses(source: Source) -> Iterator[str]:
    modules = dict(_module_aliases(source.tree))
    for node in _evaluated(source.tree):
        if source.path == MAY_EVALUATE and called_name(node) in EVALUATES_ANNOTATIONS:
            continue
        for what in (_newer_name(node, modules), _newer_argument(node), _union_of_types(node)):
            if what:
                yield source.finding(node, f"newer than Python 3.9: {what}")


def _newer_name(node: ast.AST, modules: dict[str, str]) -> str:
    if called_name(node) in EVALUATES_ANNOTATIONS:
        return "get_type_hints, which evaluates `X | None`"
    if isinstance(node, ast.Name) and node.id in NEWER_BUILTINS:
        return node.id
    if not isinstance(node, ast.Attribute):
        return ""
    if isinstance(node.value, ast.Name):
        newer = NEWER_NAMES.get(modules.get(node.value.id, ""), set())
        if node.attr in newer:
            return f"{node.value.id}.{node.attr}"
    return f".{node.attr}" if node.attr in NEWER_METHODS else ""


def _newer_argument(node: ast.AST) -> str:
    newer = NEWER_ARGUMENTS.get(called_name(node), set())
    if newer and isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg in newer:
                return f"{called_name(node)}({keyword.arg}=)"
    return ""


def _union_of_types(node: ast.AST) -> str:
    """Return a complaint if `A | B` is evaluated and both sides look like types."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        if _is_type(node.left) and _is_type(node.right):
            return f"`{ast.unparse(node)}` outside an annotation: use Union or a tuple"
    return ""


def _is_type(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.Subscript):
        return _is_type(node.value)
    if isinstance(node, ast.BinOp):
        return _is_type(node.left) and _is_type(node.right)
    name = getattr(node, "id", getattr(node, "attr", ""))
    return name in BUILTIN_TYPES or (name[:1].isupper() and not name.isupper())


def _module_aliases(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name, alias.name


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every node but those in annotations, which are never evaluated.

    Names inside annotations are still checked where they are imported.
    """
    yield node
    for name, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        if name == "annotation" or (name == "returns" and isinstance(node, Function)):
            continue
        for child in children:
            if isinstance(child, ast.AST):
                yield from _evaluated(child)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
