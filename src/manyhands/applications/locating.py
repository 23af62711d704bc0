"""Where an application is, whatever was given: a name, a file, a module, a function, a class."""

from __future__ import annotations

import inspect
import os
import sys
import sysconfig
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

from manyhands.applications.built_in import BUILT_IN, built_in, name_if_built_in
from manyhands.applications.declaring import BadApplication
from manyhands.applications.description import SOURCE_CHARACTERS_MAX, Kind
from manyhands.applications.executing import (
    attribute,
    digest_of,
    importable,
    module_by_name,
    module_from_source,
)
from manyhands.applications.travelling import CannotTravel, portable_source, unwrapped
from manyhands.model.malformed import nearest

MAIN = "__main__"
INSTALLED = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class Located:
    """An application that was found, and how another process finds it."""

    target: Any
    kind: Kind
    name: str
    place: str
    function: str
    version: str
    folders: tuple[str, ...] = ()
    source: str = ""


def located(target: object) -> Located:
    """Find an application by its function or class, or by what was typed on a command line."""
    if not isinstance(target, str):
        return _located_object(target)
    place, colon, function = target.rpartition(":")
    if not colon:
        return _located_name(target)
    if not function:
        raise BadApplication(f"'{target}' names no function: give {place}:function")
    if place.endswith(".py") or os.sep in place:
        return _located_in_file(place, function)
    return _located_in_module(place, function)


# ---- by what was typed -----------------------------------------------------------------


def _located_name(name: str) -> Located:
    if name.endswith(".py"):
        raise BadApplication(f"'{name}' is a file: say which function of it, as {name}:advance")
    target = built_in(name)
    return Located(target, Kind.BUILTIN, name, name, name, version_of_module(BUILT_IN[name]))


def _located_in_file(place: str, function: str) -> Located:
    path = Path(place).absolute()
    source = _source_of_file(path, place)
    folders = (str(path.parent),)
    with importable(folders):
        module = module_from_source(source, str(path), str(path), function)
    target = attribute(module, function, place)
    return _in_file(target, path, function, source)


def _located_in_module(name: str, function: str) -> Located:
    folders = (os.getcwd(),)
    with importable(folders):
        module = module_by_name(name)
    return _in_module(attribute(module, function, name), module, name, function)


# ---- by a function or class ------------------------------------------------------------


def _located_object(target: object) -> Located:
    _require_named(target)
    builtin = name_if_built_in(target)
    if builtin is not None:
        return _located_name(builtin)
    qualified = str(getattr(target, "__qualname__", ""))
    module = sys.modules.get(str(getattr(target, "__module__", MAIN)))
    if module is None or not _is_found(module, qualified, target):
        return _in_notebook(target, module)
    if module.__name__ != MAIN:
        return _in_importable(target, module, qualified)
    if module.__spec__ is not None:  # python -m package.module
        return _in_module(target, module, module.__spec__.name, qualified)
    path = _file_of(module)
    if path.is_file() and _was_typed_in(target, path):
        return _in_file(target, path.absolute(), qualified, _source_of_file(path, str(path)))
    return _in_notebook(target, module)


def _require_named(target: object) -> None:
    """Refuse what has no name by which it could be found again."""
    if isinstance(target, partial):
        raise BadApplication("a partial cannot travel: give the function itself, and options")
    if isinstance(target, MethodType):
        raise BadApplication(f"{target.__qualname__} is a method: give its class, and options")
    if getattr(target, "__name__", "") == "<lambda>":
        raise BadApplication("a lambda has no name to be found by: write it as a def")
    if not callable(target) and not hasattr(target, "advance"):
        raise BadApplication(f"{_shown(target)} is no application: give a function or a class")
    if not hasattr(target, "__qualname__"):
        kind = type(target).__name__
        raise BadApplication(
            f"an object of class {kind} cannot travel: give the class, and options"
        )


def _shown(target: object) -> str:
    text = repr(target)
    return text if len(text) <= 40 else f"a {type(target).__name__}"


def _is_found(module: ModuleType, qualified: str, target: object) -> bool:
    """Whether a module has this object under its own name."""
    found: object = module
    for part in qualified.split("."):
        found = getattr(found, part, None)
    return found is target


