"""A notebook's function as a source that stands alone, with all that it uses.

There is no file to send, so a source is put together: the function as it was typed, and for every
name that it uses and does not make itself

- a module: it is imported there too;
- a function or class of a module: it is imported from it;
- a function of the same notebook: its source travels, with all that it uses in turn;
- a number, a text, or a tuple, list or dict of these: it is written down as it is now.

Anything else is refused (`CannotTravel`): nothing is pickled. The order is always the same, so that
the same cells have the same digest.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import symtable
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from types import FunctionType, ModuleType
from typing import Any

from manyhands.applications.declaring import BadApplication

LITERAL_CHARACTERS_MAX = 100_000
WHAT_TO_DO = "move it into a file, or pass it through options"

# Annotations are left alone: what they name need not travel.
_BEGIN = "from __future__ import annotations\n"


class CannotTravel(BadApplication):
    """A function uses what cannot be written down as a source."""


def portable_source(function: Callable[..., Any]) -> str:
    """A source that defines this function, and all that it uses, when executed anywhere."""
    bundle = _Bundle()
    plain = unwrapped(function)
    bundle.add_function(plain.__name__, function, plain.__name__)
    return bundle.source()


def unwrapped(function: Callable[..., Any]) -> FunctionType:
    """The function that was typed, inside whatever decorators made of it."""
    plain = inspect.unwrap(function)
    if not isinstance(plain, FunctionType):
        name = getattr(function, "__name__", type(function).__name__)
        raise CannotTravel(f"'{name}' is a {type(plain).__name__}, not a function: {WHAT_TO_DO}")
    return plain


class _Bundle:
    """What has been collected so far, by the names it has in the notebook."""

    def __init__(self) -> None:
        self._known: dict[str, object] = {}
        self._imports: dict[str, None] = {}
        self._definitions: list[str] = []

    def source(self) -> str:
        """Everything in an order in which it can be executed."""
        return "\n".join([_BEGIN.strip(), *sorted(self._imports), *self._definitions, ""])

    def add(self, name: str, value: object, user: str) -> None:
        """What a function calls by this name."""
        if name in self._known:
            if self._known[name] is not value:
                raise CannotTravel(f"{user} uses '{name}', which means two things: rename one")
        elif isinstance(value, ModuleType):
            self._known[name] = value
            self._imports[_import(value.__name__, name)] = None
        elif origin := _origin(value):
            self._known[name] = value
            module, attribute = origin
            renamed = "" if attribute == name else f" as {name}"
            self._imports[f"from {module} import {attribute}{renamed}"] = None
        elif isinstance(inspect.unwrap(value) if callable(value) else None, FunctionType):
            assert callable(value)
            self.add_function(name, value, user)
        else:
            self._known[name] = value
            self._definitions.append(f"{name} = {_literal(value, name, user)}")

    def add_function(self, name: str, function: Callable[..., Any], user: str) -> None:
        """A function of the notebook, behind all that it uses."""
        plain = unwrapped(function)
        source, own_name = _source_of(plain, name), plain.__name__
        if self._known.setdefault(own_name, function) is not function:
            raise CannotTravel(f"{user} uses '{own_name}', which means two things: rename one")
        self._known[name] = function
        meanings = _meanings(plain)
        for used in _names_used(source, name):
            if used in meanings:
                self.add(used, meanings[used], own_name)
            elif not hasattr(builtins, used):
                raise CannotTravel(f"{own_name} uses '{used}', which is defined nowhere")
        for module in _submodules(source, meanings):
            self._imports[f"import {module}"] = None
        self._definitions.append(source)
        if name != own_name:
            self._definitions.append(f"{name} = {own_name}")


def _source_of(function: FunctionType, name: str) -> str:
    if function.__name__ == "<lambda>":
        raise CannotTravel(f"'{name}' is a lambda, whose source has no end: write it as a def")
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise CannotTravel(
            f"the source of '{name}' is not kept where it was typed: move it into a file"
        ) from None


def _meanings(function: FunctionType) -> Mapping[str, object]:
    """What names mean inside a function: those of the functions around it first."""
    around = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            around[name] = cell.cell_contents
        except ValueError:  # not yet given a value
            continue
    return {**function.__globals__, **around}


def _names_used(source: str, name: str) -> list[str]:
    """The names that a definition uses and does not make itself."""
    try:
        table = symtable.symtable(_BEGIN + source, "<application>", "exec")
    except SyntaxError as error:
        raise CannotTravel(f"the source of '{name}' is no plain Python: {error.msg}") from None
    own = {one.get_name() for one in table.get_symbols() if one.is_assigned()}
    used = {
        symbol.get_name()
        for scope in _scopes(table)
        for symbol in scope.get_symbols()
        if symbol.is_global() and (symbol.is_referenced() or scope is not table)
    }
    return sorted(used - own)


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    if str(table.get_type()) != "annotation":
        yield table
        for child in table.get_children():
            yield from _scopes(child)


def _submodules(source: str, meanings: Mapping[str, object]) -> list[str]:
    """The modules reached through the dots of another: `scipy.stats` where scipy was imported."""
    found: dict[str, None] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            first, _, rest = ast.unparse(node).partition(".")
            base = meanings.get(first)
            if isinstance(base, ModuleType):
                module = f"{base.__name__}.{rest}"
                if isinstance(sys.modules.get(module), ModuleType):
                    found[module] = None
    return sorted(found)


def _import(module: str, name: str) -> str:
    return f"import {module}" if module == name else f"import {module} as {name}"


def _origin(value: object) -> tuple[str, str] | None:
    """The module, and the name in it, where a function or a class can be imported from."""
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return None
    there = vars(sys.modules.get(module, object)).get(name) if name.isidentifier() else None
    return (module, name) if there is value else None


def _literal(value: object, name: str, user: str) -> str:
    """The text that Python reads as this value."""
    text = _written(value)
    if text is None:
        kind = "a class of the notebook" if isinstance(value, type) else f"of type {_kind(value)}"
        raise CannotTravel(f"{user} uses '{name}', {kind}, which cannot travel: {WHAT_TO_DO}")
    if len(text) > LITERAL_CHARACTERS_MAX:
        raise CannotTravel(f"{user} uses '{name}', which is too large to travel: {WHAT_TO_DO}")
    return text


def _kind(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _written(value: object) -> str | None:
    """The value as Python text; None if it holds anything but plain values."""
    if value is None or type(value) in (bool, int, str):
        return repr(value)
    if isinstance(value, float):  # numpy's too
        text = float.__repr__(value)
        return text if isfinite(value) else f'float("{text}")'
    if isinstance(value, tuple | list) and type(value) in (tuple, list):
        parts = [_written(one) for one in value]
        if None in parts:
            return None
        inside = ", ".join(str(part) for part in parts)
        if type(value) is list:
            return f"[{inside}]"
        return f"({inside},)" if parts else "()"
    if isinstance(value, dict) and type(value) is dict:
        pairs = [(_written(key), _written(one)) for key, one in value.items()]
        if any(None in pair for pair in pairs):
            return None
        return "{" + ", ".join(f"{key}: {one}" for key, one in pairs) + "}"
    return None