def _was_typed_in(target: object, path: Path) -> bool:
    """Whether it is of this file: at a prompt, a script's names and typed ones are side by side."""
    plain = inspect.unwrap(target) if callable(target) else target
    if isinstance(plain, FunctionType):
        return Path(plain.__code__.co_filename).absolute() == path.absolute()
    return inspect.isclass(target)


# ---- each kind -------------------------------------------------------------------------


def _in_file(target: Any, path: Path, function: str, source: str) -> Located:
    version = digest_of(source.encode())
    name = f"{path.name}:{function}"
    folders = (str(path.parent),)
    return Located(target, Kind.FILE, name, str(path), function, version, folders, source)


def _in_importable(target: Any, module: ModuleType, function: str) -> Located:
    """A file beside the script travels; of a package or of what is installed, the name does."""
    path = _file_of(module)
    alone = "." not in module.__name__ and path.name == f"{module.__name__}.py"
    if (alone and not _is_installed(path)) or not _folders_of(module.__name__, path):
        if path.suffix == ".py" and path.is_file():
            return _in_file(target, path.absolute(), function, _source_of_file(path, str(path)))
    return _in_module(target, module, module.__name__, function)


def _in_module(target: Any, module: ModuleType, name: str, function: str) -> Located:
    path = _file_of(module)
    version = _digest_of_file(path, name)
    folders = () if _is_installed(path) else _folders_of(name, path)
    return Located(target, Kind.MODULE, f"{name}:{function}", name, function, version, folders)


def _in_notebook(target: Any, module: ModuleType | None) -> Located:
    if inspect.isclass(target):
        name = target.__qualname__
        raise CannotTravel(f"class '{name}' is found by name in no file: move it into one")
    source = portable_source(target)
    function = unwrapped(target).__name__
    folders = [os.getcwd()]
    if module is not None and module.__name__ != MAIN:
        path = _file_of(module)
        folders += [one for one in _folders_of(module.__name__, path) if one not in folders]
    version = digest_of(source.encode())
    _require_short(source, function)
    place = "notebook"
    return Located(target, Kind.SOURCE, function, place, function, version, tuple(folders), source)


def _folders_of(name: str, path: Path) -> tuple[str, ...]:
    """The folder in which a search by this name finds this file; none if there is no such one."""
    bare = path.parent if path.stem == "__init__" else path.with_suffix("")
    parts = tuple(name.split("."))
    if not path.is_file() or bare.parts[-len(parts) :] != parts:
        return ()
    return (str(bare.parents[len(parts) - 1].absolute()),)


def _is_installed(path: Path) -> bool:
    library = Path(sysconfig.get_paths()["stdlib"])
    return any(part in INSTALLED for part in path.parts) or library in path.parents


# ---- sources ---------------------------------------------------------------------------


def version_of_module(name: str) -> str:
    """The digest of a module's file, or of all files of a package; the module is imported."""
    return _digest_of_file(_file_of(module_by_name(name)), name)


def _file_of(module: ModuleType | None) -> Path:
    return Path(str(getattr(module, "__file__", None) or ""))


def _digest_of_file(path: Path, module: str) -> str:
    if not path.is_file():
        raise BadApplication(f"module {module} has no file: put a def around it in a file of yours")
    if path.name == "__init__.py":
        files = sorted(path.parent.glob("*.py"))
        return digest_of(b"".join(digest_of(one.read_bytes()).encode() for one in files))
    return digest_of(path.read_bytes())


def _source_of_file(path: Path, shown: str) -> str:
    if not path.is_file():
        beside = [one.name for one in path.parent.glob("*.py")] if path.parent.is_dir() else []
        raise BadApplication(f"there is no file '{shown}'{nearest(path.name, beside)}")
    try:
        source = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadApplication(f"file '{shown}' cannot be read as UTF-8: {error}") from None
    _require_short(source, shown)
    return source


def _require_short(source: str, shown: str) -> None:
    if len(source) > SOURCE_CHARACTERS_MAX:
        raise BadApplication(f"the source of {shown} is longer than 1 MB: keep data in other files")
